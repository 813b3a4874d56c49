"""A citation before its place in the issue is known."""

from dataclasses import dataclass

from pipeline.domain.issue import CitationKind


@dataclass(frozen=True)
class Match:
    """What characters `start` up to `end` of a stretch cite; the other fields are those of `Citation`."""

    kind: CitationKind
    text: str
    start: int
    end: int
    method: str | None = None
    line: int | None = None
    function: str | None = None
    depth: int | None = None
    is_marked: bool = False
