"""The runs that a conversation starts: what each is for, what the record knows of it, and what follows where it does not start."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, NamedTuple, assert_never

from github_app.conversation.asking import RunEnded
from github_app.conversation.daily_spend import SpentDay, start_at
from github_app.conversation.effects import (
    CancelRun,
    Effect,
    RerunRun,
    SetTimer,
    Start,
    StartMentioned,
    StartRevision,
    StartRun,
    TimerName,
)
from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Line, Paragraph, Prose, RunLink, Strong, Text
from github_app.conversation.record import Conversation, PostponedStart, RunReference
from github_app.conversation.states import EXPIRY_DAYS, Action, Trigger


class RunSource(NamedTuple):
    """What a run is for, of which its nonce is made: equal sources start one run, ever."""

    about: str
    id: int


_REFUSED = {
    StartRun: Trigger.START_REFUSED,
    StartRevision: Trigger.REVISION_REFUSED,
    StartMentioned: Trigger.MENTION_NOT_STARTED,
}


@dataclass(frozen=True)
class StartRefused(ConversationEvent):
    """GitHub refused to start a run."""

    refuses_start: ClassVar[bool] = True

    start: Start
    status: int
    message: str
    now: datetime

    def trigger(self, conversation: Conversation) -> Trigger | None:
        if source_of(conversation, self.start) is None:
            return None
        return _REFUSED[type(self.start)]

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        """What led to the start is open again."""
        if isinstance(self.start, StartRun):
            deadline = self.now + timedelta(days=EXPIRY_DAYS)
            return conversation.model_copy(update={"given": None, "expires_at": deadline})
        if isinstance(self.start, StartRevision):
            mends = conversation.revision is not None and conversation.revision.asked is None
            name = "check_revisions" if mends else "revisions"
            fewer = {name: getattr(conversation, name) - 1}
            return conversation.model_copy(update={"revision": None, **fewer})
        return conversation

    def notice(self, _before: Conversation, _after: Conversation, _trigger: Trigger) -> KeyedNotice:
        match self.start:
            case StartRun(question_id=question_id, comment_id=comment_id):
                key, again = (
                    f"not-started:{question_id}:{comment_id}",
                    "reply again with `/answer` and the number",
                )
            case StartRevision(source=source):
                key, again = f"revision-not-started:{source}", "ask for the changes again"
            case StartMentioned(comment_id=comment_id):
                key, again = f"mention-not-started:{comment_id}", "write `@askfirst` again"
            case _:
                assert_never(self.start)
        line: Line = (
            Strong((Text("I could not start the run:"),)), Text(f" GitHub answered {self.status}, “"), Prose(self.message),
            Text("”. Is `.github/workflows/askfirst.yml` on the default branch, enabled, and written by `askfirst init --app`? May "
                 f"Actions run here? When this is fixed, {again}."),
        )  # fmt: skip
        return key, [Paragraph((line,))]


@dataclass(frozen=True)
class StartPostponed(ConversationEvent):
    """A run must wait for the next day. `run` is one that a label has started at `run_created_at`, and that is cancelled."""

    refuses_start: ClassVar[bool] = True

    day: SpentDay
    run: RunReference | None = None
    run_created_at: datetime | None = None

    def trigger(self, conversation: Conversation) -> Trigger | None:
        run, created_at = self.run, self.run_created_at
        is_other = run is not None and created_at and not conversation.waits_for(run, None, created_at)
        return None if is_other else Trigger.START_POSTPONED

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        earlier_run = conversation.postponed_start.run if conversation.postponed_start else None
        late_start = PostponedStart(until=self.day.until, run=self.run or earlier_run)
        return conversation.model_copy(update={"postponed_start": late_start})

    def cancelled_run(self, _before: Conversation) -> CancelRun | None:
        return None if self.run is None else CancelRun(run_id=self.run.run_id)

    def notice(self, _before: Conversation, _after: Conversation, _trigger: Trigger) -> KeyedNotice:
        about_run: Line = (Text("The next run has not started."),)
        if self.run is not None:
            about_run = (Text("Run "), RunLink(str(self.run.run_id)), Text(" is cancelled."))
        line: Line = (
            Strong((Text("Paused until tomorrow:"),)),
            Text(f" this repository has used ${self.day.dollars:.2f} of its ${self.day.limit:.2f} daily budget. "),
            *about_run,
            Text(f" It starts by itself on {self.day.until:%Y-%m-%d}, in the first hour after 00:00 UTC. To stop it, comment "
                 "`/cancel`. The operator of this App can set another limit (`ASKFIRST_DOLLARS_PER_DAY`)."),
        )  # fmt: skip
        return f"spent:{self.day.until:%Y-%m-%d}", [Paragraph((line,))]


@dataclass(frozen=True)
class StartDue(ConversationEvent):
    """The day has come on which a run may start that had to wait."""

    def trigger(self, conversation: Conversation) -> Trigger | None:
        return None if conversation.waiting_start is None else Trigger.START_DUE

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        earlier = conversation.postponed_start
        due = None if earlier is None else earlier.model_copy(update={"is_due": True})
        return conversation.model_copy(update={"postponed_start": due})


def source_of(conversation: Conversation, start: Start) -> RunSource | None:
    """What a run is to be started for; None where the record waits for something else by now."""
    match start:
        case StartRun():
            answer = conversation.given
            is_current = answer is not None and answer.answer.comment_id == start.comment_id
            return RunSource(start.question_id, start.comment_id) if is_current else None
        case StartRevision():
            revision = conversation.revision
            is_current = revision is not None and revision.source == start.source
            return RunSource(start.source, revision.source_id) if revision and is_current else None
        case StartMentioned():
            mention = conversation.mention
            is_current = mention is not None and mention.comment_id == start.comment_id
            return RunSource("mention", start.comment_id) if is_current else None
        case _:
            assert_never(start)


def with_run(conversation: Conversation, start: Start, run_id: int | None, nonce: str) -> Conversation:
    """The record of a run that was started; `run_id` is None where GitHub does not tell it."""
    run = {"run_id": run_id, "nonce": nonce}
    update: dict[str, object] = {"postponed_start": None}
    if run_id is not None:
        update["runs"] = (*conversation.runs, run_id)
    match start:
        case StartRun() if conversation.given is not None:
            update |= {"given": conversation.given.model_copy(update=run), "starts": conversation.starts + 1}
        case StartRevision() if conversation.revision is not None:
            update["revision"] = conversation.revision.model_copy(update=run)
        case StartMentioned() if conversation.mention is not None:
            update["mention"] = conversation.mention.model_copy(update=run)
    return conversation.model_copy(update=update)


def starts_of(action: Action, conversation: Conversation) -> Iterator[Effect]:
    """The effects of an action that starts a run without an answer, or lets one wait for the next day."""
    if action is Action.SET_START_TIMER:
        yield from start_timer_of(conversation)
    elif action is Action.START_REVISION and conversation.revision is not None:
        yield StartRevision(source=conversation.revision.source)
    elif action is Action.START_MENTIONED and conversation.mention is not None:
        yield StartMentioned(comment_id=conversation.mention.comment_id)
    elif action is Action.START_POSTPONED_RUN and (start := _postponed_start_of(conversation)) is not None:
        yield start


def _postponed_start_of(conversation: Conversation) -> Start | RerunRun | None:
    """The start that a record waits for, to be done now."""
    if (pending_answer := conversation.given) is not None:
        answer = pending_answer.answer
        return StartRun(question_id=answer.question_id, comment_id=answer.comment_id or 0)
    if conversation.revision is not None:
        return StartRevision(source=conversation.revision.source)
    if conversation.mention is not None:
        return StartMentioned(comment_id=conversation.mention.comment_id)
    late_start = conversation.postponed_start
    if late_start is None or late_start.run is None:
        return None
    return RerunRun(run_id=late_start.run.run_id, attempt=late_start.run.attempt)


def start_timer_of(record: Conversation) -> Iterator[SetTimer]:
    """The timer of a run that waits for the next day."""
    if (late_start := record.waiting_start) is not None:
        at = start_at(late_start.until, record.issue)
        yield SetTimer(name=TimerName.START, question_id=late_start.timer, at=at)


def rerun_refused(conversation: Conversation, run: RunReference, why: str, now: datetime) -> RunEnded:
    """What happened where GitHub does not run a run again: it has no result."""
    return RunEnded(
        run=run, nonce=None, created_at=conversation.labelled_at or now, commit=conversation.commit or "", ending=None,
        why=why, memo=None, author=conversation.author or "", ticket_sha256=conversation.ticket_sha256 or "", now=now,
    )  # fmt: skip
