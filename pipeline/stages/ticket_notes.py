"""What a reader of a ticket should know of the search: why it is not ready, what was not read, and the next step."""

from collections.abc import Callable, Iterator

from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import TargetConfidence
from pipeline.domain.issue import CitationKind, IssueDocument, Reader
from pipeline.domain.places import Ranking
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.existing.stage import Existing
from pipeline.stages.places import Places

_MOST_GAPS = 3
"""Web frameworks of which a ticket says what was not read."""

_READY = frozenset({TargetConfidence.NAMED, TargetConfidence.PLANNED})


def notes_on(
    document: IssueDocument,
    gaps: tuple[str, ...],
    places: Places,
    existing: Existing,
    confidence: TargetConfidence,
    because: str,
) -> tuple[str, ...]:
    """The notes, the most important first: at most one of them says what to do next.

    `gaps` say which routes that the ticket may mean were not read. `because` says what the search for targets came to; of
    an answer in free words that names nothing, that.
    """
    return tuple(_notes(document, gaps, places, existing, confidence, because))


def gaps_that_matter(
    gaps: tuple[str, ...],
    document: IssueDocument,
    ranking: Ranking,
    confidence: TargetConfidence,
    registry: Callable[[], Registry],
) -> tuple[str, ...]:
    """The sentences on routes that were not read, where the ticket may mean one of these routes.

    It may if it cites a route, if it probably changes a request, or if nothing was found that it is about.
    """
    if not gaps or confidence is not TargetConfidence.LIKELY:
        return gaps
    if any(citation.kind is CitationKind.ROUTE for citation in document.citations):
        return gaps
    return gaps if Subject(document, registry(), ranking).request_change.is_likely else ()


def _notes(
    document: IssueDocument,
    gaps: tuple[str, ...],
    places: Places,
    existing: Existing,
    confidence: TargetConfidence,
    because: str,
) -> Iterator[str]:
    if existing.hint is not None:
        yield existing.hint
    if confidence not in _READY:
        yield _why_not_ready(document, confidence, because)
        yield from gaps[:_MOST_GAPS]
    yield from places.ranking.notes
    if confidence not in _READY:
        yield _next_step(document, places)


def _why_not_ready(document: IssueDocument, confidence: TargetConfidence, because: str) -> str:
    if confidence is TargetConfidence.LIKELY:
        return f"{because} The places listed are likely, not certain."
    return f"{because} {_why_unknown(document)}"


def _why_unknown(document: IssueDocument) -> str:
    if not document.wish.strip():
        return "The issue has no text that says what is wanted: only logs, code, images or headings."
    if document.script not in ("", "Latin"):
        return f"The issue is written in {document.script} script, and shares no word with the code."
    return "The issue shares no word with the code that few files have."


def _next_step(document: IssueDocument, places: Places) -> str:
    has_names = any(
        citation.kind in (CitationKind.NAME, CitationKind.FILE) for citation in document.citations
    )
    if document.reader is Reader.MODEL:
        return "Next: name the file, function or route in the issue and set the label again."
    if places.places and not has_names:
        first = places.places[0].path
        return f"Next: if it is {first}, write that path into the issue and set the label again; or configure a model."
    return (
        "Next: name the file, function or route in the issue and set the label again; or configure a model."
    )
