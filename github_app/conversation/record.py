"""What the App knows about one conversation: all that must survive a restart, and all that cannot be asked again."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from github_app.conversation.effects import Effect, Stored
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import Clarification
from pipeline.contract.decisions import Decision
from pipeline.contract.revision import ChangesAsked


class State(StrEnum):
    """Where a conversation stands."""

    IDLE = "idle"
    RUNNING = "running"
    ASKING = "asking"
    EXPIRED = "expired"
    READY = "ready"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    REVISING = "revising"
    ASKING_IN_REVIEW = "asking_in_review"
    FAILED = "failed"
    STOPPED = "stopped"
    CLOSED = "closed"


class RunReference(Stored):
    """One attempt of one run."""

    run_id: int
    attempt: int


class Memo(Stored):
    """Stage results of a run, for the next one. `sha256` is what GitHub said when the run ended."""

    run_id: int
    sha256: str


class Given(Stored):
    """The answer that the current run works on, and who gave it where.

    `choice` is the id of the option that was chosen, also where the answer itself travels as a verdict or as text.
    `said` is the reply in short; `beside` is what it says beyond a choice, which nobody acts on. `keep` is what became of
    the wish that it hold for later tickets, by `kept_by`; None where nobody wished so.
    """

    answer: Answer
    login: str
    said: str
    choice: str | None = None
    beside: str | None = None
    by_default: bool = False
    keep: Literal["kept", "no_role", "not_about_code"] | None = None
    kept_by: str | None = None
    nonce: str | None = None
    run_id: int | None = None


class Ended(Stored):
    """How a question was closed without an answer."""

    how: Literal["cancelled", "expired", "issue_closed", "unlabeled", "ticket_edited", "limit"]
    login: str | None = None


class Exchange(Stored):
    """A question that was answered, as a pull request tells it. Texts are cut: our markers have no room for more.

    `approved` is the hash (`answering.approval_of`) of the file that an approved call writes, if it writes one.
    `decision` is what the answer becomes for later tickets once a person merges it; None where it holds for this one.
    """

    question: str
    answer: str
    login: str
    is_decision: bool = False
    approved: tuple[str, ...] = ()
    decision: Decision | None = None


class PullRequest(Stored):
    """The pull request that a conversation led to. `head` is our newest commit on `branch`, on which people may have
    pushed more; `base_commit` is the commit of the default branch from which the first change was made. `offered` is how
    many exchanges were looked through for decisions by then.
    """

    number: int
    branch: str
    head: str
    base_commit: str
    offered: int = 0


class RevisionAsked(Stored):
    """The changes that somebody has asked for last, and the run that works on them."""

    asked: ChangesAsked
    nonce: str | None = None
    run_id: int | None = None

    @property
    def source(self) -> str:
        """Where they were asked for: the same for the same review or comment, whoever asks and however often."""
        review, comment = self.asked.review_id, self.asked.comment_id
        return f"comment:{comment}" if review is None else f"review:{review}"


class MentionStart(Stored):
    """The comment that started a conversation without the label, and its run."""

    comment_id: int
    nonce: str | None = None
    run_id: int | None = None


class Conversation(Stored):
    """The record of one issue's conversation.

    `outbox` holds the effects that were decided and are not yet carried out, oldest first: they are stored together
    with the state that decided them, so that a crash between the two can neither lose nor double one.
    `commit` and `ticket_sha256` come from GitHub (`workflow_run.head_sha`, the signed payload) or from what was
    dispatched, never from an artifact.
    """

    repository_id: int
    issue: int
    version: int = 0
    state: State = State.IDLE
    outbox: tuple[Annotated[Effect, Field(discriminator="does")], ...] = ()

    last_run: RunReference | None = None
    """The newest run whose ending has been taken."""
    labelled_at: datetime | None = None
    """When the label was set that started this conversation; a run that is older does not belong to it."""
    run_created_at: datetime | None = None
    """When the newest run was created whose ending has been taken; a label that is older has been dealt with."""
    mention: MentionStart | None = None
    ticket_sha256: str | None = None
    commit: str | None = None
    author: str | None = None
    """Login of the issue's author: the addressee of a question."""

    question: Clarification | None = None
    asked_in: RunReference | None = None
    question_comment_id: int | None = None
    question_on: int | None = None
    """Number of the pull request on which the question stands; None for the issue itself."""
    expires_at: datetime | None = None
    hinted: bool = False
    given: Given | None = None
    ended: Ended | None = None

    taken: tuple[int, ...] = ()
    """Ids of the comments that were acted upon: whatever is delivered again about them says nothing new."""
    rounds: int = 0
    starts: int = 0
    answers: tuple[Answer, ...] = ()
    memo: Memo | None = None
    exchanges: tuple[Exchange, ...] = ()
    """The questions that were answered before the current one."""
    pull_request: PullRequest | None = None
    revision: RevisionAsked | None = None
    revisions: int = 0
    reviewed: tuple[str, ...] = ()
    """Sources of the changes that were asked for and acted upon."""
    runs: tuple[int, ...] = ()
    """Ids of the runs that this App dispatched for this conversation, oldest first."""
