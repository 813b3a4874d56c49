"""What goes wrong at GitHub by chance: answers that fail, deliveries that come twice, and deliveries that come late."""

import random
import threading

from sandbox.faults import DeliveryFault, Faults, Moment, RequestFault

ERRORS, DUPLICATES, DELAYS = 0.20, 0.05, 0.10
"""Shares: of all answers, of all deliveries, and of all deliveries again."""
_LONGEST_DELAY = 3.0
"""Seconds. What a conversation causes next is announced well before."""
_RATE_LIMIT = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


class Weather(Faults):
    """Switches that turn themselves on. The same seed gives the same numbers; who draws them is a matter of threads.

    While it `is_calm` nothing happens, and nothing is counted.

    Of the errors, 60 % strike before GitHub has done what was asked (502), 25 % after it (the answer is lost), 10 % are
    500, which no client library tries again, and 5 % are the secondary rate limit.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self._draws = threading.Lock()
        self.is_calm = False
        self.answers = self.errors = self.duplicates = self.delays = 0

    def of_request(self, method: str, path: str) -> list[RequestFault]:
        """Whether this answer fails, and how."""
        with self._draws:
            strikes, kind = self._random.random() < ERRORS and not self.is_calm, self._random.random()
            self.answers += not self.is_calm
            self.errors += strikes
        return [_error(f"{method} {path}", kind)] if strikes else []

    def of_delivery(self, event: str) -> DeliveryFault | None:
        """Whether this delivery comes twice or late."""
        with self._draws:
            draw, delay = self._random.random(), self._random.uniform(0.5, _LONGEST_DELAY)
            is_double = draw < DUPLICATES and not self.is_calm
            is_late = DUPLICATES <= draw < DUPLICATES + DELAYS and not self.is_calm
            self.duplicates += is_double
            self.delays += is_late
        if is_double:
            return DeliveryFault(event, copies=2)
        return DeliveryFault(event, delay=delay) if is_late else None


def _error(on: str, kind: float) -> RequestFault:
    if kind < 0.60:
        return RequestFault(on, status=502)
    if kind < 0.85:
        return RequestFault(on, Moment.AFTER, status=502)
    if kind < 0.95:
        return RequestFault(on, status=500)
    return RequestFault(on, status=403, message=_RATE_LIMIT, retry_after=1)
