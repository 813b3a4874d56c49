"""Which routes take a thing in their requests: a field that their bodies have, or a class that describes them."""

from collections.abc import Sequence

from pipeline.code_registry.entries import Field, FieldKind, Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.stages.selection.anchors import Anchor

_REQUEST = frozenset({FieldKind.BODY, FieldKind.QUERY, FieldKind.HEADER})
_TYPES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE})


def routes_taking(anchor: Anchor, registry: Registry) -> tuple[Route, ...]:
    """The routes whose requests have a field of the cited name, or whose bodies are of the cited class."""
    named_fields = [field for field in registry.fields_like(anchor.citation.text) if field.kind in _REQUEST]
    types = [symbol for symbol in anchor.symbols if symbol.kind in _TYPES]
    fields_of_types = [
        field
        for field in (registry.fields if types else ())
        if field.kind in _REQUEST and any(_is_within(field, symbol) for symbol in types)
    ]
    routes = (registry.get(field.owner) for field in (*named_fields, *fields_of_types))
    return tuple(
        {route.id: route for route in routes if isinstance(route, Route) and not route.is_test}.values()
    )


def shared_leaf(handlers: Sequence[str], registry: Registry) -> Symbol | None:
    """A function that all these handlers call, the first by id; None where they share none."""
    below = [{edge.callee for edge in registry.callees(handler)} for handler in handlers]
    shared_ids = sorted(set.intersection(*below)) if below else []
    symbols = (registry.symbol(id_) for id_ in shared_ids)
    functions = (SymbolKind.FUNCTION, SymbolKind.METHOD)
    return next((symbol for symbol in symbols if symbol is not None and symbol.kind in functions), None)


def _is_within(field: Field, symbol: Symbol) -> bool:
    inside = symbol.place.start_line <= field.place.start_line <= symbol.place.end_line
    return field.place.path == symbol.place.path and inside
