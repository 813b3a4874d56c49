"""What the App knows about one conversation: all that must survive a restart, and all that cannot be asked again."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from github_app.conversation.effects import Effect, RerunRun, StartRun, StoredModel
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import AskedOf, Clarification
from pipeline.contract.decisions import Decision
from pipeline.contract.revision import ChangesAsked, FailedChecks


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

    @property
    def has_run(self) -> bool:
        """Whether a run of ours is going, or about to start."""
        return self in {State.RUNNING, State.REVISING}

    @property
    def asks(self) -> bool:
        """Whether a question waits for its answer, before its time is over."""
        return self in {State.ASKING, State.ASKING_IN_REVIEW}

    @property
    def has_question(self) -> bool:
        """Whether a question can be answered."""
        return self.asks or self is State.EXPIRED


OPEN_STATES = frozenset(
    state for state in State if state.has_run or state.has_question or state is State.PUBLISHING
)
"""States in which somebody or something is waited for."""


class CheckVerdict(StrEnum):
    """What a check says of the change. `ENDED` says nothing: it was cancelled, or waits for somebody's approval."""

    RUNNING = "running"
    PASSED = "passed"
    BROKEN = "broken"
    RED_BEFORE = "red before"
    UNKNOWN = "unknown"
    ENDED = "ended"


class JudgedCheck(StoredModel):
    """A check of the head with its verdict. `name` is that of the check, and of its App where another one has such a check, too.
    `job_id` is that of the job whose log tells why, or that still runs.
    """

    name: str
    verdict: CheckVerdict
    job_id: int | None = None


class RunReference(StoredModel):
    """One attempt of one run."""

    run_id: int
    attempt: int


class MemoReference(StoredModel):
    """Stage results of a run, for the next one. `sha256` is what GitHub said when the run ended."""

    run_id: int
    sha256: str


class PendingAnswer(StoredModel):
    """The answer that the current run works on, and who gave it where.

    `surface` names where it was given, if not on GitHub. `choice` is the id of the option that was chosen (`choices` those
    of several), also where the answer itself travels as a verdict or as text; `points` are the options of a plan that the
    reply named.
    `said` is the reply in short; `beside` is what it says beyond a choice or a command, which is not acted on. `keep` is what
    became of the wish that it hold for later tickets, by `kept_by`; None without such a wish.
    """

    answer: Answer
    login: str
    said: str
    choice: str | None = None
    choices: tuple[str, ...] = ()
    points: tuple[tuple[str, str], ...] = ()
    beside: str | None = None
    by_default: bool = False
    keep: Literal["kept", "no_role", "not_about_code"] | None = None
    kept_by: str | None = None
    nonce: str | None = None
    run_id: int | None = None
    surface: str | None = None

    @property
    def start(self) -> StartRun:
        """The run that works on it."""
        return StartRun(about=self.answer.question_id, id=self.answer.comment_id or 0)


ClosureName = Literal["cancelled", "expired", "issue_closed", "unlabeled", "ticket_edited", "limit"]


class QuestionClosure(StoredModel):
    """How a question was closed without an answer."""

    how: ClosureName
    login: str | None = None


class Exchange(StoredModel):
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


class PullRequestRecord(StoredModel):
    """The pull request that a conversation led to. `head` is our newest commit on `branch`, on which people may have
    pushed more, and `earlier` are those that stood there before; `base_commit` is the commit of the default branch from
    which the first change was made. `offered` is how many exchanges were looked through for decisions by then.
    `is_taken_over`: a person has pushed, so we push only what a person asks for. `executed_files` are files of our commits
    that run on installation or in CI, each with why. `body_sha256` is of the description as we wrote it last, and None
    once a person has edited that.
    """

    number: int
    branch: str
    head: str
    base_commit: str
    offered: int = 0
    earlier: tuple[str, ...] = ()
    is_taken_over: bool = False
    executed_files: tuple[tuple[str, str], ...] = ()
    body_sha256: str | None = None

    def is_ours(self, commit: str) -> bool:
        """Whether we made a commit that stands, or stood, at the head of the branch."""
        return commit == self.head or commit in self.earlier

    def after_push(
        self, *commits: str, executed_files: tuple[tuple[str, str], ...] = (), over_a_push: bool
    ) -> "PullRequestRecord":
        """The same after we have pushed commits, the last of which is the head. A person's push is never forgotten."""
        earlier = dict.fromkeys((*self.earlier, self.head, *commits[:-1]))
        return self.model_copy(
            update={
                "head": commits[-1],
                "earlier": tuple(earlier),
                "is_taken_over": self.is_taken_over or over_a_push,
                "executed_files": tuple(dict.fromkeys((*self.executed_files, *executed_files))),
            }
        )


