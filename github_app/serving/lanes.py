"""How many conversations of one installation are in hand at a time, so that a burst of one never holds up the others.

GitHub takes one write per second of an installation, so more at a time would only wait. Who finds no free lane is put off
for about as long as those before it take. When half of what a worker does at once is in hand, the rest is kept for
installations that have nothing in hand: with 48 at once, four busy ones take six each, and 24 others still get one each.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from github_app.ports.github import NotYet
from github_app.storage.engine import AT_ONCE

LANES = 6
_SECONDS_BETWEEN = 0.5


class Lanes:
    """The lanes of all installations. May be used by several threads."""

    def __init__(self, width: int = LANES, at_once: int = AT_ONCE) -> None:
        self._width = width
        self._at_once = at_once
        self._lock = threading.Lock()
        self._in_hand: dict[int, int] = {}
        self._put_off: dict[int, set[str]] = {}

    @contextmanager
    def enter(self, installation_id: int | None, delivery_id: str) -> Iterator[None]:
        """Hold a lane of an installation while a delivery is done. A delivery without an installation needs none.

        Raises:
            NotYet: all lanes are taken; it says when to come again.
        """
        if installation_id is None:
            yield
            return
        with self._lock:
            waiting = self._put_off.setdefault(installation_id, set())
            is_crowded = sum(self._in_hand.values()) >= self._at_once // 2
            if self._in_hand.get(installation_id, 0) >= (1 if is_crowded else self._width):
                waiting.add(delivery_id)
                wait = _SECONDS_BETWEEN * (1 + len(waiting) / self._width)
                raise NotYet("other conversations of this installation are in hand", retry_after=wait)
            waiting.discard(delivery_id)
            self._in_hand[installation_id] = self._in_hand.get(installation_id, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                self._in_hand[installation_id] -= 1
                if not self._in_hand[installation_id]:
                    del self._in_hand[installation_id]
