"""One delivery: the work, what it has behind it, why it waits, and how it is shown to operators."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

_LONGEST_WAIT = 3600.0
_LONGEST_WAIT_FOR_OPERATOR = 600.0


@dataclass(frozen=True)
class Delivery:
    """One piece of work. `id` is GitHub's delivery GUID, or our own id of a timer.

    `conversation` is the key under which work is done in turn. `payload` is JSON.
    """

    id: str
    event: str
    conversation: str
    payload: Mapping[str, Any]

    @property
    def installation_id(self) -> int | None:
        """The installation that the work is for, as far as the payload tells."""
        return _installation_of(self.payload)


@dataclass(frozen=True)
class History:
    """What a delivery has behind it, a part of its row. `turn` is the moment at which it was accepted, in milliseconds of the epoch.

    `postponements` counts how often it was put off, `failures` how often because something failed. `since` is when it was
    put off first (seconds of the epoch), 0 for one that never was.
    """

    turn: int
    postponements: int = 0
    failures: int = 0
    since: float = 0.0


class Wait(StrEnum):
    """Why a delivery is put off."""

    TURN = "turn"
    """Nothing is wrong: it is too early, or somebody else's turn. It is not counted as a failure."""
    MISTAKE = "mistake"
    """The program made a mistake. After a few tries the delivery counts as stuck."""
    OUTAGE = "outage"
    """GitHub cannot be reached. After some hours the delivery counts as stuck."""
    WITHHELD = "withheld"
    """An operator must grant or set something. The delivery waits for as long as it takes, and is listed as stuck."""


@dataclass(frozen=True)
class UnfinishedDelivery:
    """A delivery that failed for good, waits, or takes suspiciously long. `status` is the engine's, or `WAITING`.

    One that waits says since when, why (`error`), and when it is tried again, by the row `row_id`.
    """

    id: str
    status: str
    event: str
    conversation: str
    since: datetime
    error: str | None
    row_id: str = ""
    installation_id: int | None = None
    kind: Wait | None = None
    next_try: datetime | None = None


class ReplayOutcome(StrEnum):
    """What became of the wish to do a delivery again."""

    ORDERED = "ordered"
    IN_HAND = "in hand"
    UNKNOWN = "unknown"


class RetryLater(Exception):
    """The work cannot be done now: do it again after some seconds, by a backoff of our own where none are given."""

    def __init__(self, why: str, seconds: float | None = None, kind: Wait = Wait.OUTAGE) -> None:
        super().__init__(why)
        self.seconds = seconds
        self.kind = kind

    def wait(self, failures: int) -> float:
        """Seconds to wait after so many failures: never shorter than asked for, longer each time."""
        shortest = self.seconds or 0.0
        if self.kind is Wait.TURN:
            return max(shortest, 0.05)
        if self.kind is Wait.WITHHELD:
            return max(shortest, min(15.0 * 2.0**failures, _LONGEST_WAIT_FOR_OPERATOR))
        return max(shortest, min(2.0**failures, _LONGEST_WAIT))


def _installation_of(payload: Mapping[str, Any]) -> int | None:
    """The installation's id. GitHub sends it next to the repository, our own timers in it, a reply as a field."""
    installation, repository = payload.get("installation"), payload.get("repository")
    if isinstance(installation, Mapping):
        return installation.get("id")
    holder = repository if isinstance(repository, Mapping) else payload
    return holder.get("installation_id")
