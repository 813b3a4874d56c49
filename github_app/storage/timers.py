"""Timers of a conversation, kept by the durable engine; when one goes off it arrives like a delivery."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from github_app.conversation.effects import TimerName
from github_app.ports.conversations import Clock, TimerDue
from github_app.ports.github import Place, Repository
from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import Delivery

TIMER_EVENT = "timer"
"""Event of a delivery that is a timer. GitHub has no event of that name."""


def conversation_key(repository_id: int, issue: int) -> str:
    """The key under which everything about one issue or pull request is done in turn."""
    return f"{repository_id}#{issue}"


class StoredTimers:
    """`github_app.ports.conversations.Timers` over the engine. A timer holds neither a thread nor its conversation."""

    def __init__(self, deliveries: Deliveries, clock: Clock) -> None:
        self._deliveries = deliveries
        self._clock = clock

    def set(self, place: Place, name: TimerName, about: str, at: datetime) -> None:
        """Set a timer about a question id. Setting the same name and question again changes nothing."""
        payload = {**asdict(place), "name": name.value, "about": about}
        key = conversation_key(place.repository.id, place.issue)
        delivery = Delivery(_id(place, name, about), TIMER_EVENT, key, payload)
        self._deliveries.timer(delivery, (at - self._clock.now()).total_seconds())

    def cancel(self, place: Place, name: TimerName, about: str) -> None:
        """Take a timer back; one that is gone, or going off right now, is no error."""
        self._deliveries.cancel(_id(place, name, about))


def timer_due(payload: Mapping[str, Any]) -> TimerDue:
    """The timer that a delivery of `TIMER_EVENT` brings."""
    place = Place(Repository(**payload["repository"]), payload["issue"])
    return TimerDue(place, TimerName(payload["name"]), payload["about"])


def _id(place: Place, name: TimerName, about: str) -> str:
    return f"timer:{conversation_key(place.repository.id, place.issue)}:{name.value}:{about}"
