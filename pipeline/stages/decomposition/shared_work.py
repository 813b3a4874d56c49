"""Find routes that share a function by everything that is written along their calls.

An issue in other words than those of the code seldom has two words of one route. But a route leads to functions, and their
names and docs say more than its own. So each route is weighed by the words along all its calls, and a set stands out if
its routes alone lead to one function and no other route fits clearly better. Example: "when a stay is reserved, take the
hour of arrival" shares "reserved", "stay" and "arrival" with the docs of `reserve`, which two routes call.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from pipeline.code_registry.entries import Route, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.words import name_stems, prose_stems
from pipeline.stages.decomposition.candidates import handlers_apart
from pipeline.stages.decomposition.route_search import RouteMatch
from pipeline.stages.selection.language_weights import EVERYWHERE, REQUEST_WORDS
from pipeline.stages.selection.terms import Terms
from pipeline.stages.selection.vocabulary import route_vocabulary

_BY_DEPTH = (0.8, 0.5, 0.3)
"""What a word weighs by the number of calls that lead to where it stands; farther calls are not read."""

_DOCS, _FIELDS = 0.6, 0.6
"""What a word of docs, or of a field that the request takes, weighs against one of a name."""

_LEAST = 1.0
"""What the words that fit all routes of a set must weigh: more than one word of docs that half of the routes have."""

_BEHIND = 0.6
"""What part of the best other route's words those of a set must weigh: one rare word by accident outweighs two good ones."""

_SEEDS = 6
"""How many of the best routes are looked below for shared functions."""

_MOST_ROUTES = 4
_READING = frozenset({"GET", "HEAD"})
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})

Strengths = dict[str, float]
"""What each stem weighs for a route."""


def search_shared_work(terms: Terms, registry: Registry) -> RouteMatch | None:
    """The two to four routes that the words fit best, if they alone lead to one function."""
    return _Search(terms, registry).best()


@dataclass(frozen=True)
class _Search:
    terms: Terms
    registry: Registry

    def best(self) -> RouteMatch | None:
        """The set that the words fit best; of equal ones the first by the id of its function."""
        scores = {id_: self._score([id_]) for id_ in self._strengths}
        matches = []
        for leaf_id, handlers in self._sets(
            sorted(scores, key=lambda id_: (-scores[id_], id_))[:_SEEDS]
        ).items():
            best_other = max((score for id_, score in scores.items() if id_ not in handlers), default=0.0)
            score = self._score(handlers)
            if score >= _LEAST and min(scores[id_] for id_ in handlers) >= _BEHIND * best_other:
                matches.append((-score, leaf_id, handlers))
        if not matches:
            return None
        _, leaf_id, handlers = min(matches)
        routes = tuple(route for route in handlers_apart(self.registry.routes) if route.handler in handlers)
        words = frozenset(word for word in self._rarity if self._strength(word, handlers))
        return RouteMatch(routes, words, leaf_id)

    def _sets(self, handlers: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The functions below some handlers to which two to four routes lead, all of them reading or none; with these."""
        below = {id_ for handler in handlers for layer in self._layers(handler)[1:] for id_ in layer}
        sets = {}
        for symbol in (self.registry.symbol(id_) for id_ in sorted(below)):
            if symbol is None or symbol.kind not in _FUNCTIONS or symbol.name.startswith("<"):
                continue
            entries = self.registry.entry_routes(symbol.id)
            ids = {entry.route.handler for entry in entries if entry.route.handler}
            is_below = all(len(entry.chain) > 1 for entry in entries)
            reads = {entry.route.method in _READING for entry in entries}
            if is_below and 2 <= len(ids) <= _MOST_ROUTES and len(reads) == 1:
                sets[symbol.id] = tuple(sorted(ids))
        return sets

    @cached_property
    def _strengths(self) -> Mapping[str, Strengths]:
        """By handler."""
        strengths: dict[str, Strengths] = {}
        for route in self.registry.routes:
            if route.handler:
                self._add_route(strengths.setdefault(route.handler, {}), route, route.handler)
        return strengths

    def _add_route(self, strengths: Strengths, route: Route, handler: str) -> None:
        vocabulary = route_vocabulary(self.registry, route)
        _add(strengths, vocabulary.strong, 1.0)
        _add(strengths, vocabulary.weak, _DOCS)
        for field in self.registry.fields_of(route.id):
            _add(strengths, name_stems(field.name), _FIELDS)
        for weight, ids in zip(_BY_DEPTH, self._layers(handler)[1:], strict=True):
            for symbol in (self.registry.symbol(id_) for id_ in ids):
                if symbol is not None and not symbol.name.startswith("<"):
                    _add(strengths, name_stems(symbol.qualified_name), weight)
                    _add(strengths, prose_stems(symbol.docstring or ""), _DOCS * weight)

    def _layers(self, handler: str) -> list[list[str]]:
        """The symbols that calls lead to, by the number of calls."""
        layers, reached_ids = [[handler]], {handler}
        for _ in _BY_DEPTH:
            callees = (edge.callee for id_ in layers[-1] for edge in self.registry.callees(id_))
            layers.append([id_ for id_ in dict.fromkeys(callees) if id_ not in reached_ids])
            reached_ids.update(layers[-1])
        return layers

    @cached_property
    def _rarity(self) -> Mapping[str, float]:
        """What each word of the issue weighs: the less, the more the routes have of it."""
        count = len(self._strengths)
        rarity = {}
        for word in sorted(self.terms.stems - REQUEST_WORDS.keys() - EVERYWHERE):
            spread = sum(strengths.get(word, 0.0) for strengths in self._strengths.values())
            if spread:
                rarity[word] = max(0.0, log((count + 1) / (spread + 0.7))) * self.terms.weights[word]
        return rarity

    def _strength(self, word: str, handlers: Sequence[str]) -> float:
        """What a word weighs for the one of some routes that it fits least."""
        return min(self._strengths[id_].get(word, 0.0) for id_ in handlers)

    def _score(self, handlers: Sequence[str]) -> float:
        """What the words weigh that fit all of some routes."""
        fits = (weight * self._strength(word, handlers) for word, weight in self._rarity.items())
        return round(sum(fits), 6)


def _add(strengths: Strengths, stems: frozenset[str], strength: float) -> None:
    for stem in stems:
        strengths[stem] = max(strengths.get(stem, 0.0), strength)
