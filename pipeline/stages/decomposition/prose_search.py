"""Tickets that name nothing: words find where to look, and the call graph says which routes belong together.

Overlap of words finds one right route well and sets of them badly; so words only seed the search, and the set is made
of the routes that share the function where the work is done.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from pipeline.code_registry.entries import Route, Symbol, SymbolKind
from pipeline.code_registry.registry import HUB, Registry
from pipeline.domain.intent import Intent
from pipeline.domain.words import name_parts, name_stems, prose_stems, stem, stems_of_all
from pipeline.stages.selection.actions import Action, Actions, Sentence
from pipeline.stages.selection.evidence import ticket_stems
from pipeline.stages.selection.ranking import Ranking
from pipeline.stages.selection.vocabulary import Vocabulary, route_vocabulary

_LEAST_WORDS = 2
_COMMON_SHARE = 0.25
"""A word that fits more than this share of the routes is common and proves nothing alone."""

_PLAUSIBLE_SHARE = 0.5
"""Routes whose words weigh less than this part of the best one's are not looked at."""

_MOST_PLAUSIBLE = 12
_MOST_LEAVES = 30
_MOST_BESIDE = 4
_CHECKS = frozenset(
    (word,) for word in "can may must should is has check require ensure assert validate verify".split()
)
_CLAUSE = re.compile(r"[.;:,(]|\b(?:and|with|so|from|for|into|unless|if|when|as)\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*])")

_WISH = re.compile(
    r"\b(?:should|must|may|can|could|would|let|lets|add|accept|take|give|need|want|possible|please|support|introduce|allow"
    r"|there\s+should|with)\b",
    re.IGNORECASE,
)
"""Where the words begin that ask for a new name."""

_ROLES = frozenset(
    stem(word) for word in "service services controller manager repository store handler".split()
)
"""Words that code adds to a name to say what part something plays; people do not say them."""

_SURFACE_NOUNS = prose_stems(
    "flag parameter param field filter boolean option header query response payload argument column property attribute"
)


@dataclass(frozen=True)
class Found:
    """Routes that the ticket may mean, and the words that led there. `leaf` is the function that they share."""

    routes: tuple[Route, ...]
    words: frozenset[str]
    leaf: str | None


def search_by_words(intent: Intent, registry: Registry) -> Found | None:
    """Where the ticket's words lead, or None where they are too few, too common, or lead to several places."""
    if (leaf := leaf_said(intent, registry)) is not None:
        return leaf
    acted = actions_said(intent, registry)
    search = _Search(ticket_stems(intent, within=intent.wish) - _SURFACE_NOUNS, registry)
    plausible = search.plausible()
    if not plausible:
        return acted
    shared = search.sharing(plausible)
    if acted is not None and (shared is None or not set(acted.routes) & set(shared.routes)):
        return acted
    return shared or search.outstanding(plausible) or search.beside()


def actions_said(intent: Intent, registry: Registry) -> Found | None:
    """The routes that do what a sentence of the wish says: that of the new name first, the title last.

    Beside the one that fits best stand those whose verb and resource are said too and that share the function which does
    it: one deed for two kinds of callers.
    """
    actions = Actions(registry)
    title, *sentences = intent.wish.split("\n")
    marked = [one for one in sentences if any(f"`{new.text}`" in one for new in intent.new_names)]
    for text in dict.fromkeys((*marked, *sentences, title)):
        sentence = Sentence(_without_the_new(text, intent))
        best = actions.meant(sentence)
        if not best:
            continue
        beside = [one for one in actions.said(sentence) if any(_same_deed(one, of, registry) for of in best)]
        handlers = {one.route.handler or one.route.id: one for one in (*beside, *best)}
        if len(handlers) <= _MOST_BESIDE:
            words = frozenset[str]().union(*(one.words for one in handlers.values())) & sentence.stems
            return Found(tuple(one.route for one in handlers.values()), words, None)
    return None


def _without_the_new(text: str, intent: Intent) -> str:
    """A sentence without the words that ask for the new name: "let me pass an optional `comment`"."""
    for new in intent.new_names:
        before, mark, after = text.partition(f"`{new.text}`")
        if mark:
            start = max(before.rfind(one) for one in ",:;")
            wish = _WISH.search(before, start + 1)
            text = (before[: wish.start()] if wish else before) + after
    return text


