"""Stage kinds with the names and needs of `gate`, for tests of loading, checking and drawing."""

from dataclasses import replace
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pipeline.stages.context import StageContext
from pipeline.stages.stage import StageKind


class Snapshot(BaseModel):
    commit: str
    files: int


class Preconditions(BaseModel):
    test_files: tuple[str, ...]


class Route(BaseModel):
    method: str
    fields: int


class Registry(BaseModel):
    routes: tuple[Route, ...]
    languages: dict[str, int]
    seconds: float


class Operation(StrEnum):
    ADD = "add"
    FIX = "fix"


class Size(BaseModel):
    points: int
    why: str | None = None


class Reading(BaseModel):
    operation: Operation
    words: list[str]
    by_model: bool
    confidence: float | None = None
    size: Size
    parent: Size | None = None


class Places(BaseModel):
    shallow: bool


class Existing(BaseModel):
    covered: int


class Decomposition(BaseModel):
    targets: tuple[str, ...]


class Plans(BaseModel):
    made: int


class PlansOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    policy: str = "balanced"


class Semantics(BaseModel):
    because: str


class Ticket(BaseModel):
    ready: bool


class TicketOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    criteria: int = Field(default=5, ge=1)


class NoInput(BaseModel):
    pass


class PreconditionsInput(BaseModel):
    snapshot: Snapshot


class CodeInput(BaseModel):
    snapshot: Snapshot
    preconditions: Preconditions


class PlacesInput(BaseModel):
    snapshot: Snapshot
    registry: Registry
    reading: Reading


class DecisionInput(PlacesInput):
    places: Places


class PlansInput(DecisionInput):
    existing: Existing
    decomposition: Decomposition


class SemanticsInput(BaseModel):
    registry: Registry
    reading: Reading
    plans: Plans


class TicketInput(BaseModel):
    snapshot: Snapshot
    registry: Registry
    reading: Reading
    places: Places
    existing: Existing | None = None
    decomposition: Decomposition
    semantics: Semantics | None = None


def does_nothing(_needed: Any, _context: StageContext) -> Any:
    """The body of a kind that is only declared."""
    raise AssertionError("no stage of these definitions runs")


GATE_KINDS = {
    kind.name: replace(kind, is_ending=True)
    for kind in (
        StageKind("snapshot", NoInput, Snapshot, does_nothing),
        StageKind("preconditions", PreconditionsInput, Preconditions, does_nothing),
        StageKind("registry", CodeInput, Registry, does_nothing),
        StageKind("reading", CodeInput, Reading, does_nothing),
        StageKind("places", PlacesInput, Places, does_nothing),
        StageKind("existing", DecisionInput, Existing, does_nothing),
        StageKind("decomposition", DecisionInput, Decomposition, does_nothing),
        StageKind("plans", PlansInput, Plans, does_nothing, options=PlansOptions),
        StageKind("semantics", SemanticsInput, Semantics, does_nothing),
        StageKind("ticket", TicketInput, Ticket, does_nothing, options=TicketOptions),
    )
}
