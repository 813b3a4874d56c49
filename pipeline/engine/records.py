"""How a stage's end is told: in `run.json`, and in the journal."""

from typing import assert_never

from pydantic import BaseModel

from pipeline.contract.run import StageRecord, StageStatus
from pipeline.domain.errors import PipelineError
from pipeline.domain.stops import Stop
from pipeline.engine.stage_run import StageEnd
from pipeline.run_record.events import StageErrored, StageFinished, StageStopped, traceback_of


def record_of(
    stage: str, round_: int | None, end: StageEnd, dollars: float | None
) -> tuple[StageRecord, StageFinished | StageStopped | StageErrored]:
    """The record and the event of a stage that ran."""
    result, attempts, seconds = end.result, end.attempts, round(end.seconds, 6)
    event: StageFinished | StageStopped | StageErrored
    match result:
        case BaseModel():
            status, reason = StageStatus.DONE, None
            event = StageFinished(
                stage=stage, round=round_, seconds=seconds, attempts=attempts, dollars=dollars
            )
        case Stop():
            status, reason = StageStatus.STOPPED, result.plain_reason
            event = StageStopped(
                stage=stage,
                round=round_,
                kind=result.kind.value,
                question_id=result.question_id,
                reason=reason,
                seconds=seconds,
                dollars=dollars,
            )
        case PipelineError():
            status, reason = StageStatus.FAILED, result.message
            event = StageErrored(
                stage=stage,
                round=round_,
                kind=result.kind,
                message=reason,
                seconds=seconds,
                attempts=attempts,
                dollars=dollars,
                traceback=traceback_of(result.__cause__),
            )
        case _:
            assert_never(result)
    record = StageRecord(
        id=stage,
        round=round_,
        status=status,
        seconds=seconds,
        attempts=attempts,
        reason=reason,
        dollars=dollars,
    )
    return record, event


def not_reached(stage: str, round_: int | None, ended_at: list[str]) -> StageRecord:
    """The record of a stage before which the run ended."""
    names = " and ".join(f"'{stage}'" for stage in ended_at)
    return StageRecord(
        id=stage,
        round=round_,
        status=StageStatus.NOT_REACHED,
        reason=f"the run ended at {names} before it",
    )


def not_ended(stage: str, round_: int, ended_at: list[str]) -> StageRecord:
    """The record of a repeat in one of whose rounds the run ended."""
    names = " and ".join(f"'{stage}'" for stage in ended_at)
    return StageRecord(
        id=stage, status=StageStatus.NOT_REACHED, reason=f"the run ended in its round {round_}, at {names}"
    )
