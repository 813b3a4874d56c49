"""What shall be done, as data: the table decides it, `perform.py` does it, at most once."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pipeline.contract.change import JudgedCriterion, Replies, TestsReport
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket


class StoredModel(BaseModel):
    """A value that must survive a restart: kept as JSON in the store, immutable in the program."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TimerName(StrEnum):
    """What happens later."""

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
    """Start the pipeline again with all answers of the record, unless a run that carries the same nonce exists.

    The nonce is made of `question_id` and `comment_id`, so that one reply can start one run, ever.
    """

    does: Literal["StartRun"] = "StartRun"
    question_id: str
    comment_id: int


class Publish(StoredModel):
    """Make the change of a run a commit and a draft pull request, unless both are there.

    `digest` is that of the artifact as it was when the run ended: what was altered since is refused.
    """

    does: Literal["Publish"] = "Publish"
    run_id: int
    attempt: int
    digest: str


class StartRevision(StoredModel):
    """Start the run that changes the pull request again, unless one that carries the same nonce exists."""

    does: Literal["StartRevision"] = "StartRevision"
    source: str


class StartMentioned(StoredModel):
    """Start the first run of a conversation that a comment began, unless one that carries the same nonce exists."""

    does: Literal["StartMentioned"] = "StartMentioned"
    comment_id: int


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


class NotUnderstood(StoredModel):
    """A reply that says nothing we can act on. `excerpt` is its text; `choices` are options it names at once, if any."""

    notice: Literal["NotUnderstood"] = "NotUnderstood"
    question_id: str
    excerpt: str
    why: Literal["unclear", "conflict", "question", "needs_text", "no_default"]
    choices: tuple[int, ...] = ()


class Help(StoredModel):
    """Somebody asked what can be replied."""

    notice: Literal["Help"] = "Help"
    question_id: str | None


class LateReply(StoredModel):
    """A plain reply to a question that has its answer, or that was closed for good."""

    notice: Literal["LateReply"] = "LateReply"
    question_id: str
    why: Literal["answered", "edited", "ended", "issue_closed"]
    excerpt: str


class DecisionsToAdd(StoredModel):
    """Answers that somebody wants kept, and no pull request to propose them in: `entries` are lines for the file."""

    notice: Literal["DecisionsToAdd"] = "DecisionsToAdd"
    entries: tuple[str, ...]


class DecisionTooLate(StoredModel):
    """Somebody wants an answer kept whose pull request is open already."""

    notice: Literal["DecisionTooLate"] = "DecisionTooLate"


class MentionAnswered(StoredModel):
    """What a comment to us leads to."""

    notice: Literal["MentionAnswered"] = "MentionAnswered"
    how: Literal["started", "noted", "refused", "not_started", "in_vain"]
    login: str = ""
    detail: str = ""


class LabellerRefused(StoredModel):
    """The label was put on by somebody who may not start runs."""

    notice: Literal["LabellerRefused"] = "LabellerRefused"
    login: str
    role: str


class TicketReady(StoredModel):
    """The gate is through: the ticket names its targets, or says that it does not know them."""

    notice: Literal["TicketReady"] = "TicketReady"
    ticket: Ticket
    run_id: int


class RunFailed(StoredModel):
    """A run ended with an error of which it knows the reason."""

    notice: Literal["RunFailed"] = "RunFailed"
    failure: Failure
    run_id: int


class RunUnreadable(StoredModel):
    """A run ended, and what it left behind is missing, expired or must not be used."""

    notice: Literal["RunUnreadable"] = "RunUnreadable"
    why: str
    run_id: int


class RunNotStarted(StoredModel):
    """GitHub refused to start the next run."""

    notice: Literal["RunNotStarted"] = "RunNotStarted"
    status: int
    message: str


class LimitReached(StoredModel):
    """The conversation has used its rounds, or its runs."""

    notice: Literal["LimitReached"] = "LimitReached"
    what: Literal["rounds", "runs"]
    limit: int


class DaySpent(StoredModel):
    """The runs of the repository have cost the dollars of a day. `run_id` is the run that was cancelled, if one was.

    `until` is the first moment of the next day.
    """

    notice: Literal["DaySpent"] = "DaySpent"
    dollars: float
    limit: float
    until: datetime
    run_id: int | None = None


class TicketEdited(StoredModel):
    """The ticket was edited while its labelled version was being worked on (`is_over`: or after that), or after its pull request
    was opened. `was_ready` says that it was labelled so.
    """

    notice: Literal["TicketEdited"] = "TicketEdited"
    pull_request: int | None = None
    is_over: bool = False
    was_ready: bool = False


class Reminder(StoredModel):
    """Nobody has answered for some days."""

    notice: Literal["Reminder"] = "Reminder"
    question_id: str


class PullRequestOpened(StoredModel):
    """The change stands as a draft pull request. `replies` is None where nobody told whose words it was made of."""

    notice: Literal["PullRequestOpened"] = "PullRequestOpened"
    number: int
    replies: Replies | None


class PullRequestRevised(StoredModel):
    """One more commit answers what was asked for in a review. `tests` and `replies` are None where nobody told.

    `wishes` are what was asked for, each with what was done and where.
    """

    notice: Literal["PullRequestRevised"] = "PullRequestRevised"
    commit: str
    wishes: tuple[JudgedCriterion, ...] = ()
    tests: TestsReport | None
    replies: Replies | None
    run_id: int


class ChangeNotPublished(StoredModel):
    """A run made a change, and it does not become a pull request. `why` is a clause; `branch` is there, if one was made."""

    notice: Literal["ChangeRefused"] = "ChangeRefused"
    why: str
    run_id: int
    branch: str = ""


class RevisionStarted(StoredModel):
    """A run works on what was asked for."""

    notice: Literal["RevisionStarted"] = "RevisionStarted"
    login: str


class RevisionNotTaken(StoredModel):
    """Changes were asked for, and nothing was started."""

    notice: Literal["RevisionNotTaken"] = "RevisionNotTaken"
    why: Literal["busy", "asking", "empty", "limit", "closed", "issue_closed", "refused"]
    detail: str = ""


class ChecksFailed(StoredModel):
    """Checks that the change broke, by name, and what follows: a revision, or none any more. `after` counts revisions."""

    notice: Literal["ChecksFailed"] = "ChecksFailed"
    how: Literal["mending", "given_up", "overtaken"]
    names: tuple[str, ...] = ()
    after: int = 0


NoticeOfIssue = LabellerRefused | TicketEdited | Reminder

NoticeOfRun = TicketReady | RunFailed | RunUnreadable | RunNotStarted | LimitReached | DaySpent

NoticeOfReply = NotUnderstood | Help | LateReply | DecisionTooLate

NoticeOfPullRequest = (
    PullRequestOpened
    | PullRequestRevised
    | ChangeNotPublished
    | RevisionStarted
    | RevisionNotTaken
    | ChecksFailed
)

Notice = NoticeOfIssue | NoticeOfRun | NoticeOfReply | NoticeOfPullRequest | DecisionsToAdd | MentionAnswered


class PostNotice(StoredModel):
    """Say something once. `key` is the same for the same thing, whoever asks for it and however often."""

    does: Literal["PostNotice"] = "PostNotice"
    key: str
    on_pull_request: bool = False
    notice: Annotated[Notice, Field(discriminator="notice")]


Effect = (
    PostQuestion
    | ShowProgress
    | EditQuestion
    | PostNotice
    | React
    | StartRun
    | Publish
    | StartRevision
    | StartMentioned
    | CancelRun
    | RerunRun
    | AddLabel
    | RemoveLabel
    | SetTimer
    | CancelTimer
)
