"""Runs one stage: all its attempts, and whatever it returns or raises turned into data of the run."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pydantic import BaseModel

from pipeline.domain.errors import PipelineError, StageFailed, StageTimedOut
from pipeline.domain.stops import Stop
from pipeline.engine.graph import Condition, Inputs, StageNode
from pipeline.run_record.events import StageRetried, traceback_of

_MESSAGE_LENGTH = 2000


@dataclass(frozen=True)
class StageEnd:
    """How a stage ended. `seconds` is wall-clock time over all attempts."""

    result: BaseModel | Stop | PipelineError
    attempts: int
    seconds: float


class StageRun:
    """One stage on its way, in the caller's thread or in one of its own.

    Nobody can end a thread from outside. A run that took too long is *abandoned*: it begins no further attempt, and
    whoever started it no longer listens.
    """

    def __init__(self, node: StageNode, inputs: Inputs, round_: int | None = None) -> None:
        self.node = node
        self._round = round_
        self.started = time.perf_counter()
        self._inputs = inputs
        self._abandoned = False

    @property
    def deadline(self) -> float | None:
        """When the stage has taken too long, on the clock `time.perf_counter`."""
        return None if self.node.timeout is None else self.started + self.node.timeout

    def __call__(self, on_retry: Callable[[StageRetried], None]) -> StageEnd:
        """Try until there is an output, a stop, or an error after the last attempt."""
        attempt = 1
        while True:
            result = _result_of(self.node, self._inputs)
            again = isinstance(result, PipelineError) and attempt <= self.node.retries and not self._abandoned
            if not (again and isinstance(result, PipelineError)):
                break
            on_retry(
                StageRetried(
                    stage=self.node.id,
                    round=self._round,
                    attempt=attempt,
                    kind=result.kind,
                    message=result.message,
                    traceback=traceback_of(result.__cause__),
                )
            )
            attempt += 1
        seconds = time.perf_counter() - self.started
        if self.node.timeout is not None and seconds > self.node.timeout:
            result = too_late(self.node)
        return StageEnd(result, attempt, seconds)

    def abandon(self) -> StageEnd:
        """Give up on a stage that took too long."""
        self._abandoned = True
        return StageEnd(too_late(self.node), 1, time.perf_counter() - self.started)


def result_of_condition(owner: str, condition: Condition | None, inputs: Inputs) -> bool | PipelineError:
    """Whether a condition holds; none at all always does. `owner` names it in the error, such as `stage 'reading'`."""
    if condition is None:
        return True
    with _ExceptionCatcher() as catcher:
        return condition(inputs)
    return _as_error(f"the condition of {owner}", catcher.exception)


def too_late(node: StageNode) -> StageTimedOut:
    """The error of a stage that took longer than it may."""
    return StageTimedOut(
        f"stage '{node.id}' took longer than {node.timeout:g} seconds",
        why="that is its `timeout` in the definition, for all attempts together",
        what_to_do=f"Give it more time in the definition:\n  - id: {node.id}\n    timeout: {2 * (node.timeout or 0):g}",
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


def _result_of(node: StageNode, inputs: Inputs) -> BaseModel | Stop | PipelineError:
    with _ExceptionCatcher() as catcher:
        output = node.run(inputs)
        if isinstance(output, node.output):
            return output
        return _defect(
            f"stage '{node.id}' returned {type(output).__name__} instead of {node.output.__name__}"
        )
    if isinstance(catcher.exception, Stop):
        return catcher.exception
    return _as_error(f"stage '{node.id}'", catcher.exception)


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
