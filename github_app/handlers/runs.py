"""Runs: `workflow_run.completed`, `.requested` and `.in_progress`, and the timers that look again or start a late run.

Identity comes from GitHub's own fields and from our record. The artifact is data: it is compared, never believed.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from github_app.app import App
from github_app.conversation.asking import RunEnded
from github_app.conversation.event import ConversationEvent
from github_app.conversation.issue import IssueLabeled
from github_app.conversation.progress import RunProgressed, builds, look_of
from github_app.conversation.record import (
    Conversation,
    MemoReference,
    RunProgress,
    RunReference,
    State,
)
from github_app.conversation.starting import StartDue, StartPostponed
from github_app.conversation.states import Trigger
from github_app.conversation.transcript import Issue, ticket_keys
from github_app.handlers.issues import person
from github_app.intake.delivery import RunDelivery, WorkflowRunPayload, run_name_parts
from github_app.ports.conversations import TimerDue
from github_app.ports.github import ArtifactRefused, Ending, Place, WorkflowRun
from pipeline.contract.clarification import Clarification, Option
from pipeline.contract.failure import Failure
from pipeline.contract.wire import RunIdentity, ticket_sha256

_EVENTS = frozenset({"issues", "workflow_dispatch"})
_CANCELLED = "cancelled"
_WAITING = frozenset({State.RUNNING, State.REVISING, State.FAILED})
_LABEL_EVENT = "issues"
_COMPLETED_STATUS, _STARTED_STATUS = "completed", "in_progress"
_MAX_SUBJECT = 20_000
_MAX_POINTS = 20_000
_MAX_POINT_TEXT = 500
"""Characters of all points of a plan, and of one text in them. People cannot agree to what a comment had to cut."""


def is_our_workflow(app: App, delivery: RunDelivery) -> bool:
    """Whether the run is one of our workflow, on the default branch of this very repository, and has an end.

    A fork can have a workflow of the same name, and a writer can dispatch an altered copy from a branch: neither counts,
    whatever it left behind.
    """
    run, repository = delivery.workflow_run, delivery.repository
    return (
        run.path.partition("@")[0] == app.workflow_path
        and run.event in _EVENTS
        and run.head_repository is not None
        and run.head_repository.id == repository.id
        and run.head_branch == repository.default_branch
        and run.conclusion != "skipped"
    )


def issue_of_run(app: App, delivery: RunDelivery) -> int | None:
    """The issue that a run belongs to: by the run ids we stored, else by the number in its run-name."""
    issue = app.conversations.issue_of_run(delivery.repository.id, delivery.workflow_run.id)
    if issue is not None:
        return issue
    parts = run_name_parts(delivery.workflow_run.display_title)
    return parts[0] if parts else None


def workflow_run_completed(
    app: App, place: Place, record: Conversation, delivery: RunDelivery
) -> Sequence[ConversationEvent]:
    """How the run ended, if the conversation waits for it."""
    run = delivery.workflow_run
    parts = run_name_parts(run.display_title)
    nonce = parts[1] if parts else None
    if run.conclusion == _CANCELLED and _is_postponed(record, run):
        return ()
    if (run.event == _LABEL_EVENT) != (nonce is None) and run.id not in record.runs:
        return ()
    issue = app.issues.issue(place)
    if issue.is_pull_request:
        return ()
    label = None
    if run.event == _LABEL_EVENT:
        if run.actor is None or not app.permissions.role(place.repository, person(run.actor)).may_write:
            return ()
        label = _label_that_was_missed(record, run, issue)
    if label is not None:
        record = label.remember(record, Trigger.LABEL_SET).model_copy(update={"state": State.RUNNING})
    run_ended = _run_ended(app, place, record, run, nonce, issue)
    return tuple(event for event in (label, run_ended) if event is not None) if run_ended else ()


def workflow_run_progressed(
    app: App, place: Place, record: Conversation, delivery: RunDelivery
) -> Sequence[ConversationEvent]:
    """How far the run is now, whatever the delivery says: it may be late. Nothing for a workflow that builds nothing.

    GitHub starts the run of a label without asking us. Where the day's dollars are spent, it must wait for the next day.
    """
    run_id = delivery.workflow_run.id
    if record.state not in _WAITING:
        return ()
    run = app.workflows.run(place.repository, run_id)
    if run is None or run.status == _COMPLETED_STATUS:
        return ()
    created_at = delivery.workflow_run.created_at
    if run.event == _LABEL_EVENT and app.budget is not None:
        day = app.budget.spent_day(place.repository)
        if day is not None:
            return (StartPostponed(day, RunReference(run_id=run.id, attempt=run.attempt), created_at),)
    if record.progress is None and not builds(app.workflows.source(place.repository, run.head_sha)):
        return ()
    progress = record.progress
    is_same_run = progress is not None and progress.run == RunReference(run_id=run.id, attempt=run.attempt)
    newest = _progress(app, place, run, progress.look if progress is not None and is_same_run else 0)
    parts = run_name_parts(run.display_title)
    return (RunProgressed(newest, parts[1] if parts else None, created_at, app.clock.now()),)


def run_looked_at_again(app: App, record: Conversation, due: TimerDue) -> Sequence[ConversationEvent]:
    """How far the run is by now for which a timer was set."""
    run_id, attempt, look = look_of(due.about)
    progress = record.progress
    if progress is None or progress.run != RunReference(run_id=run_id, attempt=attempt):
        return ()
    run = app.workflows.run(due.place.repository, run_id)
    if (
        record.state not in _WAITING
        or run is None
        or run.status == _COMPLETED_STATUS
        or run.attempt != attempt
    ):
        return ()
    return (RunProgressed(_progress(app, due.place, run, look), None, None, app.clock.now()),)


def start_due(app: App, record: Conversation, due: TimerDue) -> Sequence[ConversationEvent]:
    """That it may, or that this day's dollars are spent, too. Nothing for a timer of a start that is waited for no more."""
    late_start = record.waiting_start
    if late_start is None or late_start.timer != due.about:
        return ()
    day = app.budget.spent_day(due.place.repository) if app.budget is not None else None
    return (StartDue() if day is None else StartPostponed(day),)


