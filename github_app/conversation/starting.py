"""The runs that a conversation starts: what each is for, what the record knows of it, and what follows where it does not start."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from github_app.conversation.asking import RunEnded
from github_app.conversation.effects import CancelRun, SetTimer, StartRun, TimerName
from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Line, Paragraph, Prose, RunLink, Strong, Text
from github_app.conversation.record import (
    Conversation,
    MentionStart,
    PendingAnswer,
    PostponedStart,
    RevisionAsked,
    RunReference,
)
from github_app.conversation.states import EXPIRY_DAYS, Trigger

_MINUTES_OF_STARTS = 60
_REFUSED = {
    PendingAnswer: Trigger.START_REFUSED,
    RevisionAsked: Trigger.REVISION_REFUSED,
    MentionStart: Trigger.MENTION_NOT_STARTED,
}


@dataclass(frozen=True)
class SpentDay:
    """A day (UTC) on which a repository has reached its limit, in dollars. `until` is the first moment of the next day."""

    dollars: float
    limit: float
    until: datetime


@dataclass(frozen=True)
class StartRefused(ConversationEvent):
    """GitHub refused to start a run."""

    refuses_start: ClassVar[bool] = True

    start: StartRun
    status: int
    message: str
    now: datetime

    def trigger(self, conversation: Conversation) -> Trigger | None:
        cause = conversation.cause_of(self.start)
        return None if cause is None else _REFUSED[type(cause)]

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        """What led to the start is open again."""
        if trigger is Trigger.START_REFUSED:
            deadline = self.now + timedelta(days=EXPIRY_DAYS)
            return conversation.model_copy(update={"given": None, "expires_at": deadline})
        if trigger is Trigger.REVISION_REFUSED:
            mends = conversation.revision is not None and conversation.revision.asked is None
            name = "check_revisions" if mends else "revisions"
            fewer = {name: getattr(conversation, name) - 1}
            return conversation.model_copy(update={"revision": None, **fewer})
        return conversation

    def notice(self, _before: Conversation, _after: Conversation, trigger: Trigger) -> KeyedNotice:
        about, number = self.start.about, self.start.id
        key, again = {
            Trigger.START_REFUSED: (
                f"not-started:{about}:{number}",
                "reply again with `/answer` and the number",
            ),
            Trigger.REVISION_REFUSED: (f"revision-not-started:{about}", "ask for the changes again"),
            Trigger.MENTION_NOT_STARTED: (f"mention-not-started:{number}", "write `@askfirst` again"),
        }[trigger]
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


def start_timer_of(record: Conversation) -> Iterator[SetTimer]:
    """The timer of a run that waits for the next day."""
    if (late_start := record.waiting_start) is not None:
        at = start_at(late_start.until, record.issue)
        yield SetTimer(name=TimerName.START, question_id=late_start.timer, at=at)


def start_at(until: datetime, issue: int) -> datetime:
    """When the run of an issue starts on the next day.

    What a run costs is known when it has ended. If all that wait started at once, they would spend the limit many times
    before the first one has ended. So they are spread over an hour: issue 418 starts 58 minutes after midnight.
    """
    return until + timedelta(minutes=issue % _MINUTES_OF_STARTS)


def rerun_refused(conversation: Conversation, run: RunReference, why: str, now: datetime) -> RunEnded:
    """What happened where GitHub does not run a run again: it has no result."""
    return RunEnded(
        run=run, nonce=None, created_at=conversation.labelled_at or now, commit=conversation.commit or "", ending=None,
        why=why, memo=None, author=conversation.author or "", ticket_sha256=conversation.ticket_sha256 or "", now=now,
    )  # fmt: skip
