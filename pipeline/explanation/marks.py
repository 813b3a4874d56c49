"""Cut a ticket's text into pieces, each with what it was read as. Pure.

A character belongs to one piece: what hides from readers goes first, then the most telling reading of it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from pipeline.domain.issue import CitationKind, IssueDocument
from pipeline.reading.hidden_text import is_hidden, places_outside_comments
from pipeline.stages.decomposition.outcome import EvidenceRow

_MOST_QUOTES = 200
"""More different quotes are not looked for: a page on which everything is marked shows nothing."""

_LINE_SEPARATORS = "\u2028\u2029"


class Mark(StrEnum):
    """What a piece of the text was read as, the most telling last: it wins where two claim the same words."""

    NOTHING = "nothing"
    WORD = "word"
    MESSAGE = "message"
    NAME = "name"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Piece:
    """A stretch of the text with one reading."""

    text: str
    mark: Mark


def is_unseen(sign: str) -> bool:
    """Whether a character shows nothing, or changes how others show: control, format, private, selector and the like."""
    return is_hidden(sign) or sign in _LINE_SEPARATORS


def marked_pieces(text: str, document: IssueDocument, evidence: Iterable[EvidenceRow]) -> tuple[Piece, ...]:
    """The whole text in pieces, in its order; joined they are the text again."""
    marks = [Mark.NOTHING] * len(text)
    ranks = {mark: rank for rank, mark in enumerate(Mark)}
    claims = [*_claims(text, document, evidence), *((span, Mark.HIDDEN) for span in _hidden_spans(text))]
    for (start, end), mark in claims:
        for place in range(start, end):
            if ranks[mark] > ranks[marks[place]]:
                marks[place] = mark
    pieces = groupby(zip(text, marks, strict=True), key=lambda pair: pair[1])
    return tuple(Piece("".join(sign for sign, _ in signs), mark) for mark, signs in pieces)


def _hidden_spans(text: str) -> Iterator[tuple[int, int]]:
    shown_places = set(places_outside_comments(text)[0])
    for place, sign in enumerate(text):
        if place not in shown_places or is_unseen(sign):
            yield place, place + 1


def _claims(
    text: str, document: IssueDocument, evidence: Iterable[EvidenceRow]
) -> Iterator[tuple[tuple[int, int], Mark]]:
    claims = [
        *(
            (citation.quote, Mark.MESSAGE if citation.kind is CitationKind.MESSAGE else Mark.NAME)
            for citation in document.citations
        ),
        *((word, Mark.WORD) for row in evidence for word in row.words),
    ]
    for quote, mark in list(dict.fromkeys(claims))[:_MOST_QUOTES]:
        if not quote.strip():
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(quote)}(?!\w)")
        yield from ((match.span(), mark) for match in pattern.finditer(text))