class RevisionAsked(StoredModel):
    """The changes that somebody has asked for last, or the checks that failed, and the run that works on them."""

    asked: ChangesAsked | None = None
    failed: FailedChecks | None = None
    nonce: str | None = None
    run_id: int | None = None

    @property
    def source(self) -> str:
        """Where they were asked for: the same for the same review, comment or commit, however often it is said."""
        if self.asked is None:
            return f"checks:{self.failed.commit if self.failed else ''}"
        review, comment = self.asked.review_id, self.asked.comment_id
        return f"comment:{comment}" if review is None else f"review:{review}"

    @property
    def start(self) -> StartRun:
        """The run that works on it. The id is that of the review or comment; 0 for checks, whose source names their commit."""
        source_id = 0 if self.asked is None else self.asked.review_id or self.asked.comment_id
        return StartRun(about=self.source, id=source_id or 0)


class MentionStart(StoredModel):
    """The comment that started a conversation without the label, and its run."""

    comment_id: int
    nonce: str | None = None
    run_id: int | None = None

    @property
    def start(self) -> StartRun:
        """The first run of the conversation."""
        return StartRun(about="mention", id=self.comment_id)


RunCause = PendingAnswer | RevisionAsked | MentionStart
"""For what the App starts a run itself."""


class PostponedStart(StoredModel):
    """A run that waits for the next day. `run` is the attempt that a label has started, if it was cancelled for that.
    `is_due` says that the day has come.
    """

    until: datetime
    run: RunReference | None = None
    is_due: bool = False

    @property
    def timer(self) -> str:
        """The day, as the subject of the timer."""
        return f"{self.until:%Y-%m-%d}"


class RunProgress(StoredModel):
    """How far the newest run was when GitHub last told. `look` counts the looks at its steps since it started."""

    run: RunReference
    is_started: bool = False
    step: str | None = None
    look: int = 0


