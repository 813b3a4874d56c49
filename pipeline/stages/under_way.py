"""Stage `under_way`: is somebody at work on the issue already, or was it done? Before anything is read or paid for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.contract.answers import Answer
from pipeline.contract.clarification import Candidate, Option
from pipeline.domain.errors import NothingToBuild
from pipeline.domain.linked_work import LinkedWork, WorkState
from pipeline.domain.printable import printable_line
from pipeline.domain.stops import Ask, WorkUnderWay
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.preconditions import PreconditionsMet
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue

STAGE = SLOT = "under_way"
STOP, GO_ON = "stop", "go_on"
_MOST_WORK = 8
_OPTIONS = (
    Option(id=STOP, label="Stop: that work does it."),
    Option(id=GO_ON, label="Go on: this is something else."),
)


class UnderWayInput(StageValue):
    """The issue, once it may be worked on."""

    snapshot: Snapshot
    preconditions: PreconditionsMet


class UnderWay(StageValue):
    """No one is at work on the issue, or a person said to go on. It says no more, so that later results hold."""


@dataclass(frozen=True)
class WorkFinder:
    """Finds work on an issue, wherever this run may look: pull requests, commits and branches by the issue's number."""

    work_on: Callable[[int], Sequence[LinkedWork]]


def _run(inputs: UnderWayInput, context: StageContext) -> UnderWay:
    number = inputs.snapshot.ticket.number
    if number is None or context.wanted_changes is not None:
        return UnderWay()
    finder = context.tool(RunInput.LINKED_WORK, WorkFinder)
    return decide(finder.work_on(number), context.answers.answers)


def decide(work: Sequence[LinkedWork], answers: Sequence[Answer]) -> UnderWay:
    """Go on where no one is at work.

    A merged pull request that only mentions the issue is no work on it: such texts name what is left for later.

    Raises:
        WorkUnderWay: somebody is, or the work is done, and no person has said to go on.
        NothingToBuild: a person has said that this work does it.
    """
    relevant_work = [piece for piece in work if piece.closes or piece.state is not WorkState.MERGED]
    if not relevant_work:
        return UnderWay()
    stop = WorkUnderWay(_ask(relevant_work[:_MOST_WORK]))
    answer = next((answer for answer in reversed(answers) if answer.question_id == stop.question_id), None)
    if answer is None:
        raise stop
    if answer.choice == STOP:
        raise NothingToBuild(
            "There is nothing to build.",
            why="The question whether somebody is at work on it already was answered with yes.",
            what_to_do="Close the issue, or set the label again when that work has ended.",
        )
    return UnderWay()


def _ask(work: Sequence[LinkedWork]) -> Ask:
    is_done = all(piece.state in (WorkState.MERGED, WorkState.COMMITTED) for piece in work)
    return Ask(
        stage=STAGE,
        slot=SLOT,
        reason=f"Work on this issue: {'; '.join(map(_in_words, work))}.",
        text="This seems to be done already. Is it?"
        if is_done
        else "Somebody seems to be at work on this. Is it theirs?",
        suggestion="Close the pull request or delete the branch, if nobody works on it any more.",
        candidates=tuple(map(_candidate, work)),
        default=STOP,
        default_reason="Two people who build the same thing cost more than one question.",
        options=_OPTIONS,
    )


def _candidate(piece: LinkedWork) -> Candidate:
    return Candidate(
        handler_symbol=f"<{piece.id}>",
        body_field_count=None,
        id=piece.id,
        label=_name_of(piece),
        facts={"state": piece.state.value, "closes": piece.closes, "url": piece.url},
    )


def _name_of(piece: LinkedWork) -> str:
    kind, _, name = piece.id.partition(":")
    title = printable_line(piece.title)
    return {"pull": f"#{name} {title}", "commit": f"{name[:7]} {title}"}.get(kind, name)


def _in_words(piece: LinkedWork) -> str:
    return f"{_name_of(piece)} ({piece.state.value})"


KIND = StageKind(
    name=STAGE,
    input=UnderWayInput,
    output=UnderWay,
    run=_run,
    reads=frozenset({RunInput.TICKET, RunInput.ANSWERS, RunInput.WANTED_CHANGES, RunInput.LINKED_WORK}),
    slots=frozenset({SLOT}),
)
