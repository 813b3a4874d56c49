"""`askfirst-app event`: take the event that started a job. Says whether the pipeline must run, and how."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from github_app.app import App
from github_app.conversation.asking import TimerWentOff
from github_app.conversation.effects import LabelName, TimerName
from github_app.conversation.record import Conversation, State
from github_app.dispatch import load_conversation, place_of, take
from github_app.intake.delivery import CommentDelivery, Delivery, IssueDelivery, parse_delivery
from github_app.job.environment import JobEnvironment
from github_app.job.stand_ins import JobConversations, ThisRun
from github_app.job.turns import earlier_reply, is_lost, wait
from github_app.perform import apply_event
from github_app.ports.github import GitHubUnavailable, Place

_log = logging.getLogger(__name__)

_TRIES = 40
_RETRY_SECONDS = 5.0
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class JobApp:
    """The App as a job has it, with the two ports that the job itself must look into."""

    app: App
    conversations: JobConversations
    this_run: ThisRun


def take_event(job: JobEnvironment, job_app: JobApp) -> dict[str, str]:
    """Do what the event asks for, and return the outputs of the job.

    `run` is `true` if the pipeline is to run in this very workflow run; `request` then holds the inputs of a resumed run
    as JSON, or nothing for a run that the label started.

    Raises:
        GitHubRefused: GitHub says no, such as for a permission that the workflow does not give.
        GitHubUnavailable: GitHub could not say, for minutes.
    """
    delivery = delivery_of(job)
    place = place_of(job_app.app, delivery) if delivery is not None else None
    if delivery is None or place is None:
        return {"run": "false", "request": ""}
    conversation = patiently(job_app, lambda: _take_delivery(job_app, place, delivery))
    request = job_app.this_run.request
    if request is not None:
        return {"run": "true", "request": json.dumps(request)}
    is_wanted = conversation is not None and _waits_for_this_run(job, conversation, delivery)
    return {"run": "true" if is_wanted else "false", "request": ""}


def delivery_of(job: JobEnvironment) -> Delivery | None:
    """The job's event in the words of a webhook, whose payload it is; None for one that is not ours."""
    payload: Mapping[str, Any] = {**job.payload, "installation": {"id": 0}}
    return parse_delivery(job.event, payload)


def patiently(job_app: JobApp, attempt: Callable[[], _Result]) -> _Result:
    """Try until GitHub can say, each time from what GitHub shows then."""
    for left in reversed(range(_TRIES)):
        try:
            return attempt()
        except GitHubUnavailable as unavailable:
            if not left:
                raise
            _log.info("%s; trying again", unavailable)
            job_app.conversations.forget()
            job_app.app.clock.sleep(min(unavailable.retry_after or _RETRY_SECONDS, 60.0))
    raise AssertionError("the last attempt returns or raises")


def _take_delivery(job_app: JobApp, place: Place, delivery: Delivery) -> Conversation | None:
    app = job_app.app
    if isinstance(delivery, CommentDelivery):
        _let_earlier_replies_go_first(job_app, place, delivery)
        _expire(app, place)
    take(app, place, delivery)
    return app.conversations.get(place.repository.id, place.issue)


def _let_earlier_replies_go_first(job_app: JobApp, place: Place, delivery: CommentDelivery) -> None:
    app, here = job_app.app, Place(place.repository, delivery.issue.number)
    while True:
        job_app.conversations.forget()
        conversation = load_conversation(app, place, delivery)
        earlier = earlier_reply(app, place, here, conversation, delivery.comment.id)
        if earlier is None:
            return
        if is_lost(app, earlier):
            author = {"id": earlier.author.id, "login": earlier.author.login, "type": "User"}
            again = {**delivery.model_dump(mode="json", by_alias=True), "action": "created", "sender": author}
            again["comment"] = {"id": earlier.id, "body": earlier.body, "user": author}
            if (lost_reply := parse_delivery("issue_comment", again)) is not None:
                take(app, place, lost_reply)
            return
        wait(app, earlier)


def _expire(app: App, place: Place) -> None:
    """Close a question whose time is over: a reply that comes later works on the newest commit."""
    conversation = app.conversations.get(place.repository.id, place.issue)
    if conversation is None or conversation.question is None or not conversation.state.asks:
        return
    if conversation.expires_at is not None and conversation.expires_at <= app.clock.now():
        apply_event(
            app, place, conversation, TimerWentOff(TimerName.EXPIRY, conversation.question.question.id)
        )


def _waits_for_this_run(job: JobEnvironment, conversation: Conversation, delivery: Delivery) -> bool:
    """Whether a label's run is the one that the conversation waits for, or one that failed and is run again."""
    if not isinstance(delivery, IssueDelivery) or delivery.action != "labeled":
        return False
    if delivery.label is None or delivery.label.name != LabelName.START:
        return False
    last = conversation.last_run
    is_again = last is not None and last.run_id == job.run_id and last.attempt < job.attempt
    return (conversation.state is State.RUNNING and conversation.given is None) or (
        conversation.state is State.FAILED and is_again
    )
