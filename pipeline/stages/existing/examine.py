"""Look for what an issue wants to add, point by point. Pure.

A stop needs full proof. It is surely an addition; every name that the issue cites is found, all of them on the same route,
symbol, model or command; and the title has no further word that the thing in the code does not have, too, or a clause asks
for the thing itself. A parameter of that name on another route, or a route that does the like for somebody else, is a near
miss and never counts.

Example: "Add `dry_run` to POST /actions" is met if that route has the field `dry_run`. "Validate `dry_run` on POST /actions"
is not: nothing in the code's names or docs speaks of validating. "Add a health check", with "Please add `GET /healthz`."
below, is met if that route is there: its clause begins with the word for adding and ends with the route.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import Field, FieldKind, Route, SourceRange, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import Citation, CitationKind, IssueDocument, IssueKind
from pipeline.domain.words import name_stems, prose_stems, same_name, stems_of_all
from pipeline.stages.selection.anchors import Anchor, Anchors
from pipeline.stages.selection.language_weights import ADDITION_WORDS, EVERYWHERE, REQUEST_WORDS
from pipeline.stages.selection.vocabulary import entry_vocabulary

_NAMES = frozenset({CitationKind.NAME, CitationKind.OPTION})
_LEADING = re.compile(r"(?P<verb>[\w-]+)(?:(?:\s+(?:a|an|the|new))+(?:\s+(?P<kind>[a-z]+))?)?[\s`\"'“*]*$")
"""The last word before a quotation, but for articles and a word for its kind ("add a setting `x`")."""

_ENDING = re.compile(r"[`\"'”*]*(?:\s+(?P<kind>[\w-]+))?\s*(?:[.,;:!?)]|$)")
"""The end of a clause behind a quotation, with at most one word for its kind ("`GET /health` route.")."""

KINDS = stems_of_all([*(kind.value for kind in (*SymbolKind, *FieldKind)), "setting", "option", "command"])
"""What the registry calls the kinds of its entries: such a word behind a name says nothing more of it."""


@dataclass(frozen=True)
class Point:
    """One thing asked for, and what was found for it; `id`, `label` and `place` are None where nothing was.

    `wish` is in our words, `quotes` are what the issue says.
    """

    wish: str
    quotes: tuple[str, ...]
    id: str | None = None
    label: str | None = None
    place: SourceRange | None = None
    test: SourceRange | None = None
    body_field_count: int | None = None

    @property
    def is_found(self) -> bool:
        """Whether it is there."""
        return self.id is not None

    @property
    def is_whole(self) -> bool:
        """Whether it is a route or a symbol itself, and not a part of one."""
        return self.quotes == (self.wish,)


def examine(document: IssueDocument, anchors: Anchors, registry: Registry) -> tuple[Point, ...]:
    """The points that the issue asks for by name, found or not. Empty where nothing can be said."""
    if not _is_surely_addition(document):
        return ()
    names, containers = names_and_containers(anchors, registry)
    if names and containers:
        return tuple(names_on(names, containers, registry))
    if len(containers) == 1 and not names:
        return tuple(_whole(containers[0], document, registry))
    return ()


def names_and_containers(
    anchors: Anchors, registry: Registry
) -> tuple[tuple[Citation, ...], tuple[Anchor, ...]]:
    """The names that the wish cites, and the routes, symbols and commands that may have them.

    A name may be a parameter here and a function elsewhere: where another thing of the issue has it, it is that.
    """
    wish_anchors = anchors.wished_anchors()
    if not any(_is_container(anchor) for anchor in wish_anchors):
        wish_anchors = (*wish_anchors, *anchors.introductions)
    containers = [anchor for anchor in wish_anchors if _is_container(anchor)]
    names = [
        anchor.citation
        for anchor in wish_anchors
        if anchor.citation.kind in _NAMES and anchor not in containers
    ]
    cited_names = [anchor.citation for anchor in containers]
    names += [name for name in anchors.new_names if name.kind in _NAMES and name not in cited_names]
    names += [
        anchor.citation
        for anchor in containers
        if anchor.citation.kind in _NAMES
        and any(
            point.is_found
            for sibling in containers
            if sibling is not anchor
            for point in _holding(sibling, anchor.citation.text, (), registry)
        )
    ]
    command_words = {
        word
        for anchor in containers
        if anchor.citation.kind is CitationKind.COMMAND
        for word in anchor.citation.text.split()
        if not word.startswith("-")
    }
    names = [name for name in names if name.text not in command_words]
    return tuple(names), tuple(anchor for anchor in containers if anchor.citation not in names)


def is_met(points: Sequence[Point], document: IssueDocument, registry: Registry) -> bool:
    """Whether the points are all there, and the title has no word that what is there does not have."""
    if not points or not all(point.is_found for point in points) or not _is_surely_addition(document):
        return False
    words = frozenset[str]()
    for point in points:
        entry = registry.get((point.id or "").partition("(")[0])
        if entry is not None:
            words |= entry_vocabulary(registry, entry).all | name_stems(point.label or "")
    is_whole = all(point.is_whole for point in points)
    return not title_stems(document) - words or (is_whole and is_asked_for(points[0].wish, document))


def _is_surely_addition(document: IssueDocument) -> bool:
    """Surely an addition: a feature whose title has words for adding, and more of them than for anything else."""
    return document.kind is IssueKind.FEATURE and speaks_of_adding(document.title)


def is_asked_for(quote: str, document: IssueDocument) -> bool:
    """Whether a clause asks for just this: it ends with it, and only an article or a word for its kind parts it from the word
    for adding.
    """
    for sentence in document.wish_sentences:
        before, is_there, after = sentence.partition(quote)
        leading, ending = _LEADING.search(before), _ENDING.match(after)
        if not is_there or leading is None or ending is None or not speaks_of_adding(leading["verb"]):
            continue
        kinds = f"{leading['kind'] or ''} {ending['kind'] or ''}"
        if not prose_stems(kinds) - EVERYWHERE - KINDS:
            return True
    return False


def speaks_of_adding(text: str) -> bool:
    """Whether a text has words for adding, and more of them than for any other change."""
    stems = prose_stems(text) | name_stems(text) | {word.lower() for word in text.replace(":", " ").split()}
    return sum(weight for stem, weight in ADDITION_WORDS.items() if stem in stems) > 0


def title_stems(document: IssueDocument) -> frozenset[str]:
    """The stems of the title that say what is wanted: without words for adding, for requests and for routes in general."""
    title = prose_stems(document.title) | name_stems(document.title)
    return frozenset(
        stem
        for stem in title - EVERYWHERE - KINDS
        if stem not in ADDITION_WORDS and stem not in REQUEST_WORDS and not stem.isdecimal()
    )


def _is_container(anchor: Anchor) -> bool:
    """Whether it is of something that has parameters or fields: a route, a symbol, a command."""
    return bool(anchor.routes or anchor.symbols or anchor.commands)


def names_on(names: Sequence[Citation], containers: Sequence[Anchor], registry: Registry) -> Iterator[Point]:
    """Each name on each of the things that the issue cites: on all of them, or it is missing."""
    for name in names:
        for anchor in containers:
            quotes = tuple(dict.fromkeys((name.quote, anchor.citation.quote)))
            yield from _holding(anchor, name.text, quotes, registry)


def _holding(anchor: Anchor, name: str, quotes: tuple[str, ...], registry: Registry) -> Iterator[Point]:
    """What an anchor has of a name: a point for each route, symbol or command that it may mean."""
    for route in anchor.routes:
        yield _in_fields(name, quotes, route.label, registry.fields_of(route.id), registry, route)
    for symbol in anchor.symbols if not anchor.routes else ():
        fields = _in_fields(name, quotes, symbol.name, registry.fields_of(symbol.id), registry, None)
        if fields.is_found or not any(same_name(thing.name, name) for thing in symbol.parameters):
            yield fields
        else:
            label = f"{symbol.qualified_name}({name})"
            test = _test_of(symbol.id, registry)
            yield Point(name, quotes, f"{symbol.id}({name})", label, symbol.place, test)
    for command in anchor.commands:
        option = next((thing for thing in command.options if same_name(thing.name, name)), None)
        if option is None:
            yield Point(f"{name} on {command.name}", quotes)
        else:
            yield Point(name, quotes, option.id, f"{option.name} of {command.name}", option.place)


def _in_fields(
    name: str,
    quotes: tuple[str, ...],
    owner_label: str,
    fields: Sequence[Field],
    registry: Registry,
    route: Route | None,
) -> Point:
    wish = f"{name} on {owner_label}"
    field = next((field for field in fields if same_name(field.name, name)), None)
    if field is None:
        return Point(wish, quotes)
    symbol_id = route.handler if route else field.owner
    return Point(
        wish=wish,
        quotes=quotes,
        id=field.id,
        label=f"{field.kind.value} field {field.name} of {owner_label}",
        place=field.place,
        test=_test_of(symbol_id, registry) if symbol_id else None,
        body_field_count=route.body_field_count if route else None,
    )


def _whole(anchor: Anchor, document: IssueDocument, registry: Registry) -> Iterator[Point]:
    """A route, function or class that the title itself cites, or that a clause asks for: one, and there."""
    quote = anchor.citation.quote
    if anchor.citation.text not in document.title and not is_asked_for(quote, document):
        return
    if len(anchor.routes) == 1 and anchor.citation.method is not None:
        route = anchor.routes[0]
        test = _test_of(route.handler, registry) if route.handler else None
        yield Point(quote, (quote,), route.id, route.label, route.place, test, route.body_field_count)
    elif len(anchor.symbols) == 1 and not anchor.routes:
        symbol = anchor.symbols[0]
        test = _test_of(symbol.id, registry)
        yield Point(quote, (quote,), symbol.id, symbol.qualified_name, symbol.place, test)


def _test_of(symbol_id: str, registry: Registry) -> SourceRange | None:
    tests = registry.tests_reaching(symbol_id)
    first = registry.symbol(tests[0]) if tests else None
    return first.place if first else None
