"""What every stage declares: its name, its typed input and output, and what of the outside world it depends on."""

from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class RunInput(StrEnum):
    """Something from outside the definition that a stage's result depends on; part of its memo key."""

    TICKET = "ticket"
    TREE = "tree"
    ANSWERS = "answers"
    PERMISSION = "permission"


class Options(BaseModel):
    """Base of a stage's `with:` mapping. Unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class StageValue(BaseModel):
    """Base of what stages take and give."""

    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True)
class StageKind:
    """A kind of stage, as a definition's `uses` names it.

    `input` has one field per needed stage, named by its id with `-` as `_`; a field with a default is a need that may
    be missing. `version` changes when the code would give another result for the same input. `slots` are the question
    slots whose answers the stage reads.
    """

    name: str
    input: type[BaseModel]
    output: type[BaseModel]
    version: str
    options: type[Options] = Options
    reads: frozenset[RunInput] = field(default_factory=frozenset)
    slots: frozenset[str] = field(default_factory=frozenset)