def _same_deed(one: Action, other: Action, registry: Registry) -> bool:
    """Whether two routes lead to a function that is named after what both do."""
    if one.route.handler == other.route.handler:
        return False
    shared = _below(one.route, registry) & _below(other.route, registry)
    deed = (one.verbs | one.resource) & (other.verbs | other.resource)
    return any(
        (symbol := registry.symbol(id_)) is not None
        and name_stems(symbol.name) & deed
        and not registry.is_hub(id_)
        for id_ in sorted(shared)
    )


def leaf_said(intent: Intent, registry: Registry) -> Found | None:
    """A function whose whole name a sentence says in words ("cancelling a booking"), and the routes that reach it.

    Only where several do: people say what is done, not how its routes are called, and one wish can mean all of them.
    """
    sentences = [prose_stems(sentence) for sentence in _SENTENCE.split(intent.prose)]
    found: list[tuple[int, str, Found]] = []
    for symbol in _working(registry):
        words = _said_of(symbol, sentences)
        if not words:
            continue
        routes = tuple(
            {entry.route.handler: entry.route for entry in registry.entry_routes(symbol.id)}.values()
        )
        if 2 <= len(routes) <= HUB:
            found.append((-len(words), symbol.id, Found(routes, words, symbol.id)))
    if not found:
        return None
    most = min(length for length, *_ in found)
    sets = {frozenset(route.id for route in one.routes) for length, _, one in found if length == most}
    return min(found)[2] if len(sets) == 1 else None


def _working(registry: Registry) -> Iterator[Symbol]:
    """The functions that routes lead to and that do something."""
    for id_ in sorted(registry.reached_by_routes):
        symbol = registry.symbol(id_)
        if symbol is None or symbol.is_test or _is_check(symbol):
            continue
        if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD):
            yield symbol


def _is_check(symbol: Symbol) -> bool:
    """Whether a function asks whether something may be done, rather than doing it (`canCreateOrder`)."""
    return name_parts(symbol.name)[:1] in _CHECKS


def _said_of(symbol: Symbol, sentences: Sequence[frozenset[str]]) -> frozenset[str]:
    """The words in which a sentence says a function: its whole name, or of one verb with something that it takes.

    Or what its docs say first ("Finish ends a trip"), up to where they go on.
    """
    name = name_stems(symbol.qualified_name) - _ROLES
    if len(name) == 1:
        takes = stems_of_all(parameter.name for parameter in symbol.parameters)
        name = next(
            (name | (takes & said) for said in sentences if name <= said and takes & said), frozenset()
        )
    docs = prose_stems(_CLAUSE.split(symbol.docstring or "", maxsplit=1)[0]) - name_stems(symbol.name)
    ways = [
        one for one in (name, docs) if len(one) >= _LEAST_WORDS and any(one <= said for said in sentences)
    ]
    return max(ways, key=len, default=frozenset())


