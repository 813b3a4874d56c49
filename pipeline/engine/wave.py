"""Runs the stages of a wave beside each other, and tells how each of them ended, as soon as it has."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pipeline.engine.stage_run import StageEnd, StageRun
from pipeline.run_record.events import StageRetried


class DaemonThreads:
    """As many threads as the widest wave so far: they are kept from wave to wave, and never keep the process alive.

    Starting one costs more than all else that the engine does for a stage. `concurrent.futures` does not serve here: it
    joins its threads when the process ends, and a stage that hangs would then hang `askfirst` long after its timeout.
    """

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


def run_together(
    runs: list[StageRun], threads: DaemonThreads, on_retry: Callable[[StageRetried], None]
) -> Iterator[tuple[StageRun, StageEnd]]:
    """Start each run in a thread and take what they tell, until each has ended or is too late.

    `on_retry` is called in the caller's thread, as everything here is but the stages themselves.
    """
    messages: queue.SimpleQueue[tuple[StageRun, StageRetried | StageEnd]] = queue.SimpleQueue()

    def work(run: StageRun) -> None:
        messages.put((run, run(lambda retry: messages.put((run, retry)))))

    threads.start([partial(work, run) for run in runs])
    waiting = list(runs)
    while waiting:
        try:
            run, message = messages.get(timeout=_seconds_to_the_next_deadline(waiting))
        except queue.Empty:
            now = time.perf_counter()
            for late in [run for run in waiting if run.deadline is not None and run.deadline <= now]:
                waiting.remove(late)
                yield late, late.abandon()
            continue
        if run not in waiting:
            continue
        if isinstance(message, StageRetried):
            on_retry(message)
            continue
        waiting.remove(run)
        yield run, message


def _seconds_to_the_next_deadline(waiting: list[StageRun]) -> float | None:
    deadlines = [run.deadline for run in waiting if run.deadline is not None]
    return max(0.0, min(deadlines) - time.perf_counter()) if deadlines else None
