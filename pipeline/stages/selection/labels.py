"""Entries of the registry as a person reads them, and as places of the contract."""

import re
from collections.abc import Iterable

from pipeline.code_registry.entries import CommandLineOption, Entry, Field, Route, Setting, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import CodePlace

_UNNAMED = re.compile(r"<\d+:\d+>")


def code_place(entry: Entry, registry: Registry) -> CodePlace:
    """An entry with its label and lines."""
    places = entry.places if isinstance(entry, Setting) else (entry.place,)
    return CodePlace(
        id=entry.id, label=label_of(entry, registry), location=places[0].location() if places else None
    )


def file_place(path: str) -> CodePlace:
    """A whole file, of any kind."""
    return CodePlace(id=f"file:{path}", label=path, location=None)


def may_exist_already(things: Iterable[str]) -> str:
    """The sentence about things that may do already what is wished: labels with their places. It stops nothing."""
    return f"May exist already: {', '.join(dict.fromkeys(things))}."


def name_of(symbol: Symbol) -> str:
    """A symbol by the names that its author gave. One inside a function without a name (`<107:11>`) has its line behind it."""
    names = [part for part in symbol.qualified_name.split(".") if not _UNNAMED.fullmatch(part)]
    name = ".".join(names)
    if name == symbol.qualified_name:
        return name
    line = f"line {symbol.place.start_line}"
    return f"{name}, {line}" if name else line


def label_of(entry: Entry, registry: Registry) -> str:
    """An entry in words: `POST /actions`, `process_item (app/items.py)`, `User.banned`."""
    match entry:
        case Route():
            return entry.label
        case Symbol():
            return f"{name_of(entry)} ({entry.place.path})"
        case Field():
            owner = registry.get(entry.owner)
            if isinstance(owner, Route):
                return f"{owner.label}: {entry.name}"
            return f"{owner.name if isinstance(owner, Symbol) else '?'}.{entry.name}"
        case Setting() | CommandLineOption():
            return entry.name
