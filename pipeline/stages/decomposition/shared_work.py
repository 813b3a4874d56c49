"""Find routes that share a function by everything that is written along their calls.

An issue in other words than those of the code seldom has two words of one route. But a route leads to functions, and their
names, docs and bodies say more than its own. So each set of two to four routes that alone lead to one function is weighed by
the words of that function and of all its routes. Four numbers then say whether to ask: whether the wish changes a request,
how far the set is ahead of the next one, how far behind a route outside, and how far apart the files of its routes are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from pipeline.code_registry.entries import Route, Symbol, SymbolKind
from pipeline.code_registry.registry import HUB, Registry
from pipeline.domain.places import Ranking
from pipeline.domain.words import name_stems, prose_stems, stems_of_all
from pipeline.stages.decomposition.candidates import handlers_apart
from pipeline.stages.selection.language_weights import EVERYWHERE, REQUEST_WORDS
from pipeline.stages.selection.request_change import RequestChange
from pipeline.stages.selection.terms import Terms
from pipeline.stages.selection.vocabulary import body_stems, route_vocabulary, symbol_vocabulary

_BY_DEPTH = (1.0, 0.8, 0.5, 0.3)
"""What a word weighs by the number of calls that lead to where it stands; farther calls are not read."""

_NAME, _DOCS, _FIELDS, _BODY = 1.0, 1.0, 0.6, 0.4
"""What a word weighs by where it stands; `_FIELDS` are those that a request takes."""

_SMOOTHING, _SMOOTHING_OF_FILES = 0.1, 0.02
"""The number added to weights and probabilities in a ratio, so that two small ones are near each other."""

_SEEDS = 12
"""How many of the best routes are looked below for shared functions."""

_MOST_ROUTES = 4
_BY_WORDS, _BESIDE = 24, 16
"""Routes that stand first by their own words, and behind them those that share a function with them."""

LEAST_CHANGE = -0.75
"""The log odds of a change of the request, below which no set of routes is asked about."""

_READING = frozenset({"GET", "HEAD"})
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


@dataclass(frozen=True)
class Measure:
    """A number with the range in which it counts, and what it weighs."""

    weight: float
    minimum: float
    maximum: float

    def log_odds(self, value: float) -> float:
        """What the number adds."""
        return self.weight * min(max(value, self.minimum), self.maximum)


ROUTES_BIAS = -0.2
ROUTES_REQUEST = Measure(1.05, -3.0, 2.0)
"""The log odds that the wish changes a request."""

ROUTES_AHEAD = Measure(3.6, 0.0, 0.5)
"""The logarithm of how many times as much the words weigh for these routes as for the next ones that share a function."""

ROUTES_BEHIND = Measure(2.45, -1.2, 0.0)
"""The same of the one among them that the words fit least, against the best route outside. Nothing below is asked about."""

ROUTES_APART = Measure(-1.15, 0.0, 3.0)
"""The logarithm of how many times as probable the file of one of them is as that of another: the issue is about one."""


Strengths = Mapping[str, float]
"""What each stem weighs for something."""


@dataclass(frozen=True)
class SharedWork:
    """Routes that the issue may mean, the function to which they alone lead, and the words that fit all of them.

    `ahead` and `behind` are logarithms of how many times as much the words weigh for the set as for the next one, and for
    the route of it that they fit least as for the best route outside. `naming` are the words of the issue that name the set
    and nothing else: a part of a name that all of its routes have, or of a function that they alone reach.
    """

    routes: tuple[Route, ...]
    leaf: str
    words: frozenset[str]
    naming: frozenset[str]
    ahead: float
    behind: float

    def is_worth_a_question(self, change: RequestChange, ranking: Ranking) -> bool:
        """Whether the wish is probably for a request, and for any of these routes."""
        files = {file.path: file.probability for file in ranking.files}
        of_routes = [files.get(route.place.path, 0.0) for route in self.routes]
        is_mixed = len({route.method in _READING for route in self.routes}) > 1
        log_odds = (
            ROUTES_BIAS
            + ROUTES_REQUEST.log_odds(change.log_odds)
            + ROUTES_AHEAD.log_odds(self.ahead)
            + ROUTES_BEHIND.log_odds(self.behind)
            + ROUTES_APART.log_odds(_log_ratio(max(of_routes), min(of_routes), _SMOOTHING_OF_FILES))
        )
        return (
            bool(self.naming)
            and not is_mixed
            and change.log_odds >= LEAST_CHANGE
            and self.behind > ROUTES_BEHIND.minimum
            and round(log_odds, 6) >= 0
        )


def search_shared_work(terms: Terms, registry: Registry) -> SharedWork | None:
    """The two to four routes that the words fit best of all that alone lead to one function."""
    return RouteSearch(terms, registry).best()


@dataclass(frozen=True)
class _RouteSet:
    """Routes, by their handlers, the function that they alone lead to, and what the words of the issue weigh for both."""

    weight: float
    leaf: str
    handlers: frozenset[str]


@dataclass(frozen=True)
class RouteSearch:
    """The routes of a program, and the words of an issue along their calls; what it finds out it keeps."""

    terms: Terms
    registry: Registry
    _of_symbols: dict[str, Strengths] = field(default_factory=dict)

    def best(self) -> SharedWork | None:
        """The first set, with what parts it from the next one and from the routes outside of it."""
        weights = self._weights
        sets = self._sets(sorted(weights, key=lambda id_: (-weights[id_], id_))[:_SEEDS])
        if not sets or not sets[0].weight:
            return None
        first = sets[0]
        next_weight = max((rival.weight for rival in sets if rival.handlers != first.handlers), default=0.0)
        outside = max((weight for id_, weight in weights.items() if id_ not in first.handlers), default=0.0)
        common = _least([self._of_handlers[id_] for id_ in first.handlers])
        return SharedWork(
            routes=tuple(
                route for route in handlers_apart(self.registry.routes) if route.handler in first.handlers
            ),
            leaf=max(
                (route_set.leaf for route_set in sets if route_set.handlers == first.handlers),
                key=lambda id_: (self._depth(id_), id_),
            ),
            words=frozenset(self._rarity.keys() & common.keys()),
            naming=self._naming(
                first.handlers, [route_set.leaf for route_set in sets if route_set.handlers == first.handlers]
            ),
            ahead=_log_ratio(first.weight, next_weight, _SMOOTHING),
            behind=_log_ratio(min(weights[id_] for id_ in first.handlers), outside, _SMOOTHING),
        )

    def _naming(self, handlers: frozenset[str], shared_functions: Sequence[str]) -> frozenset[str]:
        """The words of the issue that are in a name of all of these routes, or of what they share, and in no other route's."""
        names = {
            handler: route_vocabulary(self.registry, route).strong
            for route in self.registry.routes
            if (handler := route.handler)
        }
        common_words = frozenset.intersection(*(names[handler] for handler in handlers))
        for symbol in filter(None, map(self.registry.symbol, shared_functions)):
            common_words |= symbol_vocabulary(symbol).strong
        foreign_words = frozenset[str]().union(
            *(words for handler, words in names.items() if handler not in handlers)
        )
        return (common_words & self._rarity.keys()) - foreign_words

    def deepest_function(self, handlers: frozenset[str]) -> str | None:
        """The function farthest below handlers that they alone lead to: that is where the work is done."""
        leaves = [
            route_set.leaf for route_set in self._sets(sorted(handlers)) if route_set.handlers == handlers
        ]
        return max(leaves, key=lambda id_: (self._depth(id_), id_), default=None)

    def ranked_routes(self) -> tuple[Route, ...]:
        """One route for each handler: those that the words fit best, those that share a function with them, the rest."""
        routes = {route.handler: route for route in handlers_apart(self.registry.routes) if route.handler}
        by_words = sorted(routes, key=lambda handler: (-self._weights[handler], routes[handler].id))
        first = by_words[:_BY_WORDS]
        beside = [handler for route_set in self._sets(first) for handler in sorted(route_set.handlers)]
        further = [handler for handler in dict.fromkeys(beside) if handler not in first]
        return tuple(routes[handler] for handler in dict.fromkeys([*first, *further[:_BESIDE], *by_words]))

    def shared_function(self, handlers: Sequence[str]) -> Symbol | None:
        """The function, below all of these handlers and few others, that the words fit best; of equal ones the deepest."""
        below = ({id_ for layer in self.layers(handler)[1:] for id_ in layer} for handler in handlers)
        common_ids = frozenset.intersection(*map(frozenset, below))
        functions = [symbol for id_ in common_ids if (symbol := self._function(id_)) is not None]
        fitting = [symbol for symbol in functions if not self.is_common(symbol.id)]

        def fit(symbol: Symbol) -> tuple[float, int, str]:
            return self._weight(self._along_calls(symbol.id)), self._depth(symbol.id), symbol.id

        return max(fitting, key=fit, default=None)

    def is_common(self, symbol_id: str) -> bool:
        """Whether so many routes lead to a symbol that it says nothing of what they have in common."""
        return len(self.registry.entry_routes(symbol_id)) > HUB

    def _depth(self, leaf: str) -> int:
        """How many calls lead to a function at most: the deepest one is where the work is done."""
        return max(len(entry.chain) for entry in self.registry.entry_routes(leaf))

    def _sets(self, handlers: Sequence[str]) -> list[_RouteSet]:
        """The functions below some handlers to which two to four routes lead, the heaviest first."""
        below = {id_ for handler in handlers for layer in self.layers(handler)[1:] for id_ in layer}
        sets = []
        for symbol in filter(None, map(self._function, sorted(below))):
            entries = self.registry.entry_routes(symbol.id)
            ids = frozenset(entry.route.handler for entry in entries if entry.route.handler)
            if 2 <= len(ids) <= _MOST_ROUTES and all(len(entry.chain) > 1 for entry in entries):
                least = self._weight(_least([self._of_handlers[id_] for id_ in ids]))
                weight = (self._weight(self._along_calls(symbol.id)) + least) / 2
                sets.append(_RouteSet(round(weight, 6), symbol.id, ids))
        return sorted(sets, key=lambda route_set: (-route_set.weight, route_set.leaf))

    def _function(self, id_: str) -> Symbol | None:
        """The function with a name that has this id."""
        symbol = self.registry.symbol(id_)
        return (
            None if symbol is None or symbol.kind not in _FUNCTIONS or symbol.name.startswith("<") else symbol
        )

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        """What the words weigh for each route, by its handler."""
        return {id_: self._weight(strengths) for id_, strengths in self._of_handlers.items()}

    @cached_property
    def _of_handlers(self) -> Mapping[str, Strengths]:
        """The words of routes, by handler: of its calls, its paths and methods, and the fields that it takes."""
        strengths: dict[str, dict[str, float]] = {}
        for route in self.registry.routes:
            if route.handler:
                self._add_route(strengths.setdefault(route.handler, self._along_calls(route.handler)), route)
        return strengths

    def _add_route(self, strengths: dict[str, float], route: Route) -> None:
        _add(strengths, route_vocabulary(self.registry, route).strong, _NAME)
        _add(strengths, stems_of_all(field_.name for field_ in self.registry.fields_of(route.id)), _FIELDS)

    def _along_calls(self, symbol_id: str) -> dict[str, float]:
        """The words of a symbol and of what it leads to."""
        strengths: dict[str, float] = {}
        for by_depth, ids in zip(_BY_DEPTH, self.layers(symbol_id), strict=True):
            for id_ in ids:
                for word, strength in self._of_symbol(id_).items():
                    strengths[word] = max(strengths.get(word, 0.0), by_depth * strength)
        return strengths

    def _of_symbol(self, id_: str) -> Strengths:
        strengths = self._of_symbols.get(id_)
        if strengths is None:
            symbol = self.registry.symbol(id_)
            strengths = self._of_symbols[id_] = {} if symbol is None else self._words_of(symbol)
        return strengths

    def _words_of(self, symbol: Symbol) -> Strengths:
        strengths: dict[str, float] = {}
        if not symbol.name.startswith("<"):
            _add(strengths, name_stems(symbol.qualified_name), _NAME)
        _add(strengths, prose_stems(symbol.docstring or ""), _DOCS)
        _add(strengths, body_stems(self.registry, symbol), _BODY)
        return {word: strength for word, strength in strengths.items() if word in self.terms.stems}

    def layers(self, symbol_id: str) -> list[list[str]]:
        """The symbols that calls lead to, by the number of calls."""
        layers, reached_ids = [[symbol_id]], {symbol_id}
        for _ in _BY_DEPTH[1:]:
            callees = (edge.callee for id_ in layers[-1] for edge in self.registry.callees(id_))
            layers.append([id_ for id_ in dict.fromkeys(callees) if id_ not in reached_ids])
            reached_ids.update(layers[-1])
        return layers

    @cached_property
    def _rarity(self) -> Mapping[str, float]:
        """What each word of the issue weighs: the less, the more the routes have of it."""
        count = len(self._of_handlers)
        rarity = {}
        for word in sorted(self.terms.stems - REQUEST_WORDS - EVERYWHERE):
            spread = sum(strengths.get(word, 0.0) for strengths in self._of_handlers.values())
            rarity[word] = max(0.0, log((count + 1) / (spread + 0.7))) * self.terms.weights[word]
        return rarity

    def _weight(self, strengths: Strengths) -> float:
        """What the words of the issue weigh for something."""
        fits = (weight * strengths.get(word, 0.0) for word, weight in self._rarity.items())
        return round(sum(fits), 6)


def _least(several: Sequence[Strengths]) -> Strengths:
    """The words that fit all of several things, each by the one that it fits least."""
    common = frozenset.intersection(*(frozenset(strengths) for strengths in several))
    return {word: min(strengths[word] for strengths in several) for word in sorted(common)}


def _add(strengths: dict[str, float], stems: frozenset[str], strength: float) -> None:
    for stem in stems:
        strengths[stem] = max(strengths.get(stem, 0.0), strength)


def _log_ratio(weight: float, baseline: float, smoothing: float) -> float:
    return log((weight + smoothing) / (baseline + smoothing))
