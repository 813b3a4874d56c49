"""Runs a graph, exactly as it is declared, and writes each start, end, skip and stop into the journal.

Stages run in waves: all whose needs are met run at once, and the next wave begins when the last of them has ended. So
which stages ran, what was asked and how the run ended follow from the inputs alone, never from which thread was quicker.
The price is that a short branch waits for the longest stage beside it.

A wave with a stop or an error is the last one; the stages beside it are awaited, and nothing new starts. If stages of a
wave stop, the first one in the order of definition asks. If one of them fails, the failure wins over every stop: to
answer a question of a run that is broken would help nobody yet, and the question comes back unchanged, under the same
id, once the run is repaired.
"""

import queue
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import assert_never

from pydantic import BaseModel

from pipeline.contract.run import Outcome, StageRecord, StageStatus
from pipeline.domain.errors import PipelineError
from pipeline.domain.stops import Stop
from pipeline.engine.daemon_threads import DaemonThreads
from pipeline.engine.graph import Graph, Inputs, Node
from pipeline.engine.memo import Memo, content_key, result_key
from pipeline.engine.stage_run import Ended, StageRun, result_of_condition
from pipeline.run_record.events import (
    RunInterrupted,
    StageFailed,
    StageFinished,
    StageRetried,
    StageSkipped,
    StageStarted,
    StageStopped,
)
from pipeline.run_record.journal import Journal


@dataclass(frozen=True)
class RunResult:
    """What a run came to: outputs by stage, a record of every stage, stops and the error in the order of definition."""

    outputs: Mapping[str, BaseModel]
    records: tuple[StageRecord, ...]
    stops: tuple[Stop, ...]
    error: PipelineError | None

    @property
    def outcome(self) -> Outcome:
        """How the run ended; an error wins over stops."""
        if self.error is not None:
            return Outcome.ERROR
        return Outcome.CLARIFICATION if self.stops else Outcome.DONE

    @property
    def failed_stage(self) -> str | None:
        """Id of the stage that `error` came from."""
        return next((record.id for record in self.records if record.status is StageStatus.FAILED), None)


def execute(
    graph: Graph,
    journal: Journal,
    *,
    memo: Memo | None = None,
    dollars: Callable[[str], float | None] | None = None,
) -> RunResult:
    """Run all stages that the inputs lead to.

    Args:
        graph: what to run.
        journal: where everything is written as it happens.
        memo: results to reuse, and where to keep new ones.
        dollars: asked when a stage ends what its model calls cost; None for a stage that made none.

    Raises:
        RunDirectoryUnusable: the journal or the memo cannot be written. Errors of stages are results, and not raised.
        KeyboardInterrupt: passed on, after the journal says which stages were running.
    """
    return _Execution(graph, journal, memo, dollars or (lambda _stage: None)).run()


