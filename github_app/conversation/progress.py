"""How far a run is, as GitHub tells it, and the one comment of an issue that says where its build is. Pure.

Deliveries come late, twice and in any order, and timers look again while a run goes. So what is told is taken only if it
is further than what is known: another run, or the same one started, or the next look of the one chain of timers.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from github_app.conversation.effects import SetTimer, TimerName
from github_app.conversation.event import ConversationEvent
from github_app.conversation.message import (
    Aside,
    Code,
    Line,
    Message,
    PullRequestLink,
    RunLink,
    Table,
    Text,
    joined,
)
from github_app.conversation.record import (
    CheckVerdict,
    Conversation,
    JudgedCheck,
    RunProgress,
    State,
)
from github_app.conversation.states import MAX_CHECK_REVISIONS, Action, Trigger

LOOK_EVERY = timedelta(seconds=60)
"""Between two looks at the steps of a run: GitHub announces that a job begins and ends, and not its steps."""

_DEFINITION = re.compile(r"""^[ \t]+definition:[ \t]*["']?([^\s"'#]+)""", re.MULTILINE)
_MAKES_NO_CHANGE = frozenset({"gate", "triage"})
_MOST_NAMED = 5
_IN_WORDS = {
    State.IDLE: "not started",
    State.ASKING: "waits for the answer to a question here",
    State.EXPIRED: "stopped: the question was not answered in time, and can still be",
    State.READY: "ended with a ticket, and without a change",
    State.PUBLISHING: "ended; the change is being published",
    State.PUBLISHED: "ended with a change",
    State.ASKING_IN_REVIEW: "waits for the answer to a question on the pull request",
    State.FAILED: "ended without a change: a comment says why",
    State.STOPPED: "stopped",
    State.CLOSED: "ended: the issue is closed",
}
_VERDICTS = {
    CheckVerdict.BROKEN: "failed, passes on the base",
    CheckVerdict.RED_BEFORE: "failed, on the base, too",
    CheckVerdict.UNKNOWN: "failed, no result on the base",
    CheckVerdict.RUNNING: "running",
    CheckVerdict.ENDED: "cancelled or waiting for approval",
}


@dataclass(frozen=True)
class RunProgressed(ConversationEvent):
    """A run was queued, has started, or was looked at again. `nonce` and `created_at` are None for another look."""

    progress: RunProgress
    nonce: str | None
    created_at: datetime | None
    now: datetime

    def trigger(self, conversation: Conversation) -> Trigger | None:
        """Another look is at a run of which it is known that it is waited for."""
        if not is_further(self.progress, conversation.progress):
            return None
        if self.created_at is None:
            is_awaited = conversation.state.has_run or conversation.state is State.FAILED
        else:
            is_awaited = conversation.waits_for(self.progress.run, self.nonce, self.created_at)
        return Trigger.RUN_PROGRESSED if is_awaited else None

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        return conversation.model_copy(update={"progress": self.progress})

    def effects(self, action: Action) -> Iterator[SetTimer]:
        if action is Action.LOOK_AGAIN:
            yield next_look(self.progress, self.now)


def builds(workflow: str) -> bool:
    """Whether a workflow file calls the Action to make a change; without its input `definition` it ends with a ticket."""
    return any(name not in _MAKES_NO_CHANGE for name in _DEFINITION.findall(workflow))


def is_further(progress: RunProgress, earlier: RunProgress | None) -> bool:
    """Whether something new is told about a run that the conversation waits for."""
    if earlier is None or earlier.run != progress.run:
        return True
    return progress.look == earlier.look + 1 or (progress.is_started and not earlier.is_started)


def next_look(progress: RunProgress, now: datetime) -> SetTimer:
    """The timer after which a run is looked at again."""
    about = f"{progress.run.run_id}.{progress.run.attempt}.{progress.look + 1}"
    return SetTimer(name=TimerName.PROGRESS, question_id=about, at=now + LOOK_EVERY)


def look_of(about: str) -> tuple[int, int, int]:
    """Run, attempt and number of the look for which a timer was set."""
    run_id, attempt, look = about.split(".")
    return int(run_id), int(attempt), int(look)


def progress_comment(record: Conversation, repository: str | None = None) -> Message | None:
    """Where a build is; None for a conversation that is not known to build anything."""
    if record.progress is None:
        return None
    header: tuple[Line, ...] = ((Text("Build"),), _run(record, record.progress))
    rows = [((Text(name),), line) for name, line in _rows(record)]
    note = "I edit this comment as it goes, and mail nobody for that. What needs you comes in a comment of its own."
    return Message((Table(header, tuple(rows)), Aside((Text(note),))), repository, record.issue)


def _run(record: Conversation, progress: RunProgress) -> Line:
    if not record.state.has_run:
        return (Text(_IN_WORDS[record.state]),)
    if (late_start := record.waiting_start) is not None:
        return (Text(f"the next run starts on {late_start.until:%Y-%m-%d} (UTC)"),)
    if progress.run == record.last_run:
        return (Text("the next run is being started"),)
    link: Line = (Text(", run "), RunLink(str(progress.run.run_id)))
    if not progress.is_started:
        return (Text("queued"), *link)
    step: Line = (Text(", step "), Code(progress.step, 60)) if progress.step else ()
    return (Text("running"), *step, *link)


def _rows(record: Conversation) -> Iterator[tuple[str, Line]]:
    if record.state is State.REVISING and record.revision is not None:
        request = record.revision.asked
        cause: Line = (
            (Text("asked for by "), Code(request.asked_by)) if request is not None else _of_checks(record)
        )
        yield "Revision", cause
    elif record.check_revisions:
        yield "Revision", _of_checks(record)
    if record.work is not None:
        yield "Last run", (Text(record.work),)
    if record.pull_request is not None:
        over = ", taken over by a push: I push only what somebody asks for"
        link = PullRequestLink(record.pull_request.number)
        yield "Pull request", (link, Text(over if record.pull_request.is_taken_over else ""))
    if record.checks:
        yield "Checks", _checks(record.checks)


def _of_checks(record: Conversation) -> Line:
    return (Text(f"{record.check_revisions} of {MAX_CHECK_REVISIONS}, because checks failed"),)


def _checks(checks: tuple[JudgedCheck, ...]) -> Line:
    """How many passed, and each of the others by name."""
    passed_count = sum(check.verdict is CheckVerdict.PASSED for check in checks)
    other_checks = [check for check in checks if check.verdict is not CheckVerdict.PASSED]
    parts: list[Line] = [(Text(f"{passed_count} passed"),)] if passed_count else []
    parts += [
        (Code(check.name, 60), Text(f" {_VERDICTS[check.verdict]}")) for check in other_checks[:_MOST_NAMED]
    ]
    if len(other_checks) > _MOST_NAMED:
        parts.append((Text(f"{len(other_checks) - _MOST_NAMED} more"),))
    return joined(parts, " · ")
