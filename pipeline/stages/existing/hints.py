"""Find what may exist already, without the proof that a stop needs. Pure.

A sentence wishes for a name that a cited route or command has ("Please add a `--no-archive` switch to document_exporter"), or
for a route that is there ("Our load balancer wants a `GET /health`"). Without a citation nothing is said: words alone found
what exists only where its name happened to be among them (docs/evaluation.md).
"""

import re
from collections.abc import Sequence

from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import IssueDocument, IssueKind
from pipeline.domain.words import name_stems
from pipeline.stages.existing.examine import Point, names_and_containers, names_on, speaks_of_adding
from pipeline.stages.existing.sentences import Sentence, sentences_of
from pipeline.stages.selection.anchors import Anchor, Anchors

_INTRODUCTION = re.compile(
    r"(?:^|\b(?:to|add|(?<!has )(?<!have )(?<!is )an?|new)\b(?:\s+[\w-]+){0,3}[\s,(]*(?:e\.g\.|such as|like)?)[\s`\"'“*:(]*$",
    re.IGNORECASE,
)
"""What stands before a route that shall be there: an indefinite article, a verb ("I want to"), or nothing."""

_PREDICATE = re.compile(r"[`\"'”*]*\s+[a-z]")
"""A word behind a route at the start of a sentence, which then says something of a route that is there."""


def find_hint(document: IssueDocument, anchors: Anchors, registry: Registry) -> tuple[Point, ...]:
    """What may be all that the issue wishes for; empty where nothing is."""
    if document.kind not in (IssueKind.FEATURE, IssueKind.UNSURE):
        return ()
    return _members(document, anchors, registry) or _route(document, anchors, registry)


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
    if not quote or not _INTRODUCTION.search(before):
        return False
    if sentence.speaks_of_change(name_stems(anchor.citation.text)):
        return False
    return sentence.is_wish if before.strip("`\"'“* ") else _PREDICATE.match(after) is None
