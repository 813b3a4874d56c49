"""Runs the stages of a wave beside each other, and tells how each of them ended, as soon as it has."""

import queue
import time
from collections.abc import Callable, Iterator
from functools import partial

from pipeline.engine.daemon_threads import DaemonThreads
from pipeline.engine.stage_run import Ended, StageRun
from pipeline.run_record.events import StageRetried


def run_together(
    runs: list[StageRun], threads: DaemonThreads, on_retry: Callable[[StageRetried], None]
) -> Iterator[tuple[StageRun, Ended]]:
    """Start each run in a thread and take what they tell, until each has ended or is too late.

    `on_retry` is called in the caller's thread, as everything here is but the stages themselves.
    """
    told: queue.SimpleQueue[tuple[StageRun, StageRetried | Ended]] = queue.SimpleQueue()

    def work(run: StageRun) -> None:
        told.put((run, run(lambda retried: told.put((run, retried)))))

    threads.start([partial(work, run) for run in runs])
    waiting = list(runs)
    while waiting:
        try:
            run, what = told.get(timeout=_seconds_to_the_next_deadline(waiting))
        except queue.Empty:
            now = time.perf_counter()
            for late in [run for run in waiting if run.deadline is not None and run.deadline <= now]:
                waiting.remove(late)
                yield late, late.abandon()
            continue
        if run not in waiting:
            continue
        if isinstance(what, StageRetried):
            on_retry(what)
            continue
        waiting.remove(run)
        yield run, what


def _seconds_to_the_next_deadline(waiting: list[StageRun]) -> float | None:
    deadlines = [run.deadline for run in waiting if run.deadline is not None]
    return max(0.0, min(deadlines) - time.perf_counter()) if deadlines else None