class _Execution:
    """The state of one run."""

    def __init__(
        self, graph: Graph, journal: Journal, memo: Memo | None, dollars: Callable[[str], float | None]
    ) -> None:
        self._nodes = graph.nodes
        self._journal = journal
        self._memo = memo
        self._dollars = dollars
        self._outputs: dict[str, BaseModel] = {}
        self._records: dict[str, StageRecord] = {}
        self._stops: dict[str, Stop] = {}
        self._errors: dict[str, PipelineError] = {}
        self._keys: dict[str, str | None] = {}
        self._running: list[str] = []
        self._threads = DaemonThreads()

    def run(self) -> RunResult:
        try:
            while wave := self._next_wave():
                self._run_wave(wave)
        except KeyboardInterrupt:
            self._journal.write(RunInterrupted(running=tuple(self._running)))
            raise
        finally:
            self._threads.dismiss()
        ended_at = [node.id for node in self._nodes if node.id in self._errors or node.id in self._stops]
        return RunResult(
            outputs=MappingProxyType(self._outputs),
            records=tuple(self._records.get(node.id) or _not_reached(node, ended_at) for node in self._nodes),
            stops=tuple(self._stops[node.id] for node in self._nodes if node.id in self._stops),
            error=next((self._errors[node.id] for node in self._nodes if node.id in self._errors), None),
        )

    def _next_wave(self) -> list[Node]:
        """All stages that can start now, in the order of definition, after skipping and reusing what can be."""
        ready: set[str] = set()
        settled_one = True
        while settled_one:
            settled_one = False
            for node in self._nodes:
                if self._stops or self._errors:
                    return []
                if node.id in self._records or node.id in ready:
                    continue
                if not all(need in self._records for need in node.needs):
                    continue
                if self._settle_without_running(node):
                    settled_one = True
                else:
                    ready.add(node.id)
        return [node for node in self._nodes if node.id in ready]

    def _settle_without_running(self, node: Node) -> bool:
        missing = [need for need in node.needs if need not in self._outputs and need not in node.optional]
        if missing:
            self._skip(node, f"it needs '{missing[0]}', which was skipped")
            return True
        holds = result_of_condition(node, self._inputs(node))
        if isinstance(holds, PipelineError):
            self._end(node, Ended(holds, attempts=0, seconds=0.0))
            return True
        if not holds:
            self._skip(node, f"its condition does not hold: {node.when_text or 'when'}")
            return True
        return self._reuse(node)

    def _skip(self, node: Node, reason: str) -> None:
        self._keys[node.id] = None
        self._records[node.id] = StageRecord(id=node.id, status=StageStatus.SKIPPED, reason=reason)
        self._journal.write(StageSkipped(stage=node.id, reason=reason))

    def _reuse(self, node: Node) -> bool:
        if self._memo is None or node.key is None:
            return False
        key = result_key(node.key, [(need, self._keys[need]) for need in node.needs])
        self._keys[node.id] = key
        recalled = self._memo.recall(node, key)
        for event in recalled.events:
            self._journal.write(event)
        if recalled.output is None:
            return False
        self._outputs[node.id] = recalled.output
        self._records[node.id] = StageRecord(id=node.id, status=StageStatus.REUSED)
        return True

    def _inputs(self, node: Node) -> Inputs:
        return MappingProxyType({need: self._outputs[need] for need in node.needs if need in self._outputs})

    def _run_wave(self, wave: list[Node]) -> None:
        self._running = [node.id for node in wave]
        for node in wave:
            self._journal.write(StageStarted(stage=node.id))
        runs = [StageRun(node, self._inputs(node)) for node in wave]
        if len(runs) == 1 and runs[0].deadline is None:
            # No thread: Ctrl-C reaches the stage itself.
            self._end(wave[0], runs[0](self._journal.write))
        else:
            self._run_in_threads(runs)
        self._running = []

    def _run_in_threads(self, runs: list[StageRun]) -> None:
        """Start each run in a thread and take what they tell, until each has ended or is too late."""
        told: queue.SimpleQueue[tuple[StageRun, StageRetried | Ended]] = queue.SimpleQueue()

        def work(run: StageRun) -> None:
            told.put((run, run(lambda retried: told.put((run, retried)))))

        self._threads.start([partial(work, run) for run in runs])
        waiting = list(runs)
        while waiting:
            try:
                run, what = told.get(timeout=_seconds_to_the_next_deadline(waiting))
            except queue.Empty:
                now = time.perf_counter()
                late = [run for run in waiting if run.deadline is not None and run.deadline <= now]
                ended = [(run, run.abandon()) for run in late]
            else:
                if run not in waiting:
                    continue
                if isinstance(what, StageRetried):
                    self._journal.write(what)
                    continue
                ended = [(run, what)]
            for run, how in ended:
                waiting.remove(run)
                self._end(run.node, how)

    def _end(self, node: Node, ended: Ended) -> None:
        """Keep, record and journal what a stage came to."""
        result = ended.result
        match result:
            case BaseModel():
                self._outputs[node.id] = result
                self._remember(node, result)
            case Stop():
                self._stops[node.id] = result
            case PipelineError():
                self._errors[node.id] = result
            case _:
                assert_never(result)
        if node.id in self._running:
            self._running.remove(node.id)
        self._records[node.id], event = _told(node.id, ended, self._dollars(node.id))
        self._journal.write(event)

    def _remember(self, node: Node, output: BaseModel) -> None:
        if self._memo is None:
            return
        if node.key is None:
            self._keys[node.id] = content_key(output)
            return
        key = self._keys[node.id]
        if key is not None:
            for event in self._memo.keep(node, key, output):
                self._journal.write(event)


def _seconds_to_the_next_deadline(waiting: list[StageRun]) -> float | None:
    deadlines = [run.deadline for run in waiting if run.deadline is not None]
    return max(0.0, min(deadlines) - time.perf_counter()) if deadlines else None


def _told(
    stage: str, ended: Ended, dollars: float | None
) -> tuple[StageRecord, StageFinished | StageStopped | StageFailed]:
    """How a stage ended, for `run.json` and for the journal."""
    result, attempts, seconds = ended.result, ended.attempts, round(ended.seconds, 6)
    event: StageFinished | StageStopped | StageFailed
    match result:
        case BaseModel():
            status, reason = StageStatus.DONE, None
            event = StageFinished(stage=stage, seconds=seconds, attempts=attempts, dollars=dollars)
        case Stop():
            status, reason = StageStatus.STOPPED, result.ask.reason
            event = StageStopped(
                stage=stage,
                kind=result.kind.value,
                question_id=result.question_id,
                reason=reason,
                seconds=seconds,
                dollars=dollars,
            )
        case PipelineError():
            status, reason = StageStatus.FAILED, result.message
            event = StageFailed(
                stage=stage,
                kind=result.kind,
                message=reason,
                seconds=seconds,
                attempts=attempts,
                dollars=dollars,
            )
        case _:
            assert_never(result)
    record = StageRecord(
        id=stage, status=status, seconds=seconds, attempts=attempts, reason=reason, dollars=dollars
    )
    return record, event


def _not_reached(node: Node, ended_at: list[str]) -> StageRecord:
    names = " and ".join(f"'{stage}'" for stage in ended_at)
    return StageRecord(
        id=node.id, status=StageStatus.NOT_REACHED, reason=f"the run ended at {names} before it"
    )
