"""Find routes by the words of an issue that cites nothing.

Words find one right route well and sets of them badly. So they only seed the search, and the set is made by the call
graph: the routes that share the function where the work is done. Example: "let me try a bulk action without effect" fits
`bulk_action` and `stream_bulk_action`; both call `process_item`, which no other route reaches; so the two are the set.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import Route, Symbol, SymbolKind
from pipeline.code_registry.registry import HUB, Registry
from pipeline.domain.issue import Citation, IssueDocument
from pipeline.domain.words import name_stems, prose_stems, stems_of_all
from pipeline.stages.selection.language_weights import REQUEST_WORDS
from pipeline.stages.selection.ranking import TermRanking
from pipeline.stages.selection.terms import Terms
from pipeline.stages.selection.vocabulary import Vocabulary, route_vocabulary

_LEAST_WORDS = 2
_COMMON_SHARE = 0.25
"""A word that fits more than this share of the routes is common and proves nothing alone."""

_PLAUSIBLE_SHARE = 0.5
"""Routes whose words weigh less than this part of the best one's are not looked at."""

_MOST_PLAUSIBLE = 12
_MOST_LEAVES = 30
_MOST_BESIDE = 4


@dataclass(frozen=True)
class RouteMatch:
    """Routes that the issue may mean, and the words that led there. `leaf` is the function that they share."""

    routes: tuple[Route, ...]
    words: frozenset[str]
    leaf: str | None


def search_routes(
    terms: Terms, document: IssueDocument, new_names: Sequence[Citation], registry: Registry
) -> RouteMatch | None:
    """Where the words lead, or None where they are too few, too common, or lead to several places.

    The sentences that have a new name, and the title, go first: they say what shall get it.
    """
    if not registry.routes:
        return None
    sentences = document.wish_sentences
    around = [sentence for sentence in sentences if any(name.text in sentence for name in new_names)]
    wish_match = _leaf_in_words([*around, document.title], registry, least=1)
    leaf = wish_match or _leaf_in_words(sentences, registry, least=_LEAST_WORDS)
    if leaf is not None:
        return leaf
    search = _Search(terms, registry)
    plausible = search.plausible()
    if not plausible:
        return None
    return search.sharing(plausible) or search.beside()


def _leaf_in_words(texts: Sequence[str], registry: Registry, *, least: int) -> RouteMatch | None:
    """A function whose whole name a sentence has in words ("cancelling a booking"), and the routes that reach it.

    Only where several do: people say what is done, not how its routes are called, and one wish can mean all of them.
    `least` is how many words the name must have.
    """
    sentences = [prose_stems(text) for text in texts]
    matches: list[tuple[int, str, RouteMatch]] = []
    for symbol in _functions_below_routes(registry):
        words = _words_of_name(symbol, sentences)
        if not words or len(name_stems(symbol.name)) < least:
            continue
        entries = registry.entry_routes(symbol.id)
        routes = tuple({entry.route.handler: entry.route for entry in entries}.values())
        if 2 <= len(routes) <= HUB:
            matches.append((-len(words), symbol.id, RouteMatch(routes, words, symbol.id)))
    if not matches:
        return None
    best_length = min(length for length, *_ in matches)
    sets = {
        frozenset(route.id for route in row.routes) for length, _, row in matches if length == best_length
    }
    return min(matches, key=lambda row: row[:2])[2] if len(sets) == 1 else None


def _functions_below_routes(registry: Registry) -> Iterator[Symbol]:
    for id_ in sorted(registry.reached_by_routes):
        symbol = registry.symbol(id_)
        if symbol is not None and not symbol.is_test and _does_work(symbol):
            yield symbol


def _does_work(symbol: Symbol) -> bool:
    return symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)


def _words_of_name(symbol: Symbol, sentences: Sequence[frozenset[str]]) -> frozenset[str]:
    """The stems of a function's whole name, if one sentence has them all; a verb alone counts with something it takes."""
    name = name_stems(symbol.name)
    if len(name) == 1:
        parameters = stems_of_all(parameter.name for parameter in symbol.parameters)
        name = next(
            (name | (parameters & stems) for stems in sentences if name <= stems and parameters & stems),
            frozenset(),
        )
    has_all = len(name) >= _LEAST_WORDS and any(name <= stems for stems in sentences)
    return name if has_all else frozenset()


