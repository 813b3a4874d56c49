"""Runs one stage, or several at the same time: all attempts, and whatever they return or raise turned into data of the run."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Self, assert_never

from pydantic import BaseModel

from pipeline.contract.run import StageRecord, StageStatus
from pipeline.domain.errors import NothingToBuild, PipelineError, StageFailed, StageTimedOut
from pipeline.domain.stops import Stop
from pipeline.engine.graph import Condition, Inputs, Stage, StageBody
from pipeline.run_record.events import (
    StageErrored,
    StageFinished,
    StageRetried,
    StageStopped,
    traceback_of,
)

_MESSAGE_LENGTH = 2000


@dataclass(frozen=True)
class StageEnd:
    """How a stage ended. `seconds` is wall-clock time over all attempts."""

    result: BaseModel | Stop | PipelineError
    attempts: int
    seconds: float

    def record(
        self, stage: str, round_: int | None, dollars: float | None
    ) -> tuple[StageRecord, StageFinished | StageStopped | StageErrored]:
        """How it is told in `run.json`, and in the journal."""
        result, seconds = self.result, round(self.seconds, 6)
        event_fields: dict[str, Any] = {
            "stage": stage,
            "round": round_,
            "seconds": seconds,
            "dollars": dollars,
        }
        event: StageFinished | StageStopped | StageErrored
        match result:
            case BaseModel():
                status, reason = StageStatus.DONE, None
                event = StageFinished(attempts=self.attempts, **event_fields)
            case Stop():
                status, reason = StageStatus.STOPPED, result.plain_reason
                kind, question_id = result.kind.value, result.question_id
                event = StageStopped(kind=kind, question_id=question_id, reason=reason, **event_fields)
            case PipelineError():
                is_end = isinstance(result, NothingToBuild)
                status, reason = StageStatus.STOPPED if is_end else StageStatus.FAILED, result.message
                trace = traceback_of(result.__cause__)
                event = StageErrored(
                    kind=result.kind, message=reason, attempts=self.attempts, traceback=trace, **event_fields
                )
            case _:
                assert_never(result)
        record = StageRecord(
            id=stage,
            round=round_,
            status=status,
            seconds=seconds,
            attempts=self.attempts,
            reason=reason,
            dollars=dollars,
        )
        return record, event


class StageRun:
    """One stage on its way, in the caller's thread or in one of its own.

    A thread cannot be ended from outside. A run that took too long is *abandoned*: it begins no further attempt, and its
    result is ignored.
    """

    def __init__(self, stage: Stage, body: StageBody, inputs: Inputs, round_: int | None = None) -> None:
        self.stage = stage
        self._body = body
        self._round = round_
        self.started = time.perf_counter()
        self._inputs = inputs
        self._abandoned = False

    @property
    def deadline(self) -> float | None:
        """When the stage has taken too long, on the clock `time.perf_counter`."""
        return None if self.stage.timeout is None else self.started + self.stage.timeout

    def __call__(self, on_retry: Callable[[StageRetried], None]) -> StageEnd:
        """Try until there is an output, a stop, or an error after the last attempt."""
        attempt = 1
        while True:
            result = _result_of(self.stage.id, self._body, self._inputs)
            again = (
                isinstance(result, PipelineError) and attempt <= self.stage.retries and not self._abandoned
            )
            if not (again and isinstance(result, PipelineError)):
                break
            on_retry(
                StageRetried(
                    stage=self.stage.id,
                    round=self._round,
                    attempt=attempt,
                    kind=result.kind,
                    message=result.message,
                    traceback=traceback_of(result.__cause__),
                )
            )
            attempt += 1
        seconds = time.perf_counter() - self.started
        if self.stage.timeout is not None and seconds > self.stage.timeout:
            result = _too_late(self.stage)
        return StageEnd(result, attempt, seconds)

    def abandon(self) -> StageEnd:
        """Give up on a stage that took too long."""
        self._abandoned = True
        return StageEnd(_too_late(self.stage), 1, time.perf_counter() - self.started)


def result_of_condition(owner: str, condition: Condition | None, inputs: Inputs) -> bool | PipelineError:
    """Whether a condition holds; none at all always does. `owner` names it in the error, such as `stage 'reading'`."""
    if condition is None:
        return True
    with _ExceptionCatcher() as catcher:
        return condition.holds(inputs)
    return _as_error(f"the condition of {owner}", catcher.exception)


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


def _too_late(stage: Stage) -> StageTimedOut:
    """The error of a stage that took longer than it may."""
    return StageTimedOut(
        f"stage '{stage.id}' took longer than {stage.timeout:g} seconds",
        why="that is its `timeout` in the definition, for all attempts together",
        what_to_do=f"Give it more time in the definition:\n  - id: {stage.id}\n    timeout: {2 * (stage.timeout or 0):g}",
    )


class _ExceptionCatcher:
    """Holds what a stage raised. Ctrl-C is not a stage's doing and goes through; `sys.exit` is, and does not."""

    exception: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.exception = error
        return isinstance(error, Exception | SystemExit)


def _result_of(stage: str, body: StageBody, inputs: Inputs) -> BaseModel | Stop | PipelineError:
    with _ExceptionCatcher() as catcher:
        output = body.run(inputs)
        if isinstance(output, body.output):
            return output
        return _defect(f"stage '{stage}' returned {type(output).__name__} instead of {body.output.__name__}")
    if isinstance(catcher.exception, Stop):
        return catcher.exception
    return _as_error(f"stage '{stage}'", catcher.exception)


def _as_error(subject: str, exception: BaseException | None) -> PipelineError:
    if isinstance(exception, PipelineError):
        return exception
    error = _defect(f"{subject} ended with {_exception_text(exception)}")
    error.__cause__ = exception
    return error


def _defect(message: str) -> StageFailed:
    return StageFailed(
        message,
        why="a stage ends with its result, a question or an error that askfirst knows; this is none of them",
        what_to_do="Report it as a defect, with journal.jsonl. What was done before is kept: --resume DIR",
    )


def _exception_text(exception: BaseException | None) -> str:
    """Type and message, in one piece that any encoding can hold."""
    message = str(exception).encode("utf-8", "backslashreplace").decode()
    return f"{type(exception).__name__}: {message[:_MESSAGE_LENGTH]}"
