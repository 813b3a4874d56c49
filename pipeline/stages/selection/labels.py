"""Entries of the registry as a person reads them, and as places of the contract."""

from pipeline.code_registry.entries import CommandLineOption, Entry, Field, Route, Setting, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import CodePlace


def code_place(entry: Entry, registry: Registry) -> CodePlace:
    """An entry with its label and lines."""
    places = entry.places if isinstance(entry, Setting) else (entry.place,)
    return CodePlace(
        id=entry.id, label=label_of(entry, registry), location=places[0].location() if places else None
    )


def file_place(path: str) -> CodePlace:
    """A whole file, of any kind."""
    return CodePlace(id=f"file:{path}", label=path, location=None)


def label_of(entry: Entry, registry: Registry) -> str:
    """An entry in words: `POST /actions`, `process_item (app/items.py)`, `User.banned`."""
    match entry:
        case Route():
            return entry.label
        case Symbol():
            return f"{entry.qualified_name} ({entry.place.path})"
        case Field():
            owner = registry.get(entry.owner)
            if isinstance(owner, Route):
                return f"{owner.label}: {entry.name}"
            return f"{owner.name if isinstance(owner, Symbol) else '?'}.{entry.name}"
        case Setting() | CommandLineOption():
            return entry.name
