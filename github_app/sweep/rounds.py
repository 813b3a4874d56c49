"""How far a sweep has come, so that it goes on there when GitHub fails in the middle.

A sweep of a busy App reads hundreds of pages. If one of a hundred requests fails, a sweep that began anew after each
failure would hardly ever end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from github_app.ports.inventory import AttemptPage, DeliveryAttempt


@dataclass
class DeliveryRound:
    """One look through GitHub's list of deliveries: page by page from the newest to `since`, then what was missed.

    `order` is the id of what ordered it, `began` when.
    """

    order: str
    began: datetime
    since: datetime
    cursor: str | None = None
    is_read: bool = False
    steps: int = 0
    count: int = 0
    _delivered_guids: set[str] = field(default_factory=set)
    _failures: dict[str, DeliveryAttempt] = field(default_factory=dict)

    def add(self, page: AttemptPage) -> None:
        """Take in the next page."""
        self.steps += 1
        for attempt in page.attempts:
            if attempt.delivered_at < self.since:
                self.is_read = True
                return
            if attempt.is_acknowledged:
                self._delivered_guids.add(attempt.guid)
            else:
                self._failures.setdefault(attempt.guid, attempt)
        self.cursor = page.cursor
        self.is_read = page.cursor is None

    def missed_deliveries(self) -> Sequence[DeliveryAttempt]:
        """Deliveries of which no attempt was acknowledged and that are not settled, oldest first."""
        failures = [attempt for guid, attempt in self._failures.items() if guid not in self._delivered_guids]
        return sorted(failures, key=lambda attempt: attempt.delivered_at)

    def settle(self, guid: str, count: int = 0) -> None:
        """A missed delivery was looked at; `count` is 1 if it was taken up."""
        self.steps += 1
        self.count += count
        del self._failures[guid]
