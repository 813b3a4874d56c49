"""Find routes that share a function by everything that is written along their calls.

An issue in other words than those of the code seldom has two words of one route. But a route leads to functions, and their
names, docs and bodies say more than its own. So each set of two to four routes that alone lead to one function is weighed by
the words of that function and of all its routes, and stands out if it is clearly ahead of the other sets and no route
outside of it fits much better.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from pipeline.code_registry.entries import Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.words import name_stems, prose_stems, stems_of_all
from pipeline.stages.decomposition.candidates import handlers_apart
from pipeline.stages.selection.language_weights import EVERYWHERE, REQUEST_WORDS
from pipeline.stages.selection.terms import Terms
from pipeline.stages.selection.vocabulary import route_vocabulary

# How a set is weighed, by an example. `POST /desk/returns` and `POST /kiosk/returns` call `take_back`, in whose body stand
# `copy`, `late_fee` and `damaged`; `POST /desk/payments` calls `settle`, whose docs speak of a late fee.
#
#   issue            "When a copy comes back, let whoever takes it say that it is damaged, so that no late fee is due"
#   `take_back`      copy, damag, late, fee from its body, 0.4 each; "back" is a stop word
#   least route      the same four, one call away: 0.4 x 0.8 each; the route that a word fits least counts for both
#   the set          half the sum of both, each word times its rarity: "damag" fits two of many routes and weighs much
#   other route      `POST /desk/payments` has late and fee from docs one call away: less than twice as much, so it
#                    does not stand in the way, and the question is between the two routes

_BY_DEPTH = (1.0, 0.8, 0.5, 0.3)
"""What a word weighs by the number of calls that lead to where it stands; farther calls are not read."""

_NAME, _DOCS, _FIELDS, _BODY = 1.0, 1.0, 0.6, 0.4
"""What a word weighs by where it stands; `_FIELDS` are those that a request takes."""

_LEAST = 0.3
"""What the words of a set must weigh at least: one word that nearly all routes have is less."""

_AHEAD = 1.2
"""How many times as much as the next set the first one must weigh."""

_BEHIND = 0.5
"""What part of the best other route's words those of each route must weigh: words of one route stand in its docs, too."""

_SEEDS = 12
"""How many of the best routes are looked below for shared functions."""

_MOST_ROUTES = 4
_READING = frozenset({"GET", "HEAD"})
_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_IDENTIFIER = re.compile(r"[^\W\d]\w*")

Strengths = Mapping[str, float]
"""What each stem weighs for something."""


@dataclass(frozen=True)
class SharedWork:
    """Routes that the issue may mean, the function to which they alone lead, and the words that fit all of them."""

    routes: tuple[Route, ...]
    leaf: str
    words: frozenset[str]


def search_shared_work(terms: Terms, registry: Registry) -> SharedWork | None:
    """The two to four routes that the words fit best, if they alone lead to one function and all of them read, or none."""
    return _Search(terms, registry).best()


@dataclass(frozen=True)
class _Shared:
    """Routes, by their handlers, the function that they alone lead to, and what the words of the issue weigh for both."""

    weight: float
    leaf: str
    handlers: frozenset[str]


@dataclass(frozen=True)
class _Search:
    terms: Terms
    registry: Registry
    _of_symbols: dict[str, Strengths] = field(default_factory=dict)

    def best(self) -> SharedWork | None:
        """The first set, if it is ahead of the others and of the routes outside of it."""
        weights = {id_: self._weight(strengths) for id_, strengths in self._of_handlers.items()}
        sets = self._sets(sorted(weights, key=lambda id_: (-weights[id_], id_))[:_SEEDS])
        if not sets:
            return None
        first = sets[0]
        next_weight = max((other.weight for other in sets if other.handlers != first.handlers), default=0.0)
        best_other = max(
            (weight for id_, weight in weights.items() if id_ not in first.handlers), default=0.0
        )
        if first.weight < max(_LEAST, _AHEAD * next_weight):
            return None
        if min(weights[id_] for id_ in first.handlers) < _BEHIND * best_other:
            return None
        routes = tuple(
            route for route in handlers_apart(self.registry.routes) if route.handler in first.handlers
        )
        if len({route.method in _READING for route in routes}) > 1:
            return None
        common = _least([self._of_handlers[id_] for id_ in first.handlers])
        return SharedWork(routes, first.leaf, frozenset(self._rarity.keys() & common.keys()))

    def _sets(self, handlers: Sequence[str]) -> list[_Shared]:
        """The functions below some handlers to which two to four routes lead, the heaviest first."""
        below = {id_ for handler in handlers for layer in self._layers(handler)[1:] for id_ in layer}
        sets = []
        for symbol in (self.registry.symbol(id_) for id_ in sorted(below)):
            if symbol is None or symbol.kind not in _FUNCTIONS or symbol.name.startswith("<"):
                continue
            entries = self.registry.entry_routes(symbol.id)
            ids = frozenset(entry.route.handler for entry in entries if entry.route.handler)
            if 2 <= len(ids) <= _MOST_ROUTES and all(len(entry.chain) > 1 for entry in entries):
                least = self._weight(_least([self._of_handlers[id_] for id_ in ids]))
                weight = (self._weight(self._along_calls(symbol.id)) + least) / 2
                sets.append(_Shared(round(weight, 6), symbol.id, ids))
        return sorted(sets, key=lambda shared: (-shared.weight, shared.leaf))

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
        for by_depth, ids in zip(_BY_DEPTH, self._layers(symbol_id), strict=True):
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
        _add(strengths, stems_of_all(_IDENTIFIER.findall(self.registry.source_of(symbol))), _BODY)
        return {word: strength for word, strength in strengths.items() if word in self.terms.stems}

    def _layers(self, symbol_id: str) -> list[list[str]]:
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
        for word in sorted(self.terms.stems - REQUEST_WORDS.keys() - EVERYWHERE):
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
