"""What the pipeline knows of a stage before it runs: its name, its types and what it reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, SerializeAsAny, create_model


class RunInput(StrEnum):
    """What a stage may read besides the outputs of the stages it needs. Whatever is not declared is not given.

    `TREE` is what the ticket is about, `CHECKOUT` what agents change: the same commit, except where a pull request is
    changed again (`WANTED`).
    """

    TICKET = "ticket"
    TREE = "tree"
    CHECKOUT = "checkout"
    WANTED = "wanted"
    ANSWERS = "answers"
    DECISIONS = "decisions"
    PERMISSION = "permission"
    AGENT = "agent"
    MODEL = "model"
    GUIDANCE = "guidance"
    TESTS = "tests"


class StageValue(BaseModel):
    """Base of what stages take and give: no stage can change what another one reads."""

    model_config = ConfigDict(frozen=True)


class NoOptions(BaseModel):
    """`with:` of a stage that takes no options."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class StageKind:
    """One word that `uses` may hold.

    Attributes:
        name: the word.
        input: one field per needed stage, named by `input_field` of its id, typed by that stage's output. A field
            with a default is a stage that may be left out of `needs`.
        output: what the stage hands on; conditions are checked against its fields.
        version: changes whenever the code would give another result for the same inputs; stored results of another
            version are computed again.
        options: the mapping under `with:`; forbids keys that it does not know.
        reads: the run's own inputs that the stage reads.
        slots: the question slots whose answers it reads; an answer to any other slot leaves its result as it is.
        runs_if: in words, a condition that every stage of this kind has without a `when`; None for none.
        is_ending: whether its output can be what a run ends with.
    """

    name: str
    input: type[BaseModel]
    output: type[BaseModel]
    version: str
    options: type[BaseModel] = NoOptions
    reads: frozenset[RunInput] = field(default_factory=frozenset)
    slots: frozenset[str] = field(default_factory=frozenset)
    runs_if: str | None = None
    is_ending: bool = False

    def can_do_without(self, stage_id: str) -> bool:
        """Whether the output of that stage may be missing."""
        read = self.input.model_fields.get(input_field(stage_id))
        return read is not None and not read.is_required()


def input_field(stage_id: str) -> str:
    """Name under which a stage's output is known in Python and in conditions: a `-` becomes a `_`."""
    return stage_id.replace("-", "_")


class GivenOutputs(BaseModel):
    """The outputs of whatever stages are needed; `given_outputs` gives each stage a model of its own."""

    model_config = ConfigDict(frozen=True)


def given_outputs(
    name: str,
    needed: Mapping[str, type[BaseModel]],
    before: Sequence[str],
    optional: frozenset[str],
) -> type[GivenOutputs]:
    """The input of a stage that takes any outputs: one field per needed stage (id -> output model).

    Those of `optional`, and of `before`, the outputs of a round before, may be None.
    """
    fields: dict[str, Any] = {
        input_field(stage): (output | None, None) if stage in optional else (output, ...)
        for stage, output in needed.items()
    }
    fields |= {input_field(stage): (SerializeAsAny[BaseModel] | None, None) for stage in before}
    return create_model(name, __base__=GivenOutputs, **fields)
