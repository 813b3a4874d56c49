"""The stage kinds of the shipped `gate` with small outputs, for tests of loading, checking and drawing."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from pipeline.definition.loader import load
from pipeline.stages.context import StageContext
from pipeline.stages.stage import AnyStageKind, StageKind


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


class Semantics(BaseModel):
    because: str


class Ticket(BaseModel):
    ready: bool


class TicketOptions(BaseModel):
    model_config = ConfigDict(extra="forbid")

    criteria: int = Field(default=5, ge=1)


def does_nothing(_needed: Any, _context: StageContext) -> Any:
    """The body of a kind that is only declared."""
    raise AssertionError("no stage of these definitions runs")


OUTPUTS: dict[str, type[BaseModel]] = {
    output.__name__.lower(): output
    for output in (
        Snapshot, Preconditions, Registry, Reading, Places, Existing, Decomposition, Plans, Semantics, Ticket
    )
}  # fmt: skip
"""Small outputs, of which conditions read a field. A stage that is not named here gives nothing."""


class NoOutput(BaseModel):
    pass


def small(kind: AnyStageKind) -> AnyStageKind:
    """A registered kind with its name, needs and options, and with small outputs."""
    fields: dict[str, Any] = {}
    for name, field in kind.input.model_fields.items():
        output = OUTPUTS.get(name, NoOutput)
        fields[name] = (output, ...) if field.is_required() else (output | None, None)
    needed = create_model(f"{kind.name.capitalize()}Input", **fields)
    options = TicketOptions if kind.name == "ticket" else kind.options
    output = OUTPUTS.get(kind.name, NoOutput)
    return StageKind(kind.name, needed, output, does_nothing, options=options, is_ending=True)


GATE_KINDS = {stage.id: small(stage.kind) for stage in load("gate").every_stage}
