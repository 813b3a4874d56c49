"""The worker's edge: a stored delivery becomes our own words again and is dispatched; GitHub's moods become waiting."""

import logging
import threading

from github_app.dispatch import dispatch, dispatch_timer
from github_app.intake.delivery import parse_delivery
from github_app.perform import App
from github_app.ports import GitHubUnavailable
from github_app.storage.deliveries import Delivery, Later, work
from github_app.storage.timers import TIMER_EVENT, timer_due

_log = logging.getLogger(__name__)


def run(database_url: str, app: App, until: threading.Event, polling_seconds: float) -> None:
    """Do stored deliveries until the event is set. See `work` for what happens to those that fail."""
    work(database_url, lambda delivery: do(delivery, app), until, polling_seconds=polling_seconds)


def do(delivery: Delivery, app: App) -> None:
    """Do all that a delivery asks for. Called again with the same delivery, it does only what is missing.

    Raises:
        Later: GitHub cannot be reached, or wants us to wait.
    """
    try:
        if delivery.event == TIMER_EVENT:
            dispatch_timer(timer_due(delivery.payload), app)
        else:
            parsed = parse_delivery(delivery.event, delivery.payload)
            if parsed is not None:
                dispatch(parsed, app)
    except GitHubUnavailable as error:
        raise Later(str(error), error.retry_after) from error
    _log.info("did %s of %s: %s", delivery.event, delivery.conversation, delivery.id)
