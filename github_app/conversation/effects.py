"""The actions of the App, as data: the table decides on them, `perform.py` does each at most once."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from github_app.conversation.message import Block, Paragraph, StartedRun


class StoredModel(BaseModel):
    """A value that must survive a restart: kept as JSON in the store, immutable in the program."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TimerName(StrEnum):
    """The timers of a conversation."""

    REMINDER = "reminder"
    EXPIRY = "expiry"
    PROGRESS = "progress"
    START = "start"


class ReactionName(StrEnum):
    """GitHub's names of the reactions that we use as receipts; a person's reaction is never read as an answer."""

    EYES = "eyes"
    ROCKET = "rocket"
    CONFUSED = "confused"


class LabelName(StrEnum):
    """Our labels. The first starts a run; the others only say where the conversation stands."""

    START = "askfirst"
    NEEDS_ANSWER = "askfirst:needs-answer"
    READY = "askfirst:ready"


class PostQuestion(StoredModel):
    """Post the open question of the record as a comment, unless its marker is there already."""

    does: Literal["PostQuestion"] = "PostQuestion"
    question_id: str


class EditQuestion(StoredModel):
    """Make the question's comment say what became of it, as the record has it now."""

    does: Literal["EditQuestion"] = "EditQuestion"
    question_id: str


class React(StoredModel):
    """Leave a receipt on a comment, or on the issue itself where `comment_id` is None."""

    does: Literal["React"] = "React"
    comment_id: int | None
    reaction: ReactionName


class StartRun(StoredModel):
    """Start the pipeline with all that the record holds, unless a run that carries the same nonce exists.

    The nonce is made of what the run is for: equal values of `about` and `id` start one run, ever. For an answer these are the
    question's id and the comment's, for a revision and a mention see `record.RevisionAsked` and `record.MentionStart`.
    """

    does: Literal["StartRun"] = "StartRun"
    about: str
    id: int


class Publish(StoredModel):
    """Make the change of a run a commit and a draft pull request, unless both are there.

    `digest` is that of the artifact as it was when the run ended: an artifact altered since is refused.
    """

    does: Literal["Publish"] = "Publish"
    run_id: int
    attempt: int
    digest: str


class CancelRun(StoredModel):
    """Stop a run that works on an answer which no longer holds."""

    does: Literal["CancelRun"] = "CancelRun"
    run_id: int


class RerunRun(StoredModel):
    """Run a run again that was cancelled in an attempt, unless it has a later one."""

    does: Literal["RerunRun"] = "RerunRun"
    run_id: int
    attempt: int


class ShowProgress(StoredModel):
    """Make the one comment about the build say what the record knows now; post it if there is none."""

    does: Literal["ShowProgress"] = "ShowProgress"


class AddLabel(StoredModel):
    """Put one of our labels on the issue."""

    does: Literal["Label"] = "Label"
    label: LabelName


class RemoveLabel(StoredModel):
    """Take one of our labels off the issue."""

    does: Literal["Unlabel"] = "Unlabel"
    label: LabelName


class SetTimer(StoredModel):
    """Let something happen later, about a question or about the look at a run that `question_id` names."""

    does: Literal["SetTimer"] = "SetTimer"
    name: TimerName
    question_id: str
    at: datetime


class CancelTimer(StoredModel):
    """Take a timer back."""

    does: Literal["CancelTimer"] = "CancelTimer"
    name: TimerName
    question_id: str


class PostNotice(StoredModel):
    """Say something once. `key` is the same for the same thing, however often it is decided."""

    does: Literal["PostNotice"] = "PostNotice"
    key: str
    on_pull_request: bool = False
    blocks: tuple[Block, ...]

    @property
    def announces_run(self) -> bool:
        """Whether it tells of a run that is started just before it."""
        lines = (line for block in self.blocks if isinstance(block, Paragraph) for line in block.lines)
        return any(isinstance(part, StartedRun) for line in lines for part in line)


Effect = (
    PostQuestion
    | ShowProgress
    | EditQuestion
    | PostNotice
    | React
    | StartRun
    | Publish
    | CancelRun
    | RerunRun
    | AddLabel
    | RemoveLabel
    | SetTimer
    | CancelTimer
)
