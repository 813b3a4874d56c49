"""What in a file an issue means: the entries of the registry that its words fit, within the files that rank highest."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pipeline.code_registry.entries import Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import CodePlace
from pipeline.stages.selection.labels import code_place
from pipeline.stages.selection.ranking import TermRanking
from pipeline.stages.selection.terms import Terms
from pipeline.stages.selection.vocabulary import entry_vocabulary

_MOST_ENTRIES = 3
_SYMBOLS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})


def entries_of(paths: Sequence[str], terms: Terms, registry: Registry) -> Mapping[str, tuple[CodePlace, ...]]:
    """For each path the entries that the words fit best, at most three; a handler stands for its route, once.

    A function without a name (`<44:9>`) tells nobody anything, so it is left out.
    """
    by_path: dict[str, list[Route | Symbol]] = defaultdict(list)
    wanted_paths, handlers = frozenset(paths), {route.handler for route in registry.routes}
    for route in registry.routes:
        if route.place.path in wanted_paths:
            by_path[route.place.path].append(route)
    for symbol in registry.symbols:
        is_named = symbol.kind in _SYMBOLS and not symbol.name.startswith("<")
        if is_named and symbol.id not in handlers and symbol.place.path in wanted_paths:
            by_path[symbol.place.path].append(symbol)
    entries = [entry for path in sorted(by_path) for entry in by_path[path]]
    ranking = TermRanking(terms.weights, [entry_vocabulary(registry, entry) for entry in entries])
    weights = sorted(
        ((ranking.weight(index), index) for index in range(len(entries)) if ranking.fits[index]),
        key=lambda pair: (-pair[0], pair[1]),
    )
    best: dict[str, list[CodePlace]] = defaultdict(list)
    for _, index in weights:
        path = entries[index].place.path
        if len(best[path]) < _MOST_ENTRIES:
            best[path].append(code_place(entries[index], registry))
    return {path: tuple(places) for path, places in best.items()}
