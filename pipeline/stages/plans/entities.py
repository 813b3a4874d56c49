"""What an id of the registry stands for, so that two plans that name one thing in two ways are one."""

from pipeline.code_registry.entries import Field, FieldKind, Option, Route, Setting, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import CodePlace
from pipeline.stages.selection.labels import code_place, label_of
from pipeline.stages.selection.vocabulary import Vocabulary, entry_vocabulary

_DATA = (FieldKind.TABLE,)


def entity_of(id_: str, registry: Registry) -> str | None:
    """The id under which a thing is compared: a route is its handler. None for an id that the code does not have."""
    entry = registry.get(id_)
    if entry is None:
        return None
    if isinstance(entry, Route):
        return entry.handler or entry.id
    return entry.id


def place_of(id_: str, registry: Registry) -> CodePlace | None:
    """A thing with its label and lines; None for an id that the code does not have."""
    entry = registry.get(id_)
    return None if entry is None else code_place(entry, registry)


def words_of(id_: str, registry: Registry) -> Vocabulary:
    """The words that speak for a thing: of its name, file and docs."""
    entry = registry.get(id_)
    return Vocabulary(frozenset()) if entry is None else entry_vocabulary(registry, entry)


def public_surface(id_: str, registry: Registry) -> str | None:
    """The label of a thing that callers, operators or stored data depend on; None for everything else."""
    entry = registry.get(id_)
    match entry:
        case Route() | Setting() | Option():
            return label_of(entry, registry)
        case Field():
            owner = registry.get(entry.owner)
            is_request = isinstance(owner, Route)
            return label_of(entry, registry) if is_request or entry.kind in _DATA else None
        case Symbol():
            routes = [route for route in registry.routes if route.handler == entry.id]
            return routes[0].label if routes else None
        case _:
            return None