class Conversation(StoredModel):
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
    sent: datetime | None = None
    """When the effect at the head of the outbox was sent. GitHub may have it, whether or not its answer arrived."""
    last_run: RunReference | None = None
    """The newest run whose ending has been taken."""
    labelled_at: datetime | None = None
    """When the label was set that started this conversation; a run that is older does not belong to it."""
    run_created_at: datetime | None = None
    """When the newest run was created whose ending has been taken; a label that is older has been dealt with."""
    mention: MentionStart | None = None
    ticket_sha256: str | None = None
    ticket_keys: tuple[str, ...] = ()
    """Tickets of other trackers that the issue named when it was labelled: surfaces in a tracker show the question there."""
    commit: str | None = None
    author: str | None = None
    """Login of the issue's author."""
    maintainer: str | None = None
    """Login of who started the conversation, with write access."""

    question: Clarification | None = None
    asked_in: RunReference | None = None
    question_comment_id: int | None = None
    question_on: int | None = None
    """Number of the pull request on which the question stands; None for the issue itself."""
    expires_at: datetime | None = None
    hinted: bool = False
    keep_wished_by: str | None = None
    """Who ticked the box that keeps the answer to the open question for later tickets."""
    given: PendingAnswer | None = None
    ended: QuestionClosure | None = None

    taken: tuple[int, ...] = ()
    """Ids of the comments that were acted upon: whatever is delivered again about them says nothing new."""
    rounds: int = 0
    starts: int = 0
    answers: tuple[Answer, ...] = ()
    memo: MemoReference | None = None
    exchanges: tuple[Exchange, ...] = ()
    """The questions that were answered before the current one."""
    pull_request: PullRequestRecord | None = None
    is_edited: bool = False
    """Whether the issue was edited after its pull request was opened, which is said once."""
    revision: RevisionAsked | None = None
    revisions: int = 0
    check_revisions: int = 0
    """How often the pull request was changed again because of its checks, and not because a person asked."""
    reviewed: tuple[str, ...] = ()
    """Sources of the changes that were asked for and acted upon."""
    dollars: float = 0.0
    """The cost of its ended runs, as far as they reported it."""
    progress: RunProgress | None = None
    """None until GitHub told of a run that makes a change: then one comment says where it is."""
    progress_comment_id: int | None = None
    work: str | None = None
    """What the last run that made a change took, in figures."""
    checks: tuple[JudgedCheck, ...] = ()
    """The checks of the pull request's head as they were last seen."""
    postponed_start: PostponedStart | None = None
    """The last start that had to wait for another day; None once the App has started a run."""
    runs: tuple[int, ...] = ()
    """Ids of the runs that this App dispatched for this conversation, oldest first."""

    @property
    def waiting_start(self) -> PostponedStart | None:
        """The start that waits for another day now."""
        late_start = self.postponed_start
        return None if late_start is None or late_start.is_due else late_start

    @property
    def addressee(self) -> str | None:
        """Login of the person whom the open question concerns: the maintainer for what the product should be, else the author."""
        is_of_maintainer = self.question is not None and self.question.question.asked_of is AskedOf.MAINTAINER
        return self.maintainer if is_of_maintainer and self.maintainer is not None else self.author

    @property
    def other_addressee(self) -> str | None:
        """Login of whom further points may concern: the author next to the maintainer, or the maintainer next to the author."""
        login = self.author if self.addressee == self.maintainer else self.maintainer
        return None if login == self.addressee else login

    @property
    def run_cause(self) -> RunCause | None:
        """For what the App has started the newest run itself; None for a run that a label has started."""
        return self.given or self.revision or self.mention

    def cause_of(self, start: StartRun) -> RunCause | None:
        """For what a run is to be started; None where the record waits for something else by now."""
        cause = self.run_cause
        return cause if cause is not None and cause.start == start else None

    @property
    def next_start(self) -> StartRun | RerunRun | None:
        """The start of the run that the record waits for. One that a label has started is run again."""
        if (cause := self.run_cause) is not None:
            return cause.start
        run = self.postponed_start.run if self.postponed_start is not None else None
        return None if run is None else RerunRun(run_id=run.run_id, attempt=run.attempt)

    def with_run(self, cause: RunCause, run_id: int | None, nonce: str) -> "Conversation":
        """The record of a run that was started; `run_id` is None where GitHub does not tell it."""
        update: dict[str, object] = {"postponed_start": None}
        if run_id is not None:
            update["runs"] = (*self.runs, run_id)
        cause_with_run = cause.model_copy(update={"run_id": run_id, "nonce": nonce})
        match cause:
            case PendingAnswer():
                update |= {"given": cause_with_run, "starts": self.starts + 1}
            case RevisionAsked():
                update["revision"] = cause_with_run
            case MentionStart():
                update["mention"] = cause_with_run
        return self.model_copy(update=update)

    def waits_for(self, run: RunReference, nonce: str | None, created_at: datetime) -> bool:
        """Whether a run is the one that the conversation waits for.

        Waiting for an answer's run: the run that was dispatched for it. Waiting for a label's run: one that a label started,
        not before that label. After a failure: a later attempt of the same run.
        """
        if self.last_run is not None and self.last_run.run_id == run.run_id:
            return self.state is State.FAILED and run.attempt > self.last_run.attempt
        if not self.state.has_run:
            return False
        if (cause := self.run_cause) is not None:
            by_nonce = cause.run_id is None and nonce is not None and nonce == cause.nonce
            return run.run_id == cause.run_id or by_nonce
        return nonce is None and (self.labelled_at is None or created_at >= self.labelled_at)

    def with_closure(self, how: ClosureName) -> "Conversation":
        """The record with its question closed without an answer. An answered question does not change."""
        closure = QuestionClosure(how=how)
        return self.model_copy(update={"ended": closure}) if self.given is None else self

    @property
    def every_answer(self) -> tuple[Answer, ...]:
        """All answers, the one that the current run works on included."""
        return self.answers if self.given is None else (*self.answers, self.given.answer)
