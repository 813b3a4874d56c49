"""`workflow_run.requested` and `.in_progress`, and the timer that looks again: how far is the run that is waited for?"""

from collections.abc import Sequence

from github_app.conversation.events import Event, RunProgressed, StartPostponed
from github_app.conversation.progress import builds, look_of
from github_app.conversation.record import Conversation, RunProgress, RunReference, State
from github_app.intake.delivery import RunDelivery, run_name_parts
from github_app.perform import App
from github_app.ports.conversations import TimerDue
from github_app.ports.github import Place, WorkflowRun

_WAITING = frozenset({State.RUNNING, State.REVISING, State.FAILED})
_LABEL_EVENT = "issues"
_COMPLETED_STATUS, _STARTED_STATUS = "completed", "in_progress"


def workflow_run_progressed(
    app: App, place: Place, record: Conversation, delivery: RunDelivery
) -> Sequence[Event]:
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


def run_looked_at_again(app: App, record: Conversation, due: TimerDue) -> Sequence[Event]:
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


def _progress(app: App, place: Place, run: WorkflowRun, look: int) -> RunProgress:
    is_started = run.status == _STARTED_STATUS
    step = app.workflows.step(place.repository, run.id) if is_started else None
    reference = RunReference(run_id=run.id, attempt=run.attempt)
    return RunProgress(run=reference, is_started=is_started, step=step, look=look)
