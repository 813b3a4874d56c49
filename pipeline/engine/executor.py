"""Runs a graph exactly as declared, and writes each start, end, skip and stop into the journal.

A repeat takes part with the stages of its running round; its next round begins when all of them have ended.

Stages run in waves: all whose needs are met run at once, and the next wave begins when the last of them has ended. So
which stages ran, what was asked and how the run ended follow from the inputs alone, never from which thread was quicker.
The price is that a short branch waits for the longest stage of its wave.

A wave with a stop or an error is the last one: its other stages are awaited, and nothing new starts. If stages of a
wave stop, the first one in the order of definition asks. If one of them fails, the failure wins over every stop: to
answer a question of a run that is broken does not help yet, and the question comes back unchanged, under the same
id, once the run is repaired.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import assert_never

from pydantic import BaseModel

from pipeline.contract.run import Outcome, StageRecord, StageStatus
from pipeline.domain.errors import PipelineError
from pipeline.domain.stops import Stop
from pipeline.engine.graph import Graph, Inputs, Repeat, RepeatResult, Stage, previous_id
from pipeline.engine.memo import Memo, content_key, result_key
from pipeline.engine.rounds import Rounds
from pipeline.engine.stage_run import DaemonThreads, StageEnd, StageRun, result_of_condition, run_together
from pipeline.run_record.events import (
    RoundEnded,
    RoundStarted,
    RunInterrupted,
    StageSkipped,
    StageStarted,
)
from pipeline.run_record.journal import Journal


@dataclass(frozen=True)
class RunResult:
    """What a run came to: outputs by stage, a record of every stage, stops and the error in the order of definition.

    Of a repeat there are its own record, and those of its stages round after round; outputs are those of the last round.
    """

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
        dollars: asked when a stage ends what its model calls cost; None for a stage that made none. A stage inside of
            a repeat is asked about in each round, and means that round.

    Raises:
        RunDirectoryUnusable: the journal or the memo cannot be written. Errors of stages are results, and not raised.
        KeyboardInterrupt: passed on, after the journal says which stages were running.
    """
    return _Execution(graph, journal, memo, dollars or (lambda _stage: None)).run()


# The waves of a run, by the definition `gate`. Nothing is planned ahead: after each wave the same question is asked of every
# stage, whether all that it needs has a record.
#
#   wave 1  snapshot                  it needs nothing
#   wave 2  preconditions             needs snapshot
#   wave 3  registry, reading         both need preconditions, and run at the same time in threads
#   wave 4  places                    waits for the slower one of the two
#   wave 5  existing, decomposition   both ask: `existing` stands first in the file, so its stop is the question of the run,
#                                     and the other one goes into `also`
#   wave 6  none                      a wave with a stop is the last one: what has not run gets a record that says so
#
# When the run is resumed with the answer, waves 1 to 4 are taken from the memo: a stage that is reused, or skipped because its
# condition does not hold, has its record at once and is in no wave. In a repeat, `coder` of round 2 has no record until round 1
# has ended: its records are put aside then, and the same question makes the next wave.


