"""What can happen to a conversation, in our words."""

from dataclasses import dataclass
from datetime import datetime

from github_app.conversation.checks import JudgedCheck
from github_app.conversation.daily_spend import SpentDay
from github_app.conversation.effects import TimerName
from github_app.conversation.record import MemoReference, PullRequestRecord, RunProgress, RunReference
from pipeline.contract.change import Work
from pipeline.contract.clarification import Clarification
from pipeline.contract.commands import Wish
from pipeline.contract.failure import Failure
from pipeline.contract.reply_meaning import Reply
from pipeline.contract.revision import ChangesAsked
from pipeline.contract.ticket import Ticket


@dataclass(frozen=True)
class IssueLabeled:
    """Somebody who may start runs has set the label. The hash is of the title and body in the signed payload.

    `labeller` is None where nobody saw the label being set. `ticket_keys` are those of other trackers in title and body.
    """

    at: datetime
    author: str
    ticket_sha256: str
    labeller: str | None = None
    ticket_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelRefused:
    """Somebody who may not start runs has set the label."""

    at: datetime
    login: str
    role: str


@dataclass(frozen=True)
class IssueUnlabeled:
    """The label was taken off."""


@dataclass(frozen=True)
class IssueEdited:
    """Title or body were edited; the hash is of the new text. `is_ready` says that the issue is labelled so."""

    ticket_sha256: str
    is_ready: bool = False


@dataclass(frozen=True)
class IssueClosed:
    """The issue was closed."""


@dataclass(frozen=True)
class RunEnded:
    """A run that carries this conversation's number has ended.

    `change` is the digest of the artifact that holds a change beside the ticket; None where there is none. `dollars` is what the
    run has told of its cost.

    `nonce` is None for a run that a label started. `ending` is None where it cannot be read, and `why` says why. `author` is the login of the issue's author.
    """

    run: RunReference
    nonce: str | None
    created_at: datetime
    commit: str
    ending: Clarification | Failure | Ticket | None
    why: str
    memo: MemoReference | None
    author: str
    ticket_sha256: str
    now: datetime
    change: str | None = None
    dollars: float = 0.0


@dataclass(frozen=True)
class RunProgressed:
    """A run was queued, has started, or was looked at again. `nonce` and `created_at` are None for another look."""

    progress: RunProgress
    nonce: str | None
    created_at: datetime | None
    now: datetime


@dataclass(frozen=True)
class ReplyReceived:
    """A person has commented. `may_answer` and `may_keep` are decided before; `text` is what a run reads of it,
    `excerpt` the same in short.

    `surface` names where the person said it, if not on GitHub: then the comment is ours, which passes it on.
    """

    reply: Reply
    comment_id: int
    login: str
    text: str
    excerpt: str
    may_answer: bool
    is_command: bool = False
    is_edit: bool = False
    may_keep: bool = False
    surface: str | None = None


@dataclass(frozen=True)
class MentionReceived:
    """Somebody wrote to us where no answer is waited for. `may` is the same as for the label: write access.

    `ticket_sha256` is of the issue as the comment was written on it, `ticket_keys` are those of other trackers in it.
    """

    wish: Wish
    comment_id: int
    login: str
    may: bool
    at: datetime
    author: str
    ticket_sha256: str
    ticket_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class MentionNotStarted:
    """GitHub refused to start the run for a mention."""

    comment_id: int
    status: int
    message: str


@dataclass(frozen=True)
class ChangesRequested:
    """Somebody wants the pull request changed, in a review or by a command in a comment.

    `head` is the commit that the pull request stands at, whoever made it; None for one that is closed.
    """

    request: ChangesAsked
    may_ask: bool
    is_empty: bool
    head: str | None


@dataclass(frozen=True)
class ChecksSeen:
    """Checks of the pull request's head, as they stand now. `head` may be a commit that we did not make."""

    head: str
    checks: tuple[JudgedCheck, ...]


@dataclass(frozen=True)
class ChangePublished:
    """The change of the newest run stands on GitHub. `work` is None where nobody told how it came about."""

    run: RunReference
    pull_request: PullRequestRecord
    work: Work | None


@dataclass(frozen=True)
class PublishRefused:
    """The change of the newest run does not become a pull request. `branch` is there, if its commit was made."""

    run: RunReference
    why: str
    branch: str | None = None


@dataclass(frozen=True)
class RevisionNotStarted:
    """GitHub refused to start the run for a revision."""

    source: str
    status: int
    message: str


@dataclass(frozen=True)
class TimerWentOff:
    """A timer about a question."""

    name: TimerName
    question_id: str


@dataclass(frozen=True)
class StartRefused:
    """GitHub refused to start the run for a reply."""

    question_id: str
    comment_id: int
    status: int
    message: str
    now: datetime


@dataclass(frozen=True)
class KeepTicked:
    """A person ticked or cleared the box that keeps the answer for later tickets. `may_keep` is decided before."""

    login: str
    is_ticked: bool
    may_keep: bool


@dataclass(frozen=True)
class StartPostponed:
    """A run must wait for the next day. `run` is one that a label has started at `run_created_at`, and that is cancelled."""

    day: SpentDay
    run: RunReference | None = None
    run_created_at: datetime | None = None


@dataclass(frozen=True)
class StartDue:
    """The day has come on which a run may start that had to wait."""


OnThePullRequest = ChangesRequested | ChecksSeen | ChangePublished | PublishRefused | RevisionNotStarted
"""What happens to a change and on its pull request."""

Event = (
    IssueLabeled
    | LabelRefused
    | IssueUnlabeled
    | IssueEdited
    | IssueClosed
    | RunEnded
    | RunProgressed
    | ReplyReceived
    | MentionReceived
    | MentionNotStarted
    | ChangesRequested
    | ChecksSeen
    | ChangePublished
    | PublishRefused
    | RevisionNotStarted
    | TimerWentOff
    | StartRefused
    | KeepTicked
    | StartPostponed
    | StartDue
)
