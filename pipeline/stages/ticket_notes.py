"""What a reader of a ticket should know of the search: why it is not ready, what was not read, and the next step."""

from collections.abc import Callable

from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import TargetConfidence
from pipeline.domain.issue import CitationKind, IssueDocument, Reader
from pipeline.domain.places import Ranking
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.places import Places

_MOST_GAPS = 3
"""Web frameworks of which a ticket says what was not read."""

_MOST_PATHS = 3
"""Files that the next step offers."""

_WORTH_A_LOOK = 0.05
"""The least probability with which the next step offers a file."""

_OTHER_LANGUAGE = (
    "The issue is not in English; askfirst compares words in English, and finds such issues by the names, paths and messages "
    "that they cite."
)
_READY = frozenset({TargetConfidence.NAMED, TargetConfidence.PLANNED})


def notes_on(
    document: IssueDocument,
    gaps: tuple[str, ...],
    places: Places,
    hints: tuple[str, ...],
    confidence: TargetConfidence,
    because: str,
) -> tuple[str, ...]:
    """The notes, the most important first: at most one of them says what to do next.

    `hints` say what may exist already. `gaps` say which routes that the ticket may mean were not read. `because` says what the search for targets came to; of
    an answer in free words that names nothing, that.
    """
    if confidence in _READY:
        return (*hints, *places.ranking.notes)
    why = _why_not_ready(document, confidence, because)
    next_steps = () if hints else (_next_step(document, places),)
    return (*hints, why, *gaps[:_MOST_GAPS], *places.ranking.notes, *next_steps)


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


def _why_not_ready(document: IssueDocument, confidence: TargetConfidence, because: str) -> str:
    sentences = [because]
    if confidence is TargetConfidence.UNKNOWN and not _says_something(document):
        sentences.append("The issue does not say what it is about: it has no words but those for its kind.")
    elif confidence is TargetConfidence.UNKNOWN and document.is_english:
        sentences.append("The issue shares no word with the code that few files have.")
    if not document.is_english:
        sentences.append(_OTHER_LANGUAGE)
    return " ".join(sentences)


def _says_something(document: IssueDocument) -> bool:
    return bool(document.about.wish.strip())


def _next_step(document: IssueDocument, places: Places) -> str:
    """What a person can write into the issue, and the nearest files."""
    if not places.places and not _says_something(document):
        return (
            "Next: say in the issue what happens or what is wanted, and where: a file, a function, a route or a message. "
            "Then set the label again."
        )
    how_else = "" if document.reader is Reader.MODEL or document.model_failure else "; or configure a model"
    likely = [place.path for place in places.places[:_MOST_PATHS] if place.probability >= _WORTH_A_LOOK]
    nearest = f" Nearest: {', '.join(likely)}." if likely and document.is_english else ""
    return f"Next: name the file, function or route in the issue and set the label again{how_else}.{nearest}"
