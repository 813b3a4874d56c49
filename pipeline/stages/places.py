"""Stage `places`: rank the files of the repository by how probably the issue is about them, and say what in them it means."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log

from pipeline.code_registry.entries import Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import CodePlace, LikelyPlace
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.registry import RegistryReady
from pipeline.stages.selection.labels import code_place
from pipeline.stages.selection.terms import Terms, terms_of
from pipeline.stages.selection.vocabulary import Vocabulary, entry_vocabulary
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue

STAGE = "places"
_MOST_FILES = 10
_MOST_REASONS = 3
_MOST_ENTRIES = 3
_DOCS_SHARE = 0.5
"""What a word of the docs weighs, against the same word in a name."""

_SYMBOLS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})


class PlacesInput(StageValue):
    """The files to rank, and the issue."""

    snapshot: Snapshot
    registry: RegistryReady
    reading: IssueDocument


class Places(StageValue):
    """Where the issue probably is. `ranking` is whole, `places` are its first ten with what they hold."""

    ranking: Ranking
    places: tuple[LikelyPlace, ...]


def _run(inputs: PlacesInput, context: StageContext) -> Places:
    return find_places(inputs.reading, context.rank(inputs.reading), context.registry())


KIND = StageKind(
    name=STAGE,
    input=PlacesInput,
    output=Places,
    run=_run,
    reads=frozenset({RunInput.INDEX}),
    finds_ticket=True,
)


def find_places(document: IssueDocument, ranking: Ranking, registry: Registry) -> Places:
    """The first files of a ranking, each with the entries in it that the issue's words fit."""
    files = ranking.files[:_MOST_FILES]
    entries = entries_of([file.path for file in files], terms_of(document), registry)
    return Places(
        ranking=ranking,
        places=tuple(
            LikelyPlace(
                path=file.path,
                probability=file.probability,
                entries=entries.get(file.path, ()),
                because=tuple(reason.sentence for reason in file.reasons[:_MOST_REASONS]),
            )
            for file in files
        ),
    )


def entries_of(paths: Sequence[str], terms: Terms, registry: Registry) -> Mapping[str, tuple[CodePlace, ...]]:
    """For each path the entries that the words fit best, at most three; a handler stands for its route, once.

    A function without a name (`<44:9>`) tells a reader nothing, so it is left out.
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
    ranking = _TermRanking(terms.weights, [entry_vocabulary(registry, entry) for entry in entries])
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


class _TermRanking:
    """Words held against many vocabularies. A word that fits all of them tells nothing apart, one that fits few much."""

    def __init__(self, weights: Mapping[str, float], vocabularies: Sequence[Vocabulary]) -> None:
        self.vocabularies = vocabularies
        self._weights = weights
        self.fits = tuple(vocabulary.all.intersection(weights) for vocabulary in vocabularies)
        self._spread = Counter(word for fit in self.fits for word in fit)

    def weight(self, index: int) -> float:
        """How well the words fit one of them; 0 where none does."""
        strong = self.vocabularies[index].strong
        total = sum(
            self._weights[word] * self._rarity(word) * (1 if word in strong else _DOCS_SHARE)
            for word in sorted(self.fits[index])
        )
        return round(total, 6)

    def _rarity(self, word: str) -> float:
        count = len(self.vocabularies)
        return log(1 + count / self._spread[word]) / log(1 + count)