class _Search:
    """One search over the routes of one registry. A word weighs more the fewer routes it fits."""

    def __init__(self, terms: Terms, registry: Registry) -> None:
        self._terms = terms
        self._weights = {stem: weight for stem, weight in terms.weights.items() if stem not in REQUEST_WORDS}
        self._registry = registry
        self._routes = registry.routes
        self._vocabularies: Mapping[str, Vocabulary] = {
            route.id: self._with_callees(route) for route in self._routes
        }
        self._ranking = TermRanking(self._weights, [self._vocabularies[route.id] for route in self._routes])
        self._fits = {route.id: fit for route, fit in zip(self._routes, self._ranking.fits, strict=True)}
        self._spread = Counter(word for fit in self._fits.values() for word in fit)

    def plausible(self) -> tuple[Route, ...]:
        """The routes that enough words fit, best first."""
        routes = [route for route in self._routes if self._says_enough(self._fits[route.id])]
        routes.sort(key=lambda route: (-self._ranking.of(self._fits[route.id]), route.id))
        if not routes:
            return ()
        least = _PLAUSIBLE_SHARE * self._ranking.of(self._fits[routes[0].id])
        near = [route for route in routes if self._ranking.of(self._fits[route.id]) >= least]
        return tuple(near[:_MOST_PLAUSIBLE])

    def sharing(self, plausible: Sequence[Route]) -> RouteMatch | None:
        """Several of them that share a function which no other route reaches, with words that fit them all."""
        below = {route.id: _below(route, self._registry) for route in plausible}
        spread = Counter(symbol for symbols in below.values() for symbol in symbols)
        matches: list[tuple[float, int, str, RouteMatch]] = []
        for leaf in sorted(symbol for symbol, count in spread.items() if 2 <= count <= HUB):
            symbol = self._registry.symbol(leaf)
            if symbol is None or not _does_work(symbol):
                continue
            routes = tuple(route for route in plausible if leaf in below[route.id])
            words = frozenset.intersection(*(self._fits[route.id] for route in routes))
            strong_words = words & frozenset[str]().union(
                *(self._vocabularies[route.id].strong for route in routes)
            )
            if strong_words and self._says_enough(words) and plausible[0] in routes:
                match = RouteMatch(routes, words, leaf)
                matches.append((self._ranking.of(words), len(routes), leaf, match))
        matches.sort(key=lambda row: (-row[0], -row[1], row[2]))
        whole = [match for *_, match in matches[:_MOST_LEAVES] if self._are_all(match)]
        if not whole:
            return None
        best = [match for match in whole if match.routes == whole[0].routes]
        return max(best, key=lambda match: (self._depth(match.leaf), match.leaf or ""))

    def beside(self) -> RouteMatch | None:
        """The best one and those that words fit nearly as well: routes of two applications may share no function."""
        vocabularies, ranking = self._ranking.vocabularies, self._ranking
        best = ranking.best()
        if not best or len(best) > _MOST_BESIDE:
            return None
        common = frozenset.intersection(*(ranking.fits[index] for index in best))
        first = ranking.fits[best[0]]
        if self._terms.count(first) < _LEAST_WORDS or not common or not first & vocabularies[best[0]].strong:
            return None
        return RouteMatch(tuple(self._routes[index] for index in best), first, None)

    def _with_callees(self, route: Route) -> Vocabulary:
        """What a handler calls speaks for its route too: one wish is often served under two names by one service."""
        vocabulary = route_vocabulary(self._registry, route)
        callees = (self._registry.symbol(edge.callee) for edge in self._registry.callees(route.handler or ""))
        names = stems_of_all(
            f"{symbol.place.path.rpartition('/')[2].partition('.')[0]} {symbol.qualified_name}"
            for symbol in callees
            if symbol is not None
        )
        return Vocabulary(vocabulary.strong, (vocabulary.weak | names) - vocabulary.strong)

    def _says_enough(self, words: frozenset[str]) -> bool:
        common = max(2.0, _COMMON_SHARE * len(self._vocabularies))
        return self._terms.count(words) >= _LEAST_WORDS and any(
            self._spread[word] <= common for word in words
        )

    def _are_all(self, match: RouteMatch) -> bool:
        """Whether no other route leads to the shared function."""
        handlers = {route.handler for route in match.routes}
        entries = self._registry.entry_routes(match.leaf or "")
        return {entry.route.handler for entry in entries} == handlers

    def _depth(self, leaf: str | None) -> int:
        return max((len(entry.chain) for entry in self._registry.entry_routes(leaf or "")), default=0)


def _below(route: Route, registry: Registry) -> frozenset[str]:
    """Everything that a route's handler leads to."""
    below: set[str] = set()
    waiting = [route.handler] if route.handler else []
    while waiting:
        for edge in registry.callees(waiting.pop()):
            if edge.callee not in below:
                below.add(edge.callee)
                waiting.append(edge.callee)
    return frozenset(below)