class _Execution:
    """The state of one run. Of a stage in a repeat it holds the running round; `Rounds` holds what was before."""

    def __init__(
        self, graph: Graph, journal: Journal, memo: Memo | None, dollars: Callable[[str], float | None]
    ) -> None:
        self._graph = graph
        self._steps = graph.steps
        self._rounds = {step.id: Rounds(step) for step in graph.stages if isinstance(step, Repeat)}
        self._around = {
            stage.id: rounds for rounds in self._rounds.values() for stage in rounds.repeat.stages
        }
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
        return RunResult(
            outputs=MappingProxyType(self._outputs),
            records=tuple(self._all_records()),
            stops=tuple(self._stops[step.id] for step in self._steps if step.id in self._stops),
            error=next((self._errors[step.id] for step in self._steps if step.id in self._errors), None),
        )

    def _all_records(self) -> Iterator[StageRecord]:
        ended_at = [step.id for step in self._steps if step.id in self._errors or step.id in self._stops]
        for step in self._graph.stages:
            if isinstance(step, Stage):
                yield self._records.get(step.id) or _not_reached(step.id, None, ended_at)
                continue
            rounds = self._rounds[step.id]
            if rounds.number and step.id not in self._records:
                yield _not_ended(step.id, rounds.number, ended_at)
            else:
                yield self._records.get(step.id) or _not_reached(step.id, None, ended_at)
            yield from rounds.earlier
            for stage in step.stages:
                yield self._records.get(stage.id) or _not_reached(stage.id, rounds.number or None, ended_at)

    def _next_wave(self) -> list[Stage]:
        """All stages that can start now, in the order of definition, after skipping and reusing what can be."""
        ready: dict[str, Stage] = {}
        settled_one = True
        while settled_one:
            settled_one = False
            for step in self._steps:
                if self._stops or self._errors:
                    return []
                if step.id in self._records or step.id in ready or not self._may_start(step):
                    continue
                if isinstance(step, Repeat):
                    settled_one |= self._go_on(self._rounds[step.id])
                elif self._skip_or_fail(step) or self._reuse(step):
                    settled_one = True
                else:
                    ready[step.id] = step
        return [step for step in self._steps if isinstance(step, Stage) and step.id in ready]

    def _may_start(self, step: Stage | Repeat[Stage]) -> bool:
        """Whether all that it needs has ended: of a stage in another repeat, that means its last round."""
        around = self._around.get(step.id)
        if around is not None and around.number == 0:
            return False
        for need in step.needs:
            needed_in = self._around.get(need)
            last = need if needed_in is None or needed_in is around else needed_in.repeat.id
            if last not in self._records:
                return False
        return True

    def _go_on(self, rounds: Rounds) -> bool:
        """Begin the first round of a repeat, or what comes after a round that has ended. False if nothing is to be done."""
        repeat = rounds.repeat
        if rounds.number == 0:
            if not self._skip_or_fail(repeat):
                self._journal.write(StageStarted(stage=repeat.id))
                self._begin_round(rounds)
            return True
        if not all(stage.id in self._records for stage in repeat.stages):
            return False
        outputs = {stage.id: self._outputs[stage.id] for stage in repeat.stages if stage.id in self._outputs}
        holds = result_of_condition(f"repeat '{repeat.id}'", repeat.until, outputs)
        if isinstance(holds, PipelineError):
            self._end(repeat, StageEnd(holds, attempts=rounds.number, seconds=rounds.seconds))
            return True
        self._journal.write(RoundEnded(stage=repeat.id, round=rounds.number, enough=holds))
        if not holds and not rounds.is_last:
            self._begin_round(rounds)
            return True
        result = RepeatResult(rounds=rounds.number, exhausted=not holds)
        self._end(repeat, StageEnd(result, attempts=rounds.number, seconds=rounds.seconds))
        changes = {"reason": rounds.summary(holds=holds)}
        self._records[repeat.id] = self._records[repeat.id].model_copy(update=changes)
        return True

    def _begin_round(self, rounds: Rounds) -> None:
        """Put away the results of the round before, so that the stages of the repeat can start again."""
        ids = [stage.id for stage in rounds.repeat.stages]
        rounds.earlier += [self._records.pop(stage) for stage in ids if stage in self._records]
        rounds.previous_keys = {stage: self._keys.pop(stage) for stage in ids if stage in self._keys}
        rounds.previous_outputs = {stage: self._outputs.pop(stage) for stage in ids if stage in self._outputs}
        self._journal.write(RoundStarted(stage=rounds.repeat.id, round=rounds.begin()))

    def _skip_or_fail(self, step: Stage | Repeat[Stage]) -> bool:
        """Settle what must not run: it cannot, its condition does not hold or breaks, or something it needs was skipped."""
        body = self._graph.bodies.get(step.id)
        if body is not None and body.skipped is not None:
            self._skip(step, body.skipped)
            return True
        holds = result_of_condition(f"stage '{step.id}'", step.when, self._inputs(step))
        if isinstance(holds, PipelineError):
            self._end(step, StageEnd(holds, attempts=0, seconds=0.0))
            return True
        if not holds:
            self._skip(step, f"its condition does not hold: {step.when.text if step.when else 'when'}")
            return True
        missing = [need for need in step.needs if need not in self._outputs and need not in step.optional]
        if missing:
            self._skip(step, f"it needs '{missing[0]}', which was skipped")
        return bool(missing)

    def _skip(self, step: Stage | Repeat[Stage], reason: str) -> None:
        round_ = self._round_of(step)
        self._keys[step.id] = None
        self._records[step.id] = StageRecord(
            id=step.id, round=round_, status=StageStatus.SKIPPED, reason=reason
        )
        self._journal.write(StageSkipped(stage=step.id, round=round_, reason=reason))
        if isinstance(step, Repeat):
            for stage in step.stages:
                self._skip(stage, f"it is a stage of '{step.id}', which was skipped")

    def _reuse(self, stage: Stage) -> bool:
        body = self._graph.bodies[stage.id]
        if self._memo is None or body.key is None:
            return False
        round_ = self._round_of(stage)
        needs = [(need, self._keys[need]) for need in stage.needs]
        if (around := self._around.get(stage.id)) is not None:
            needs += [(previous_id(before), around.previous_keys.get(before)) for before in stage.previous]
        key = result_key(body.key, needs, round_=round_)
        self._keys[stage.id] = key
        entry = self._memo.recall(stage.id, body.output, key, round_)
        for event in entry.events:
            self._journal.write(event)
        if entry.output is None:
            return False
        self._outputs[stage.id] = entry.output
        self._records[stage.id] = StageRecord(id=stage.id, round=round_, status=StageStatus.REUSED)
        return True

    def _round_of(self, step: Stage | Repeat[Stage]) -> int | None:
        """The running round of the repeat around a stage."""
        around = self._around.get(step.id)
        return (around.number or None) if around is not None else None

    def _inputs(self, step: Stage | Repeat[Stage]) -> Inputs:
        inputs = {need: self._outputs[need] for need in step.needs if need in self._outputs}
        if isinstance(step, Stage) and step.previous:
            before = self._around[step.id].previous_outputs
            inputs |= {previous_id(stage): before[stage] for stage in step.previous if stage in before}
        return MappingProxyType(inputs)

    def _run_wave(self, wave: list[Stage]) -> None:
        self._running = [stage.id for stage in wave]
        for stage in wave:
            self._journal.write(StageStarted(stage=stage.id, round=self._round_of(stage)))
        bodies = self._graph.bodies
        runs = [
            StageRun(stage, bodies[stage.id], self._inputs(stage), self._round_of(stage)) for stage in wave
        ]
        if len(runs) == 1 and runs[0].deadline is None:
            # No thread: Ctrl-C reaches the stage itself.
            self._end(wave[0], runs[0](self._journal.write))
        else:
            for run, end in run_together(runs, self._threads, self._journal.write):
                self._end(run.stage, end)
        self._running = []

    def _end(self, step: Stage | Repeat[Stage], end: StageEnd) -> None:
        """Keep, record and journal what a stage or a repeat came to."""
        result = end.result
        match result:
            case BaseModel():
                self._outputs[step.id] = result
                self._remember(step, result)
            case Stop():
                self._stops[step.id] = result
            case PipelineError():
                self._errors[step.id] = result
            case _:
                assert_never(result)
        if step.id in self._running:
            self._running.remove(step.id)
        dollars = self._dollars(step.id) if isinstance(step, Stage) else None
        self._records[step.id], event = end.record(step.id, self._round_of(step), dollars)
        self._journal.write(event)

    def _remember(self, step: Stage | Repeat[Stage], output: BaseModel) -> None:
        if self._memo is None:
            return
        if isinstance(step, Repeat) or self._graph.bodies[step.id].key is None:
            self._keys[step.id] = content_key(output)
        elif (key := self._keys[step.id]) is not None:
            for event in self._memo.keep(step.id, key, output, self._round_of(step)):
                self._journal.write(event)


def _not_reached(stage: str, round_: int | None, ended_at: list[str]) -> StageRecord:
    """The record of a stage before which the run ended."""
    reason = f"the run ended at {_names(ended_at)} before it"
    return StageRecord(id=stage, round=round_, status=StageStatus.NOT_REACHED, reason=reason)


def _not_ended(stage: str, round_: int, ended_at: list[str]) -> StageRecord:
    """The record of a repeat in one of whose rounds the run ended."""
    reason = f"the run ended in its round {round_}, at {_names(ended_at)}"
    return StageRecord(id=stage, status=StageStatus.NOT_REACHED, reason=reason)


def _names(ended_at: list[str]) -> str:
    return " and ".join(f"'{stage}'" for stage in ended_at)