def _is_postponed(record: Conversation, run: WorkflowRunPayload) -> bool:
    """Whether we have cancelled a run because the day's dollars were spent: it is run again on another day."""
    late_start = record.postponed_start
    return late_start is not None and late_start.run == RunReference(run_id=run.id, attempt=run.run_attempt)


def _label_that_was_missed(
    record: Conversation, run: WorkflowRunPayload, issue: Issue
) -> IssueLabeled | None:
    """The label behind a run whose own delivery is late or lost; the ticket is then the current text."""
    dealt_with = [at for at in (record.labelled_at, record.run_created_at) if at is not None]
    waits = record.state is State.RUNNING and record.given is None
    is_rerun = record.last_run is not None and record.last_run.run_id == run.id
    if waits or is_rerun or any(run.created_at <= at for at in dealt_with) or not issue.is_open:
        return None
    before_the_run = run.created_at - timedelta(seconds=1)
    sha256, keys = ticket_sha256(issue.title, issue.body), ticket_keys(issue.title, issue.body)
    return IssueLabeled(before_the_run, issue.author.login, sha256, ticket_keys=keys)


def _run_ended(
    app: App, place: Place, record: Conversation, run: WorkflowRunPayload, nonce: str | None, issue: Issue
) -> RunEnded | None:
    # A resumed run checks out the commit that we gave it, whatever the default branch is at today.
    was_dispatched = record.given is not None or record.revision is not None
    commit = record.commit if was_dispatched and record.commit is not None else run.head_sha
    ticket = record.ticket_sha256 or ticket_sha256(issue.title, issue.body)
    event = RunEnded(
        run=RunReference(run_id=run.id, attempt=run.run_attempt),
        nonce=nonce,
        created_at=run.created_at,
        commit=commit,
        ending=None,
        why="",
        memo=None,
        author=issue.author.login,
        ticket_sha256=ticket,
        now=app.clock.now(),
    )
    if not record.waits_for(event.run, nonce, event.created_at):
        return None
    ending, why = _read(app, place, run)
    if ending is not None:
        expected_run = RunIdentity(
            repository=place.repository.full_name, issue=place.issue, commit=commit, run_id=str(run.id),
            attempt=run.run_attempt, nonce=nonce, ticket_sha256=ticket,
        )  # fmt: skip
        why = why_refused(ending, expected_run)
    dollars = app.budget.cost_of(place.repository, run.id, run.run_attempt) if app.budget else 0.0
    event = replace(event, why=why, dollars=dollars)
    if ending is None or why:
        return event
    memo = None
    if isinstance(ending.document, Clarification):
        digest = app.artifacts.memo_sha256(place.repository, run.id, run.run_attempt)
        memo = MemoReference(run_id=run.id, sha256=digest) if digest else None
    change = None if ending.change is None else ending.digest
    return replace(event, ending=ending.document, memo=memo, change=change)


