"""What an id of the registry stands for, so that two plans that name one thing in two ways are one."""

from pipeline.code_registry.entries import Entry, Field, FieldKind, Option, Route, Setting, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import CodePlace
from pipeline.stages.selection.vocabulary import Vocabulary, route_vocabulary, symbol_vocabulary

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
    if entry is None:
        return None
    places = entry.places if isinstance(entry, Setting) else (entry.place,)
    return CodePlace(
        id=entry.id, label=_label(entry, registry), location=places[0].location() if places else None
    )


def words_of(id_: str, registry: Registry) -> Vocabulary:
    """The words that speak for a thing: of its name, file and docs."""
    entry = registry.get(id_)
    if isinstance(entry, Route):
        return route_vocabulary(registry, entry)
    if isinstance(entry, Symbol):
        return symbol_vocabulary(entry)
    owner = registry.get(entry.owner) if isinstance(entry, Field) else None
    if isinstance(owner, Symbol):
        return symbol_vocabulary(owner)
    if isinstance(owner, Route):
        return route_vocabulary(registry, owner)
    return Vocabulary(frozenset())


def public_surface(id_: str, registry: Registry) -> str | None:
    """The label of a thing that callers, operators or stored data depend on; None for everything else."""
    entry = registry.get(id_)
    match entry:
        case Route() | Setting() | Option():
            return _label(entry, registry)
        case Field():
            owner = registry.get(entry.owner)
            is_request = isinstance(owner, Route)
            return _label(entry, registry) if is_request or entry.kind in _DATA else None
        case Symbol():
            routes = [route for route in registry.routes if route.handler == entry.id]
            return routes[0].label if routes else None
        case _:
            return None


def _label(entry: Entry, registry: Registry) -> str:
    match entry:
        case Route():
            return entry.label
        case Symbol():
            return f"{entry.qualified_name} ({entry.place.path})"
        case Field():
            owner = registry.get(entry.owner)
            of = owner.label if isinstance(owner, Route) else owner.name if isinstance(owner, Symbol) else "?"
            return f"{of}: {entry.name}" if isinstance(owner, Route) else f"{of}.{entry.name}"
        case Setting() | Option():
            return entry.name
