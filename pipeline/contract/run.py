"""`run.json`: what ran, how it ended, how long it took and what it cost."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pipeline.contract.version import FORMAT
from pipeline.contract.wire import NonEmpty, RunIdentity, Sha256, WireModel


class StageStatus(StrEnum):
    """How a stage of the definition ended."""

    DONE = "done"
    REUSED = "reused"
    SKIPPED = "skipped"
    STOPPED = "stopped"
    FAILED = "failed"
    NOT_REACHED = "not_reached"


class Outcome(StrEnum):
    """How a run ended; also the Action's output `outcome`."""

    DONE = "done"
    CLARIFICATION = "clarification"
    ERROR = "error"


class StageRecord(WireModel):
    """One stage of a run. `seconds` is wall-clock time; `dollars` is null where no model was called.

    A stage inside of a `repeat` has a record for each round, and `round` counts them from 1.
    """

    id: NonEmpty
    round: int | None = None
    status: StageStatus
    seconds: float = 0.0
    attempts: int = 0
    reason: str | None = None
    dollars: float | None = None


class RunRecord(WireModel):
    """The record of one run, written at its end.

    `confinement` says in a sentence how commands were confined; null where a run could start none.
    """

    version: Literal[1] = FORMAT
    askfirst: NonEmpty
    definition: NonEmpty
    definition_sha256: Sha256
    identity: RunIdentity | None
    model: str | None
    resumed_from: str | None
    confinement: str | None = None
    started_at: datetime
    finished_at: datetime
    outcome: Outcome
    exit_code: int
    stages: tuple[StageRecord, ...]