def _read(app: App, place: Place, run: WorkflowRunPayload) -> tuple[Ending | None, str]:
    if run.conclusion == _CANCELLED:
        # Nothing that it left behind counts, and yet somebody waits for it.
        return None, "it was cancelled on GitHub"
    try:
        ending = app.artifacts.ending(place.repository, run.id, run.run_attempt)
    except ArtifactRefused as refusal:
        return None, f"its artifact must not be used: {refusal}"
    if ending is None:
        return None, "it left no clarification, failure or ticket behind, or its artifact has expired"
    return ending, ""


def why_refused(ending: Ending, expected_run: RunIdentity) -> str:
    """Why a document is not what this run can have said; "" when it may be. Ids and hashes must be those we know."""
    document = ending.document
    if isinstance(document, Failure):
        if document.run is None:
            return ""
        # A run that failed because of its text or its commit says so with those that it found.
        expected_values = {"ticket_sha256": expected_run.ticket_sha256, "commit": expected_run.commit}
        claimed_run = document.run.model_copy(update=expected_values)
    else:
        claimed_run = document.run
    repositories = {(run.repository or "").casefold() for run in (claimed_run, expected_run)}
    if len(repositories) > 1 or claimed_run.issue != expected_run.issue:
        return "its document is about another issue"
    if (claimed_run.run_id, claimed_run.attempt, claimed_run.nonce) != (
        expected_run.run_id,
        expected_run.attempt,
        expected_run.nonce,
    ):
        return "its document is of another run"
    if claimed_run.ticket_sha256 != expected_run.ticket_sha256:
        return "it worked on another text than the labelled one"
    if claimed_run.commit != expected_run.commit:
        return "it looked at another commit"
    return _why_no_question(document) if isinstance(document, Clarification) else ""


def _why_no_question(clarification: Clarification) -> str:
    if not clarification.has_its_own_id():
        return "the id of its question is not the hash of what it asks"
    if len(json.dumps(clarification.question.subject)) > _MAX_SUBJECT:
        return "the call to be confirmed is too long to be shown whole"
    points = clarification.question.points
    lengths = [len(text) for point in points for text in (point.text, *_texts_of(point.options))]
    if sum(lengths) > _MAX_POINTS or max(lengths, default=0) > _MAX_POINT_TEXT:
        return "the plan that it asks about is too long to be shown whole"
    return ""


def _texts_of(options: Sequence[Option]) -> Iterator[str]:
    for option in options:
        yield from (option.label, option.effect or "")


def _progress(app: App, place: Place, run: WorkflowRun, look: int) -> RunProgress:
    is_started = run.status == _STARTED_STATUS
    step = app.workflows.step(place.repository, run.id) if is_started else None
    reference = RunReference(run_id=run.id, attempt=run.attempt)
    return RunProgress(run=reference, is_started=is_started, step=step, look=look)
