"""Threads that stages run in beside each other: they are kept from wave to wave, and never keep the process alive.

`concurrent.futures` does not serve here: it joins its threads when the process ends, and a stage that hangs would then
hang `askfirst` long after its timeout.
"""

import queue
import threading
from collections.abc import Callable, Sequence


class DaemonThreads:
    """As many threads as the widest wave so far. Starting one costs more than all else that the engine does for a stage."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._count = 0

    def start(self, jobs: Sequence[Callable[[], None]]) -> None:
        """Run all jobs at once. Those of the call before must have ended; a job must not raise."""
        for job in jobs:
            self._jobs.put(job)
        while self._count < len(jobs):
            self._count += 1
            threading.Thread(target=self._work, daemon=True, name=f"stages-{self._count}").start()

    def dismiss(self) -> None:
        """Let every thread end that is not busy; a busy one ends after its job."""
        for _ in range(self._count):
            self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            job()
