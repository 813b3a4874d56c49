"""Look for what the ticket wants to add, point by point. Pure.

It counts only what is where the ticket wants it: a parameter of that name on another route, or a route that does the
like for somebody else, is a near miss and never counts. Bug reports are not looked at.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import Field, FieldKind, Place, Route, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Intent, MentionKind, Operation
from pipeline.domain.words import name_parts, same_name, stem
from pipeline.stages.existing.said_in_words import action_asked, input_said, route_said
from pipeline.stages.existing.wish_phrases import method_fits, names_all_segments
from pipeline.stages.selection.anchors import Anchor, find_anchors, routes_named

_REQUEST = (FieldKind.BODY, FieldKind.QUERY, FieldKind.HEADER, FieldKind.PATH)
_ASKED = re.compile(
    r"\b(?:add|create|implement|introduce|expose|provide|offer|need|want|have|missing)\s+(?:an?\s+|the\s+|new\s+|(?:api\s+)?"
    r"(?:route|endpoint|call)\s+)*[`*]*$",
    re.IGNORECASE,
)
"""Words that ask for what follows them to exist."""

_NEGATIONS = frozenset({"no", "skip", "without", "disable", "dont", "not", "suppress", "exclude", "omit"})


@dataclass(frozen=True)
class Point:
    """One thing asked for, and what was found for it; `id`, `label` and `place` are None where nothing was."""

    asked: str
    id: str | None = None
    label: str | None = None
    place: Place | None = None
    test: Place | None = None
    body_field_count: int | None = None

    @property
    def found(self) -> bool:
        """Whether it is there."""
        return self.id is not None


def examine(intent: Intent, registry: Registry) -> tuple[Point, ...]:
    """The points that the ticket asks for, found or not. Empty where nothing can be said."""
    if intent.operation is not Operation.ADD:
        return ()
    if intent.new_names:
        return tuple(_new_names(intent, registry))
    return (
        tuple(_new_route(intent, registry))
        or tuple(_said_by_a_parameter(intent, registry))
        or tuple(_said(intent, registry))
    )


def _said(intent: Intent, registry: Registry) -> Iterator[Point]:
    """An input or a route that the wish describes in words.

    Not where the ticket names a route: then it says itself what is there. Nor where it wants another value.
    """
    names_route = any(
        routes_named(mention, registry) for mention in intent.mentions if mention.kind is MentionKind.ROUTE
    )
    if intent.value_quote is not None or names_route:
        return
    found = input_said(intent, registry)
    if found is None and not intent.changes_surface and not _names_function(intent, registry):
        found = route_said(intent, registry) or action_asked(intent, registry)
    if found is not None:
        test = _test_of(found.symbol, registry) if found.symbol else None
        count = found.route.body_field_count if found.route else None
        yield Point(intent.wish.partition("\n")[0], found.id, found.label, found.place, test, count)


def _names_function(intent: Intent, registry: Registry) -> bool:
    """Whether the ticket names something that works: then it wants that to work in another way."""
    return any(
        anchor.symbols for anchor in find_anchors(intent, registry) if anchor.mention.kind is MentionKind.NAME
    )


def _new_names(intent: Intent, registry: Registry) -> Iterator[Point]:
    """Each new name, where the ticket wants it: on the routes, models or functions that it names."""
    anchors = find_anchors(intent, registry)
    for new in intent.new_names:
        found = [list(_holding(anchor, new.text, registry)) for anchor in anchors if not anchor.fits_nothing]
        whole = [place for places in found for place in places]
        if found and all(places and all(point.found for point in places) for places in found):
            yield from whole[:1] if len(whole) == 1 else whole
        elif whole:
            yield from (point for point in whole)
        else:
            yield Point(asked=new.text)


def _holding(anchor: Anchor, name: str, registry: Registry) -> Iterator[Point]:
    """What an anchor has of a new name: a point for each route, model or function that it may mean."""
    if anchor.routes:
        for route in anchor.routes:
            yield _in_fields(name, route.label, _fields_of_route(route, registry), registry, route)
    elif anchor.fields:
        for field in anchor.fields:
            owner = registry.symbol(field.owner)
            label = owner.name if owner else field.owner
            yield _in_fields(name, label, registry.fields_of(field.owner), registry, None)
    else:
        for symbol in anchor.symbols:
            yield _in_symbol(name, symbol, registry)


def _in_symbol(name: str, symbol: Symbol, registry: Registry) -> Point:
    held = _in_fields(name, symbol.name, registry.fields_of(symbol.id), registry, None)
    if held.found:
        return held
    if any(same_name(parameter.name, name) for parameter in symbol.parameters) and not registry.entry_routes(
        symbol.id
    ):
        label = f"{symbol.qualified_name}({name})"
        return Point(name, f"{symbol.id}({name})", label, symbol.place, _test_of(symbol.id, registry))
    return Point(asked=f"{name} on {symbol.name}")


def _in_fields(
    name: str, where: str, fields: Sequence[Field], registry: Registry, route: Route | None
) -> Point:
    for field in fields:
        if same_name(field.name, name):
            return _found_field(field, where, registry, route, asked=f"{name} on {where}")
    return Point(asked=f"{name} on {where}")


def _found_field(field: Field, where: str, registry: Registry, route: Route | None, *, asked: str) -> Point:
    reached = route.handler if route else field.owner
    return Point(
        asked=asked,
        id=field.id,
        label=f"{field.kind.value} field {field.name} of {where}",
        place=field.place,
        test=_test_of(reached, registry) if reached else None,
        body_field_count=route.body_field_count if route else None,
    )


def _new_route(intent: Intent, registry: Registry) -> Iterator[Point]:
    """A route that the ticket wants to add by method and path, and that is there exactly so."""
    for mention in intent.mentions:
        if (
            mention.kind is not MentionKind.ROUTE
            or intent.changes_surface
            or not _asked_to_be(mention.quote, intent.prose)
        ):
            continue
        routes = routes_named(mention, registry)
        if len(routes) == 1:
            yield _found_route(routes[0], mention.quote, registry)
        elif not routes:
            yield Point(asked=mention.quote)


def _asked_to_be(quote: str, prose: str) -> bool:
    """Whether the words before a route ask for it itself; "`POST /x` should accept" and "with `PATCH /x`" do not."""
    return any(
        _ASKED.search(prose[max(0, match.start() - 40) : match.start()])
        for match in re.finditer(re.escape(quote), prose)
    )


def _found_route(route: Route, asked: str, registry: Registry) -> Point:
    test = _test_of(route.handler, registry) if route.handler else None
    return Point(asked, route.id, route.label, route.place, test, route.body_field_count)


def _said_by_a_parameter(intent: Intent, registry: Registry) -> Iterator[Point]:
    """A request field whose whole name the wish says in words, on a route that the wish describes.

    "create a user without … sending its own invitation" says `no_invite` on `POST /users`. A name of one word says too
    little, and so does one whose route the wish does not describe by method and by every fixed segment.
    """
    words = [stem(part) for part in name_parts(intent.wish)]
    for route in registry.routes:
        if (
            route.is_test
            or not method_fits(route.method, intent)
            or not names_all_segments(route.path, words)
        ):
            continue
        for field in _fields_of_route(route, registry):
            if field.kind in _REQUEST and _says_name(field.name, name_parts(intent.wish)):
                yield _found_field(field, route.label, registry, route, asked=intent.wish.partition("\n")[0])
                return


def _says_name(name: str, wish: Sequence[str]) -> bool:
    """Whether the wish says every part of a name of several parts; a negation by any word that negates."""
    parts = name_parts(name)
    said = {stem(word) for word in wish}
    negated = bool(_NEGATIONS & set(wish))
    telling = [part for part in parts if part not in _NEGATIONS]
    if len(parts) < 2 or len(telling) == len(parts) or not telling:
        return False
    return negated and all(stem(part) in said for part in telling)


def _fields_of_route(route: Route, registry: Registry) -> Sequence[Field]:
    return registry.fields_of(route.id)


def _test_of(symbol_id: str, registry: Registry) -> Place | None:
    tests = registry.tests_reaching(symbol_id)
    first = registry.symbol(tests[0]) if tests else None
    return first.place if first else None
