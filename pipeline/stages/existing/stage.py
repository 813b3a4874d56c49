"""The stage's declaration: all points found stops the run, some go into the ticket."""

from typing import NamedTuple

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import Candidate, Option
from pipeline.contract.ticket import Finding
from pipeline.domain.errors import NothingToBuild
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import AlreadyImplemented, Ask
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.existing.examine import Point, examine, is_met
from pipeline.stages.existing.hints import find_hint
from pipeline.stages.places import Places
from pipeline.stages.registry import RegistryReady
from pipeline.stages.selection.anchors import find_anchors
from pipeline.stages.selection.labels import may_exist_already
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue

STAGE = "existing"
SLOT = "existing"
STOP, FALLS_SHORT, BUILD_ANYWAY = "stop", "falls_short", "build_anyway"

OPTIONS = (
    Option(id=STOP, label="Yes, nothing to build."),
    Option(id=FALLS_SHORT, label="It exists, but it falls short.", needs_text=True),
    Option(id=BUILD_ANYWAY, label="Build it anyway, next to what is there."),
)


class ExistingInput(StageValue):
    """The wish to look for, and the code to look in."""

    snapshot: Snapshot
    registry: RegistryReady
    reading: IssueDocument
    places: Places


class Existing(StageValue):
    """What of the wish is there, and what a person answered about it.

    `hint` is a sentence about what may be what is wanted, without full proof.
    """

    findings: tuple[Finding, ...]
    answer: str | None = None
    hint: str | None = None


def _run(inputs: ExistingInput, context: StageContext) -> Existing:
    return find_existing(inputs.reading, context.registry(), context.answers.answers)


KIND = StageKind(
    name=STAGE,
    input=ExistingInput,
    output=Existing,
    run=_run,
    reads=frozenset({RunInput.INDEX, RunInput.ANSWERS}),
    slots=frozenset({SLOT}),
    finds_ticket=True,
)


def find_existing(document: IssueDocument, registry: Registry, answers: tuple[Answer, ...]) -> Existing:
    """Look for what the ticket wants to add.

    Raises:
        AlreadyImplemented: all of it is there, and no person has said to go on.
        NothingToBuild: somebody has said that there is nothing to build.
    """
    findings, hint, stop = look(document, registry)
    answer = answers[-1] if answers else None
    if stop is not None and answer is None:
        raise stop
    if stop is not None and answer is not None and answer.choice == STOP:
        raise nothing_to_build()
    return Existing(findings=findings, answer=_in_words(answer), hint=hint)


def nothing_to_build() -> NothingToBuild:
    """The end of a run after a person has said that nothing is to be built."""
    return NothingToBuild(
        "There is nothing to build.",
        why="The question whether what exists is what was wanted was answered with yes.",
        what_to_do="Close the issue, or say with /answer what falls short.",
    )


class Inspection(NamedTuple):
    """What of a wish is there, the sentence on what may be, and the stop that an unanswered run would make of it."""

    findings: tuple[Finding, ...]
    hint: str | None
    stop: AlreadyImplemented | None


def look(document: IssueDocument, registry: Registry) -> Inspection:
    """Hold an issue against the code."""
    anchors = find_anchors(document, registry)
    points = examine(document, anchors, registry)
    if is_met(points, document, registry):
        return Inspection(tuple(map(_finding, points)), _hint(points), AlreadyImplemented(_ask(points)))
    if all(point.is_whole for point in points):
        points = ()  # a thing that is mentioned, and not asked for
    is_partly_there = not all(point.is_found for point in points)
    likely = () if is_partly_there else find_hint(document, anchors, registry)
    return Inspection(tuple(map(_finding, points)), _hint(likely), None)


def _hint(points: tuple[Point, ...]) -> str | None:
    """The existing things, with their places: they may be all that is wanted, or not."""
    if not points:
        return None
    return may_exist_already(f"{point.label} ({point.place})" for point in points)


def _ask(points: tuple[Point, ...]) -> Ask:
    return Ask(
        stage=STAGE,
        slot=SLOT,
        reason=f"What the ticket asks for is there: {', '.join(f'{point.label} ({point.place})' for point in points)}.",
        text="This seems to exist already. Is it what you wanted?",
        suggestion="Say in the ticket what the existing code does not do.",
        candidates=tuple(map(_candidate, {point.id: point for point in points}.values())),
        quotes=tuple(dict.fromkeys(quote for point in points for quote in point.quotes)),
        default=STOP,
        default_reason="Everything that the issue asks for was found in the code.",
        options=OPTIONS,
    )


def _candidate(point: Point) -> Candidate:
    return Candidate(
        handler_symbol=f"<{point.id}>",
        body_field_count=point.body_field_count,
        id=point.id or "",
        label=point.label or "",
        location=point.place.location() if point.place else None,
        facts={"asked for": point.wish, "covered by": str(point.test) if point.test else "no test found"},
    )


def _finding(point: Point) -> Finding:
    return Finding(
        asked=point.wish,
        found=point.label,
        location=point.place.location() if point.place else None,
        covered_by=point.test.location() if point.test else None,
    )


def _in_words(answer: Answer | None) -> str | None:
    if answer is None:
        return None
    if answer.text:
        return f"It exists, but it falls short: “{answer.text}”"
    if answer.choice == BUILD_ANYWAY:
        return "It exists and is to be built anyway, next to what is there."
    return None
