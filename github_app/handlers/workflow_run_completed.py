"""`workflow_run.completed`: a run has ended. Is it ours, whose is it, and how did it end?

Identity comes from GitHub's own fields and from our record. The artifact is data: it is compared, never believed.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta

from github_app.conversation.decide import belongs
from github_app.conversation.events import Event, IssueLabeled, RunEnded
from github_app.conversation.record import Conversation, MemoReference, RunReference, State
from github_app.conversation.transcript import Issue, ticket_keys
from github_app.handlers.people import person
from github_app.intake.delivery import RunDelivery, WorkflowRunPayload, run_name_parts
from github_app.perform import App
from github_app.ports.github import ArtifactRefused, Ending, Place
from pipeline.contract.clarification import Clarification, Option
from pipeline.contract.failure import Failure
from pipeline.contract.identity import ticket_sha256
from pipeline.contract.wire import RunIdentity

_EVENTS = frozenset({"issues", "workflow_dispatch"})
_CANCELLED = "cancelled"
_MAX_SUBJECT = 20_000
_MAX_POINTS = 20_000
_MAX_POINT_TEXT = 500
"""Characters of all points of a plan, and of one text in them. Nobody agrees to what a comment had to cut."""


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
) -> Sequence[Event]:
    """How the run ended, if the conversation waits for it."""
    run = delivery.workflow_run
    parts = run_name_parts(run.display_title)
    nonce = parts[1] if parts else None
    if run.conclusion == _CANCELLED and _is_postponed(record, run):
        return ()
    if (run.event == "issues") != (nonce is None) and run.id not in record.runs:
        return ()
    issue = app.issues.issue(place)
    if issue.is_pull_request:
        return ()
    label_events: tuple[Event, ...] = ()
    if run.event == "issues":
        if run.actor is None or not app.permissions.role(place.repository, person(run.actor)).may_write:
            return ()
        label_events = _label_that_was_missed(record, run, issue)
    waiting = _after(record, label_events)
    run_ended = _run_ended(app, place, waiting, run, nonce, issue)
    return (*label_events, run_ended) if run_ended else ()


def _is_postponed(record: Conversation, run: WorkflowRunPayload) -> bool:
    """Whether we have cancelled a run because the day's dollars were spent: it is run again on another day."""
    late_start = record.postponed_start
    return late_start is not None and late_start.run == RunReference(run_id=run.id, attempt=run.run_attempt)


def _label_that_was_missed(record: Conversation, run: WorkflowRunPayload, issue: Issue) -> tuple[Event, ...]:
    """The label behind a run whose own delivery is late or lost; the ticket is then taken as it stands now."""
    dealt_with = [at for at in (record.labelled_at, record.run_created_at) if at is not None]
    waits = record.state is State.RUNNING and record.given is None
    is_rerun = record.last_run is not None and record.last_run.run_id == run.id
    if waits or is_rerun or any(run.created_at <= at for at in dealt_with) or not issue.is_open:
        return ()
    before_the_run = run.created_at - timedelta(seconds=1)
    sha256, keys = ticket_sha256(issue.title, issue.body), ticket_keys(issue.title, issue.body)
    return (IssueLabeled(before_the_run, issue.author.login, sha256, ticket_keys=keys),)


def _after(record: Conversation, label_events: tuple[Event, ...]) -> Conversation:
    """The little of the record that correlation needs, as it will be after a missed label."""
    for event in label_events:
        if isinstance(event, IssueLabeled):
            return Conversation(
                repository_id=record.repository_id,
                issue=record.issue,
                state=State.RUNNING,
                labelled_at=event.at,
                ticket_sha256=event.ticket_sha256,
            )
    return record


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
    if not belongs(record, event):
        return None
    ending, why = _read(app, place, run)
    if ending is not None:
        expected_run = RunIdentity(
            repository=place.repository.full_name, issue=place.issue, commit=commit, run_id=str(run.id),
            attempt=run.run_attempt, nonce=nonce, ticket_sha256=ticket,
        )  # fmt: skip
        why = why_refused(ending, expected_run)
    return _with_ending(app, place, event, None if why else ending, why)


def _with_ending(app: App, place: Place, event: RunEnded, ending: Ending | None, why: str) -> RunEnded:
    memo = None
    if ending is not None and isinstance(ending.document, Clarification):
        digest = app.artifacts.memo_sha256(place.repository, event.run.run_id, event.run.attempt)
        memo = MemoReference(run_id=event.run.run_id, sha256=digest) if digest else None
    return RunEnded(
        run=event.run, nonce=event.nonce, created_at=event.created_at, commit=event.commit,
        ending=ending.document if ending else None, why=why, memo=memo, author=event.author,
        ticket_sha256=event.ticket_sha256, now=event.now,
        change=ending.digest if ending is not None and ending.change is not None else None,
        dollars=app.budget.cost_of(place.repository, event.run.run_id, event.run.attempt) if app.budget else 0.0,
    )  # fmt: skip


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
