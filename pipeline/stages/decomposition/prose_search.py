"""Tickets that name nothing: find the routes that the ticket's words fit best, and the code that those routes share."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from pipeline.code_registry.entries import Route
from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Intent
from pipeline.domain.words import prose_stems
from pipeline.stages.selection.evidence import route_vocabulary, ticket_stems

_LEAST_WORDS = 2
_COMMON_SHARE = 0.25
"""A word that fits more than this share of the routes is common and proves nothing alone."""

_FEW_ROUTES = 8
_SURFACE_NOUNS = prose_stems(
    "flag parameter param field filter boolean option header query response payload argument column property attribute"
)


@dataclass(frozen=True)
class Found:
    """Routes that the same words of the ticket fit, and fit best; the function that all of them share, if any."""

    routes: tuple[Route, ...]
    words: frozenset[str]
    leaf: str | None


def search_by_words(intent: Intent, registry: Registry) -> Found | None:
    """The best-fitting routes of one application, or None where the words are too few or too common."""
    words = ticket_stems(intent, within=intent.wish) - _SURFACE_NOUNS
    routes = registry.routes
    fits = {route.id: words & route_vocabulary(registry, route).all for route in routes}
    spread = Counter(word for fit in fits.values() for word in fit)
    score = {
        route.id: round(sum(log(1 + len(routes) / spread[word]) for word in fits[route.id]), 6)
        for route in routes
    }
    best = max(score.values(), default=0.0)
    top = [route for route in routes if score[route.id] == best and best > 0]
    if not top or len({fits[route.id] for route in top}) > 1:
        return None
    shared = fits[top[0].id]
    common = max(2.0, _COMMON_SHARE * len(routes))
    if len(shared) < _LEAST_WORDS or all(spread[word] > common for word in shared) or len(top) > _FEW_ROUTES:
        return None
    return Found(tuple(top), shared, _shared_leaf(top, registry) if len(top) > 1 else None)


def _shared_leaf(routes: Sequence[Route], registry: Registry) -> str | None:
    """The function below all these routes and below no other: where the work is done."""
    handlers = [route.handler for route in routes if route.handler]
    if len(handlers) < len(routes):
        return None
    below = frozenset.intersection(*(_below(handler, registry) for handler in handlers))
    wanted = set(handlers)
    exact = [
        symbol
        for symbol in below
        if {entry.route.handler for entry in registry.entry_routes(symbol)} == wanted
    ]
    depth = {symbol: _depth(symbol, registry) for symbol in exact}
    return max(exact, key=lambda symbol: (depth[symbol], symbol), default=None)


def _below(handler: str, registry: Registry) -> frozenset[str]:
    seen: set[str] = set()
    waiting = [handler]
    while waiting:
        for edge in registry.callees(waiting.pop()):
            if edge.callee not in seen:
                seen.add(edge.callee)
                waiting.append(edge.callee)
    return frozenset(seen)


def _depth(symbol: str, registry: Registry) -> int:
    return max((len(entry.chain) for entry in registry.entry_routes(symbol)), default=0)
