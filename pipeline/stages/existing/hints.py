"""Find what may exist already, without the proof that a stop needs. Pure.

A sentence wishes for a name that a cited route or command has ("Please add a `--no-archive` switch to document_exporter"); a
clause asks for a thing that is there ("Add a `parse_range` function"); or one thing has every word of the title in its names
("Add an endpoint to export the timeline of a case", and `POST /cases/{id}/exportTimeline`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import Citation, CitationKind, IssueDocument, IssueKind
from pipeline.domain.words import name_stems, prose_stems, prose_words, same_name, stem, stems_of_all
from pipeline.stages.existing.examine import (
    Point,
    is_asked_for,
    names_and_containers,
    names_on,
    speaks_of_adding,
    title_stems,
)
from pipeline.stages.selection.anchors import Anchor, Anchors
from pipeline.stages.selection.commands import find_commands
from pipeline.stages.selection.introduction import by_adding, by_article
from pipeline.stages.selection.labels import name_of
from pipeline.stages.selection.language_weights import ADDITION_WORDS, EVERYWHERE, INTERNAL_WORDS, POSSIBILITY
from pipeline.stages.selection.settings import find_keys

_PREDICATE = re.compile(r"[`\"'”*]*\s+[a-z]")
"""A word behind a route at the start of a sentence, which then says something of a route that is there."""

_MOST_THINGS = 3
"""More things than this whose names have the words of a title are what it is about, and not what it wishes for."""


_MODAL = re.compile(
    r"\b(?:wants?|needs?|would|could|can|should|must|may|lets?|please)\b|\w['’]d\b", re.IGNORECASE
)
_CODE = re.compile(r"`[^`]*`")

_OTHER_CHANGES = (
    frozenset(word for word, weight in ADDITION_WORDS.items() if weight < 0) | INTERNAL_WORDS
) - {stem("should"), stem("must")}


@dataclass(frozen=True)
class Sentence:
    """A sentence of the wish. `prose` are the stems of its plain words, without those that are marked as code."""

    text: str
    prose: frozenset[str]

    @property
    def is_wish(self) -> bool:
        """Whether it wishes for something: by a modal verb, or by a word for adding."""
        has_modal = _MODAL.search(self.text) is not None or POSSIBILITY.search(self.text) is not None
        return has_modal or any(ADDITION_WORDS.get(word, 0) > 0 for word in self.prose)

    def speaks_of_change(self, thing: frozenset[str]) -> bool:
        """Whether it speaks of a change, a fix or a test, in other words than those of a thing."""
        return bool(self.prose & _OTHER_CHANGES - thing)


def sentences_of(document: IssueDocument) -> tuple[Sentence, ...]:
    """The title and the sentences of the wish."""
    return tuple(
        Sentence(text, frozenset(stem(word) for word in prose_words(_CODE.sub(" ", text))))
        for text in dict.fromkeys(document.wish_sentences)
    )


def find_hint(document: IssueDocument, anchors: Anchors, registry: Registry) -> tuple[Point, ...]:
    """Existing things that may be all the issue wishes for; empty where there are none."""
    if document.kind not in (IssueKind.FEATURE, IssueKind.UNSURE):
        return ()
    return (
        _members(document, anchors, registry)
        or _route(document, anchors, registry)
        or _cited(document, anchors, registry)
        or _described(document, anchors, registry)
    )


def _members(document: IssueDocument, anchors: Anchors, registry: Registry) -> tuple[Point, ...]:
    """The names that the issue cites, if it wishes for all of them and what it cites besides has them all."""
    names, containers = names_and_containers(anchors, registry)
    sentences = sentences_of(document)
    owners = name_stems(" ".join(anchor.citation.text for anchor in containers))
    if not all(_wish_for(name.text, owners, sentences) for name in names):
        return ()
    if not speaks_of_adding(" ".join(sentence.text for sentence in sentences)):
        containers = tuple(anchor for anchor in containers if anchor.routes or anchor.commands)
    points = tuple(names_on(names, containers, registry))
    return points if all(point.is_found for point in points) else ()


def _wish_for(name: str, owners: frozenset[str], sentences: Sequence[Sentence]) -> bool:
    """Whether a sentence wishes for a name, and none speaks of a change of it. `owners` are stems of what may have it."""
    mentions = [sentence for sentence in sentences if name in sentence.text]
    is_changed = any(sentence.speaks_of_change(name_stems(name) | owners) for sentence in mentions)
    return not is_changed and any(sentence.is_wish for sentence in mentions)


def _route(document: IssueDocument, anchors: Anchors, registry: Registry) -> tuple[Point, ...]:
    """The one route that the issue cites, if it is there and a sentence introduces it as something to come."""
    names, containers = names_and_containers(anchors, registry)
    if (
        names
        or len(containers) != 1
        or containers[0].citation.method is None
        or len(containers[0].routes) != 1
    ):
        return ()
    quote, route = containers[0].citation.quote, containers[0].routes[0]
    if not any(_introduces(sentence, containers[0]) for sentence in sentences_of(document)):
        return ()
    return (Point(quote, (quote,), route.id, route.label, route.place),)


def _introduces(sentence: Sentence, anchor: Anchor) -> bool:
    before, quote, after = sentence.text.partition(anchor.citation.quote)
    if not quote or not (by_article(before) or by_adding(before) or not before.strip("`\"'“* ")):
        return False
    if sentence.speaks_of_change(name_stems(anchor.citation.text)):
        return False
    return sentence.is_wish if before.strip("`\"'“* ") else _PREDICATE.match(after) is None


def _cited(document: IssueDocument, anchors: Anchors, registry: Registry) -> tuple[Point, ...]:
    """The things that the issue introduces, or a clause asks for, if the code has all of them."""
    known_names = {anchor.citation.text for anchor in anchors.introductions}
    options = [name for name in anchors.new_names if name.kind is CitationKind.OPTION]
    if any(name.text not in known_names and name not in options for name in anchors.new_names):
        return ()
    asked_anchors = [
        anchor for anchor in anchors.wished_anchors() if is_asked_for(anchor.citation.quote, document)
    ]
    cites_route = any(anchor.routes or anchor.commands for anchor in anchors.wished_anchors())
    things = [
        _things(anchor, document, registry, is_of_request=cites_route or _is_of_request(anchor, document))
        for anchor in (*anchors.introductions, *asked_anchors)
    ]
    things += [_options(name, document, registry) for name in options if name.text not in known_names]
    points = [point for several in things for point in several]
    return tuple(points) if all(things) and len(points) <= _MOST_THINGS else ()


def _things(
    anchor: Anchor, document: IssueDocument, registry: Registry, *, is_of_request: bool
) -> list[Point]:
    """What the code has of one name. A stored field counts if the title speaks of what it belongs to, and of no request."""
    quote = anchor.citation.quote
    if anchor.citation.kind is CitationKind.OPTION:
        return _options(anchor.citation, document, registry)
    points = [Point(quote, (quote,), route.id, route.label, route.place) for route in anchor.routes]
    points += [Point(quote, (quote,), symbol.id, symbol.name, symbol.place) for symbol in anchor.symbols]
    points += [
        Point(quote, (quote,), command.symbol.id, command.symbol.name, command.symbol.place)
        for command in anchor.commands
    ]
    points += [Point(quote, (quote,), key.id, key.name, key.place) for key in anchor.keys]
    if points or is_of_request:
        return points
    title = title_stems(document)
    owners = [(field, owner) for field in anchor.fields if (owner := registry.symbol(field.owner))]
    return [
        Point(quote, (quote,), field.id, f"{owner.name}.{field.name}", field.place)
        for field, owner in owners
        if name_stems(owner.name) <= title
    ]


def _is_of_request(anchor: Anchor, document: IssueDocument) -> bool:
    """Whether a sentence with the name speaks of a request."""
    quote = anchor.citation.quote
    return any(EVERYWHERE & stems_of_all([text]) for text in document.wish_sentences if quote in text)


def _options(name: Citation, document: IssueDocument, registry: Registry) -> list[Point]:
    """The options of a name: of the only command that has it, or of those that the title calls by their names."""
    having = [
        (command, option)
        for command in find_commands(registry)
        for option in command.options
        if same_name(option.name, name.text)
    ]
    title = prose_stems(document.title)
    by_name = [(command, option) for command, option in having if name_stems(command.short_name) <= title]
    return [
        Point(name.quote, (name.quote,), option.id, f"{option.name} of {command.name}", option.place)
        for command, option in (by_name or (having if len(having) == 1 else []))
    ]


def _described(document: IssueDocument, anchors: Anchors, registry: Registry) -> tuple[Point, ...]:
    """Things with all words of the title in their names, if the title wishes for an addition."""
    words = title_stems(document)
    if len(words) < 2 or anchors.new_names or not speaks_of_adding(document.title):
        return ()
    title = document.title
    points = [
        Point(title, (title,), route.id, route.label, route.place)
        for route in registry.routes
        if words <= name_stems(f"{route.path} {route.handler_name}")
    ]
    if not points:
        points += [
            Point(title, (title,), symbol.id, name_of(symbol), symbol.place)
            for symbol in registry.symbols
            if not symbol.is_test
            and symbol.kind is not SymbolKind.CONSTANT
            and words <= name_stems(symbol.qualified_name)
        ]
        points += [
            Point(title, (title,), key.id, key.name, key.place)
            for key in find_keys(registry)
            if words <= name_stems(key.name)
        ]
    ids = {point.id for point in points}
    is_cited_elsewhere = any(
        {route.id for route in anchor.routes} - ids or {symbol.id for symbol in anchor.symbols} - ids
        for anchor in anchors.wished_anchors()
    )
    return tuple(points) if len(points) <= _MOST_THINGS and not is_cited_elsewhere else ()
