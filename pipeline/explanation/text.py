"""An explanation as text: the verdict, and below it the evidence. Lines are as long as their words, so that nothing is cut. Pure."""

from collections.abc import Iterable, Iterator

from pipeline.contract.ticket import LikelyPlace
from pipeline.domain.issue import IssueDocument
from pipeline.domain.printable import printable
from pipeline.explanation.explanation import Explanation

_WORTH_SHOWING = 0.01
"""A file with a lower probability is left out here; the page and the JSON document list it."""


def as_text(explanation: Explanation) -> str:
    """The verdict first. Each part of the evidence has a heading, and a part without evidence is left out."""
    sections = (
        ("", verdict(explanation)),
        ("Places", _places(explanation)),
        ("Existing code", _existing(explanation)),
        ("How it decided", _evidence(explanation)),
        (f"What was read ({explanation.document.reader.value})", _reading(explanation.document)),
    )
    return printable("\n".join(line for heading, lines in sections for line in _section(heading, lines)))


def _section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    body = list(lines)
    if body and heading:
        yield from ("", heading)
    yield from body


def verdict(explanation: Explanation, *, with_candidates: bool = True) -> Iterator[str]:
    """Whether a run would ask, what, and why; one line each."""
    if explanation.refusal is not None:
        yield f"`askfirst run` would not start: {explanation.refusal}"
    if explanation.asks is not None:
        yield f"It asks: {explanation.question}"
        yield explanation.reason
        for number, candidate in enumerate(explanation.candidates if with_candidates else (), start=1):
            default = " (default)" if candidate.id == explanation.default else ""
            facts = ", ".join(f"{name}: {value}" for name, value in candidate.facts.items())
            yield f"  {number}. {candidate.label}{default}  {facts}".rstrip()
        yield (
            f"Why the default: {explanation.default_reason}"
            if explanation.default_reason
            else "There is no default: nothing sets the candidates apart."
        )
        return
    if explanation.hint is not None:
        yield explanation.hint
    if explanation.targets:
        yield f"It asks nothing. Target: {', '.join(target.label for target in explanation.targets)}"
    elif explanation.places:
        nearest = explanation.places[0]
        yield f"It asks nothing, and has no target yet. Nearest: {nearest.path} ({nearest.probability:.0%})"
    else:
        yield "It asks nothing, and no file shares a word with the issue."
    yield explanation.reason


def _places(explanation: Explanation) -> Iterator[str]:
    for place in explanation.places:
        if place.probability >= _WORTH_SHOWING:
            yield from _place(place)
    yield from (f"  {note}" for note in explanation.ranking.notes)


def _place(place: LikelyPlace) -> Iterator[str]:
    yield f"  {place.probability:4.0%}  {place.path}"
    entries = [entry.label.removesuffix(f" ({place.path})") for entry in place.entries]
    if entries:
        yield f"        in it: {', '.join(entries)}"
    if place.because:
        yield f"        why: {'; '.join(place.because)}"


def _existing(explanation: Explanation) -> Iterator[str]:
    for finding in explanation.existing:
        place = f"  {at.path}:{at.start_line}" if (at := finding.location) else ""
        yield f"  {finding.asked}: {finding.found or 'missing'}{place}"


def _evidence(explanation: Explanation) -> Iterator[str]:
    for row in explanation.evidence:
        yield f"  {row.about}: {row.concluded}"
        if row.candidates:
            yield f"    candidates: {', '.join(row.candidates)}"
        if row.words:
            yield f"    words that fit: {', '.join(row.words)}"


def _reading(document: IssueDocument) -> Iterator[str]:
    yield f"  {document.kind.value}: {document.kind_reason}"
    for citation in document.citations:
        words = "" if citation.quote == citation.text else f"  “{citation.quote}”"
        yield f"  {citation.kind.value} ({citation.role.value}): {citation.text}{words}"
    yield from (f"  acceptance criterion: {criterion.quote}" for criterion in document.acceptance)
