"""`askfirst-app publish`: the pipeline's job of this run has ended; say how, and make a change a pull request."""

from collections.abc import Mapping
from typing import Any

from github_app.app import App
from github_app.conversation.effects import LabelName
from github_app.conversation.event import ConversationEvent
from github_app.conversation.issue import IssueClosed, IssueEdited, IssueUnlabeled
from github_app.conversation.record import Conversation, State
from github_app.dispatch import load_conversation, place_of, take
from github_app.intake.delivery import Delivery, IssueDelivery, RunDelivery
from github_app.job.environment import JobEnvironment
from github_app.job.event import JobApp, delivery_of, patiently
from github_app.perform import apply_event
from github_app.ports.github import Place
from github_app.settings import CannotStart
from pipeline.contract.wire import ticket_sha256

RESULTS = {"success", "failure", "cancelled"}
"""What GitHub says of a job in `needs.<job>.result`; a skipped one is no reason to publish anything."""


class NotSaid(CannotStart):
    """What the run ended with could not be said on GitHub."""


def publish(job: JobEnvironment, job_app: JobApp, run: Mapping[str, Any]) -> None:
    """Take the ending of this very run. `run` is what GitHub's API says of it, with the result of the pipeline's job.

    Raises:
        NotSaid: GitHub refused the comment that asks.
        GitHubRefused: GitHub says no, such as for a permission that the workflow does not give.
        GitHubUnavailable: GitHub could not say, for minutes.
    """
    trigger = delivery_of(job)
    place = place_of(job_app.app, trigger) if trigger is not None else None
    if trigger is None or place is None:
        return
    run_delivery = RunDelivery.model_validate(
        {
            "action": "completed",
            "workflow_run": run,
            "repository": job.payload["repository"],
            "installation": {"id": 0},
            "sender": job.payload["sender"],
        }
    )
    conversation = patiently(job_app, lambda: _take_ending(job_app.app, place, trigger, run_delivery))
    if conversation.state.asks and conversation.question_comment_id is None:
        raise NotSaid(
            "GitHub refused the comment with the question; its reason stands above.\n"
            "The job `publish` needs `issues: write`, and the issue must not be locked."
        )


def _take_ending(app: App, place: Place, trigger: Delivery, run_delivery: RunDelivery) -> Conversation:
    if isinstance(trigger, IssueDelivery):
        # The label: nothing was said since, so no comment remembers it.
        take(app, place, trigger)
    conversation = load_conversation(app, place, run_delivery)
    for event in _meanwhile(app, place, conversation):
        conversation = apply_event(app, place, conversation, event)
    take(app, place, run_delivery)
    return app.conversations.get(place.repository.id, place.issue) or conversation


def _meanwhile(app: App, place: Place, conversation: Conversation) -> tuple[ConversationEvent, ...]:
    """What happened to the issue while the pipeline ran. Its own jobs had no record yet to say it to."""
    if conversation.state is not State.RUNNING:
        return ()
    issue = app.issues.issue(place)
    events: list[ConversationEvent] = [IssueEdited(ticket_sha256(issue.title, issue.body))]
    if LabelName.START not in issue.labels and conversation.mention is None:
        events.insert(0, IssueUnlabeled())
    if not issue.is_open:
        events.insert(0, IssueClosed())
    return tuple(events)
