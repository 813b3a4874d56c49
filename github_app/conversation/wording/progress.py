"""The one comment of an issue that says where its build is. It is edited as it goes, so it asks nothing of anybody."""

from collections.abc import Iterator

from github_app.conversation.checks import CheckVerdict, JudgedCheck
from github_app.conversation.message import (
    Aside,
    Code,
    Line,
    Message,
    PullRequestLink,
    RunLink,
    Table,
    Text,
)
from github_app.conversation.record import Conversation, RunProgress, State, WorkDone
from github_app.conversation.states import MAX_CHECK_REVISIONS

_MOST_NAMED = 5
_RUNS = frozenset({State.RUNNING, State.REVISING})
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


def progress_comment(record: Conversation, repository: str | None = None) -> Message | None:
    """Where a build is; None for a conversation of which nobody knows that it builds anything."""
    if record.progress is None:
        return None
    header: tuple[Line, ...] = ((Text("Build"),), _run(record, record.progress))
    rows = [((Text(name),), line) for name, line in _rows(record)]
    note = "I edit this comment as it goes, and mail nobody for that. What needs you comes in a comment of its own."
    return Message((Table(header, tuple(rows)), Aside((Text(note),))), repository, record.issue)


def _run(record: Conversation, progress: RunProgress) -> Line:
    if record.state not in _RUNS:
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
        yield "Last run", _work(record.work)
    if record.pull_request is not None:
        over = ", taken over by a push: I push only what somebody asks for"
        link = PullRequestLink(record.pull_request.number)
        yield "Pull request", (link, Text(over if record.pull_request.is_taken_over else ""))
    if record.checks:
        yield "Checks", _checks(record.checks)


def _of_checks(record: Conversation) -> Line:
    return (Text(f"{record.check_revisions} of {MAX_CHECK_REVISIONS}, because checks failed"),)


def _work(work: WorkDone) -> Line:
    rounds = f"{work.rounds} round" + ("s" if work.rounds != 1 else "")
    tests = ", ".join(
        part
        for part in (
            f"{work.passed} passed" if work.passed is not None else "",
            f"{work.failed} failed" if work.failed else "",
        )
        if part
    )
    # A suite that says no counts is judged by its exit code alone.
    tests = tests or ("passed" if work.exit_code == 0 else "failed")
    if work.replies != "model":
        cost = f"no model was called: replies were {work.replies}"
    else:
        cost = "price unknown" if work.dollars is None else f"${work.dollars:.2f}"
    return (Text(f"{rounds} · tests: {tests} · {cost}"),)


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
    return tuple(part for line in parts for part in (Text(" · "), *line))[1:]
