"""What the registry says to an agent: places of a word, and who calls a symbol, with the tests that reach it."""

from collections.abc import Iterable, Iterator

from pipeline.code_registry.entries import Entry, Route
from pipeline.code_registry.registry import Registry

_MOST = 60


def found_in(registry: Registry, word: str) -> str:
    """Ids and places of what has this name, else of what is named most like it."""
    entries: list[Entry] = [*registry.symbols_named(word), *registry.fields_named(word)]
    if "/" in word:
        method, _, path = word.rpartition(" ")
        entries += registry.routes_by_tail(method or None, path)
    else:
        entries += [route for route in registry.routes if word in route.path.split("/")]
    exact = registry.get(word)
    entries = [exact] if exact is not None else entries
    if entries:
        return _lines(f"{entry.id}  {_place(entry)}" for entry in entries)
    near = [f"{entry.id}  {_place(entry)}" for entry in registry.near(word)]
    return _lines(["(Nothing has this name. The nearest:)", *near]) if near else "(Nothing.)"


def callers_of(registry: Registry, id_: str) -> str | None:
    """Who leads to a symbol or a route's handler, the routes that reach it, and the tests. None for an unknown id."""
    entry = registry.get(id_)
    symbol = (entry.handler or "") if isinstance(entry, Route) else id_
    if registry.symbol(symbol) is None:
        return None
    return _lines(_about(registry, symbol)) or "(Nothing calls it, and no test reaches it.)"


def _about(registry: Registry, symbol: str) -> Iterator[str]:
    for edge in registry.callers(symbol):
        yield f"called by {edge.caller} (line {edge.line}, {edge.kind.value})"
    for reached in registry.entry_routes(symbol):
        yield f"reached by {reached.route.label}: {' -> '.join(reached.chain)}"
    for test in registry.tests_reaching(symbol):
        yield f"tested by {test}"


def _place(entry: Entry) -> str:
    place = getattr(entry, "place", None)
    return str(place) if place is not None else ", ".join(str(one) for one in getattr(entry, "places", ()))


def _lines(lines: Iterable[str]) -> str:
    told = list(lines)
    more = [f"(and {len(told) - _MOST} more)"] if len(told) > _MOST else []
    return "\n".join([*told[:_MOST], *more])