class _Search:
    """One search. `weights` tell how much a word says: the fewer routes it fits, the more."""

    def __init__(self, words: frozenset[str], registry: Registry) -> None:
        self._registry = registry
        self._words = words
        self._vocabularies: Mapping[str, Vocabulary] = {
            route.id: route_vocabulary(registry, route) for route in registry.routes
        }
        self._fits = {id_: words & vocabulary.all for id_, vocabulary in self._vocabularies.items()}
        self._spread = Counter(word for fit in self._fits.values() for word in fit)

    def plausible(self) -> tuple[Route, ...]:
        """The routes that enough words fit, best first."""
        routes = [route for route in self._registry.routes if self._says_enough(self._fits[route.id])]
        routes.sort(key=lambda route: (-self._weight(self._fits[route.id]), route.id))
        if not routes:
            return ()
        least = _PLAUSIBLE_SHARE * self._weight(self._fits[routes[0].id])
        return tuple(route for route in routes if self._weight(self._fits[route.id]) >= least)[
            :_MOST_PLAUSIBLE
        ]

    def sharing(self, plausible: Sequence[Route]) -> Found | None:
        """Several of them that share a function which no other route reaches, with words that fit them all."""
        below = {route.id: _below(route, self._registry) for route in plausible}
        spread = Counter(symbol for symbols in below.values() for symbol in symbols)
        found: list[tuple[float, int, str, Found]] = []
        for leaf in sorted(symbol for symbol, count in spread.items() if 2 <= count <= HUB):
            if not self._does_work(leaf):
                continue
            routes = tuple(route for route in plausible if leaf in below[route.id])
            words = frozenset.intersection(*(self._fits[route.id] for route in routes))
            named = words & frozenset[str]().union(*(self._vocabularies[route.id].strong for route in routes))
            if named and self._says_enough(words) and plausible[0] in routes:
                found.append((self._weight(words), len(routes), leaf, Found(routes, words, leaf)))
        found.sort(key=lambda one: (-one[0], -one[1], one[2]))
        whole = [one for *_, one in found[:_MOST_LEAVES] if self._are_all(one)]
        if not whole:
            return None
        best = [one for one in whole if one.routes == whole[0].routes]
        return max(best, key=lambda one: (self._depth(one.leaf), one.leaf or ""))

    def outstanding(self, plausible: Sequence[Route]) -> Found | None:
        """The first one, if by names alone it has every word that any other has, and more."""
        first, others = plausible[0], plausible[1:]
        strong = self._vocabularies[first.id].strong & self._fits[first.id]
        if len(strong) < _LEAST_WORDS or any(strong <= self._fits[other.id] for other in others):
            return None
        if any(not self._fits[other.id] <= self._fits[first.id] for other in others):
            return None
        return Found((first,), self._fits[first.id], None)

    def beside(self) -> Found | None:
        """The best one and those that words fit nearly as well: routes of two applications may share no function.

        What a handler calls speaks for its route too: one wish is often served under two names by one service.
        """
        routes = self._registry.routes
        vocabularies = [self._with_callees(route) for route in routes]
        ranking = Ranking(self._words, vocabularies)
        best = ranking.best()
        if not best or len(best) > _MOST_BESIDE:
            return None
        common = frozenset.intersection(*(ranking.fits[index] for index in best))
        first = ranking.fits[best[0]]
        if len(first) < _LEAST_WORDS or not common or not first & vocabularies[best[0]].strong:
            return None
        return Found(tuple(routes[index] for index in best), first, None)

    def _with_callees(self, route: Route) -> Vocabulary:
        own = self._vocabularies[route.id]
        called = (self._registry.symbol(edge.callee) for edge in self._registry.callees(route.handler or ""))
        names = stems_of_all(symbol.qualified_name for symbol in called if symbol is not None)
        return Vocabulary(own.strong, (own.weak | names) - own.strong)

    def _says_enough(self, words: frozenset[str]) -> bool:
        common = max(2.0, _COMMON_SHARE * len(self._vocabularies))
        return len(words) >= _LEAST_WORDS and any(self._spread[word] <= common for word in words)

    def _weight(self, words: frozenset[str]) -> float:
        return round(sum(log(1 + len(self._vocabularies) / self._spread[word]) for word in words), 6)

    def _are_all(self, found: Found) -> bool:
        """Whether no other route leads to the shared function."""
        handlers = {route.handler for route in found.routes}
        return {entry.route.handler for entry in self._registry.entry_routes(found.leaf or "")} == handlers

    def _does_work(self, symbol_id: str) -> bool:
        symbol = self._registry.symbol(symbol_id)
        return symbol is not None and symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)

    def _depth(self, leaf: str | None) -> int:
        return max((len(entry.chain) for entry in self._registry.entry_routes(leaf or "")), default=0)


def _below(route: Route, registry: Registry) -> frozenset[str]:
    """Everything that a route's handler leads to."""
    seen: set[str] = set()
    waiting = [route.handler] if route.handler else []
    while waiting:
        for edge in registry.callees(waiting.pop()):
            if edge.callee not in seen:
                seen.add(edge.callee)
                waiting.append(edge.callee)
    return frozenset(seen)
