"""The closed set of things that a journal says about a run."""

from traceback import format_exception
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pipeline.contract.run import Outcome

InRound = Annotated[int | None, Field(exclude_if=lambda value: value is None)]
"""Round of a `repeat` in which it happened to a stage, counted from 1. Left out of the line for all other stages."""


Traceback = Annotated[str | None, Field(exclude_if=lambda value: value is None)]
"""Where in the code an unforeseen error came from. Left out of the line where there was none."""

_LONGEST_TRACEBACK = 20_000


def traceback_of(error: BaseException | None) -> str | None:
    """The traceback of an error with its causes; of a long one the end, where it was raised."""
    if error is None:
        return None
    text = "".join(format_exception(error))[-_LONGEST_TRACEBACK:]
    return text.encode("utf-8", "backslashreplace").decode()


class JournalEvent(BaseModel):
    """What every event has in common: it is immutable, and nothing but its fields is written."""

    # A run uses half of the kinds of events: the others need not be built when the process starts.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    event: str


class StageEvent(JournalEvent):
    """Something that happened to a stage."""

    stage: str
    round: InRound = None


class StageEnded(StageEvent):
    """A stage has ended, in one of three ways. `seconds` is wall-clock time over all attempts."""

    seconds: float
    dollars: float | None = None


class RunStarted(JournalEvent):
    """A run begins. `resumed_from` names the run directory or the memo that it takes results from."""

    event: Literal["run_started"] = "run_started"
    run_id: str
    definition: str
    resumed_from: str | None = None


class StageStarted(StageEvent):
    """A stage begins its first attempt."""

    event: Literal["stage_started"] = "stage_started"


class StageRetried(StageEvent):
    """An attempt ended with an error, and another one begins. `attempt` is the one that failed, counted from 1."""

    event: Literal["stage_retried"] = "stage_retried"
    attempt: int
    kind: str
    message: str
    traceback: Traceback = None


class StageFinished(StageEnded):
    """A stage has a result."""

    event: Literal["stage_finished"] = "stage_finished"
    attempts: int


class StageReused(StageEvent):
    """A stored result is taken, and the stage does not run."""

    event: Literal["stage_reused"] = "stage_reused"
    key: str
    source: str


class StageSkipped(StageEvent):
    """A stage does not run, because its condition does not hold or something that it needs was skipped."""

    event: Literal["stage_skipped"] = "stage_skipped"
    reason: str


class StageStopped(StageEnded):
    """A stage wants a person."""

    event: Literal["stage_stopped"] = "stage_stopped"
    kind: str
    question_id: str
    reason: str


class StageErrored(StageEnded):
    """A stage ended with an error after all its attempts, or took too long."""

    event: Literal["stage_failed"] = "stage_failed"
    kind: str
    message: str
    attempts: int
    traceback: Traceback = None


class RoundStarted(JournalEvent):
    """The stages of a `repeat` (its id is `stage`) begin again, or for the first time."""

    event: Literal["round_started"] = "round_started"
    stage: str
    round: int


class RoundEnded(JournalEvent):
    """All stages of a round have ended. `enough` says whether the condition under `until` holds."""

    event: Literal["round_ended"] = "round_ended"
    stage: str
    round: int
    enough: bool


class MemoIgnored(StageEvent):
    """A stored result exists and is not used: it is damaged, or was made from something else."""

    event: Literal["memo_ignored"] = "memo_ignored"
    source: str
    reason: str


class ResultNotStored(StageEvent):
    """A stage's result is not kept for later runs."""

    event: Literal["result_not_stored"] = "result_not_stored"
    reason: str


class ConfinementChosen(JournalEvent):
    """Said once by a run that may start commands: what this machine does to confine them. `text` is that in a sentence.

    `landlock` is the version of the kernel's Landlock, 0 for none; `sockets` whether a filter says which they may make.
    """

    event: Literal["confined"] = "confined"
    namespaces: bool
    landlock: int
    sockets: bool
    text: str


class ChildStarted(JournalEvent):
    """An agent works that another agent of the stage started. `spawn` counts how often, with one answer more each time.

    `child` is the path of ids that leads to it, such as `formatter-1`.
    """

    event: Literal["child_started"] = "child_started"
    stage: str
    child: str
    agent: str
    spawn: int


class ChildAsked(JournalEvent):
    """Such an agent wants something clarified."""

    event: Literal["child_asked"] = "child_asked"
    stage: str
    child: str
    question: str
    question_id: str

    @property
    def in_words(self) -> str:
        """As a person reads it."""
        return f"❓ subagent '{self.child}' needs clarification: {self.question}"


class ChildAnswered(JournalEvent):
    """Its question has an answer. `because` says on what one rests that no person gave."""

    event: Literal["child_answered"] = "child_answered"
    stage: str
    child: str
    question: str
    answer: str
    answered_by: Literal["person", "rule", "template", "parent"]
    because: str

    @property
    def in_words(self) -> str:
        """As a person reads it."""
        return f"subagent '{self.child}' is answered, by {BY[self.answered_by]}: {self.answer}"


class ChildEnded(JournalEvent):
    """Such an agent has completed or failed."""

    event: Literal["child_ended"] = "child_ended"
    stage: str
    child: str
    how: Literal["completed", "failed"]


BY = {"person": "a person", "rule": "a rule", "template": "a template", "parent": "the agent above it"}
"""Who answered, in words."""


class Note(JournalEvent):
    """Something that a reader of the journal should know, such as what a stage assumed."""

    event: Literal["note"] = "note"
    stage: str | None = None
    text: str


class RunInterrupted(JournalEvent):
    """Somebody pressed Ctrl-C, or the job was cancelled, while these stages were running."""

    event: Literal["run_interrupted"] = "run_interrupted"
    running: tuple[str, ...]


class RunBroke(JournalEvent):
    """An unexpected error outside of the stages ended the run."""

    event: Literal["run_broke"] = "run_broke"
    message: str
    traceback: Traceback = None


class RunFinished(JournalEvent):
    """A run ends, and its run directory holds the document that says how."""

    event: Literal["run_finished"] = "run_finished"
    outcome: Outcome
    exit_code: int


Event = (
    RunStarted
    | StageStarted
    | StageRetried
    | StageFinished
    | StageReused
    | StageSkipped
    | StageStopped
    | StageErrored
    | RoundStarted
    | RoundEnded
    | MemoIgnored
    | ResultNotStored
    | ConfinementChosen
    | ChildStarted
    | ChildAsked
    | ChildAnswered
    | ChildEnded
    | Note
    | RunInterrupted
    | RunBroke
    | RunFinished
)
"""Everything that can be journaled. Adding an event means adding it here."""

AnyEvent = Annotated[Event, Field(discriminator="event")]
"""`Event` for reading: the field `event` says which one it is."""
