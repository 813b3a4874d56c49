"""How many conversations of one installation are in hand at a time, so that a burst of one never holds up the others.

GitHub takes one write per second of an installation, so more at a time would only wait. Who finds no free lane is put off
for about as long as those before it take.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from github_app.ports.github import NotYet

LANES = 6
_SECONDS_BETWEEN = 0.5


class Lanes:
    """The lanes of all installations. May be used by several threads."""

    def __init__(self, width: int = LANES) -> None:
        self._width = width
        self._lock = threading.Lock()
        self._in_hand: dict[int, int] = {}
        self._put_off: dict[int, set[str]] = {}

    @contextmanager
    def enter(self, installation_id: int | None, delivery_id: str) -> Iterator[None]:
        """Hold a lane of an installation while a delivery is done. What belongs to no installation needs none.

        Raises:
            NotYet: all lanes are taken; it says when to come again.
        """
        if installation_id is None:
            yield
            return
        with self._lock:
            waiting = self._put_off.setdefault(installation_id, set())
            if self._in_hand.get(installation_id, 0) >= self._width:
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
