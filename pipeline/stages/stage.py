"""A kind of stage in one declaration: its name, its types, what it reads, and what it does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, SerializeAsAny, create_model

from pipeline.contract.ticket import Ticket, TicketFact
from pipeline.domain.models import ClosedModel, FrozenModel
from pipeline.stages.context import RunInput, StageContext


class StageValue(FrozenModel):
    """Base of what stages take and give: no stage can change what another one reads."""


class FactOutput(StageValue):
    """Base of an output with facts for the readers of the ticket: no reader has to know the stage.

    The facts of the stages that a stage needs are in its context (`StageContext.facts`); the stage `ticket` puts them into
    the ticket, for prompts too. Those of all other stages are added to the ticket at the end of the run.
    """

    facts: tuple[TicketFact, ...] = ()


class DelegatingOutput(StageValue):
    """Base of what agents hand on that may start others. `self_answered`: what they asked each other and no person answered."""

    self_answered: tuple[str, ...] = ()


def facts_of(outputs: Iterable[BaseModel]) -> tuple[TicketFact, ...]:
    """The facts in some outputs, in their order, each once."""
    facts = (fact for output in outputs if isinstance(output, FactOutput) for fact in output.facts)
    return tuple(dict.fromkeys(facts))


class NoOptions(ClosedModel):
    """`with:` of a stage that takes no options."""


InputT = TypeVar("InputT", bound=BaseModel)
OutputT = TypeVar("OutputT", bound=BaseModel)


def runs_always(_: StageContext) -> None:
    """A stage that runs unless its own `when` says no."""


@dataclass(frozen=True)
class StageKind(Generic[InputT, OutputT]):
    """One word that `uses` may hold: what a stage of this kind takes, gives and does.

    Attributes:
        name: the word.
        input: one field per needed stage, named by `input_field` of its id, typed by that stage's output. A field
            with a default is a stage that may be left out of `needs`.
        output: what the stage hands on; conditions are checked against its fields.
        run: what the stage does. It ends with an output, a stop of `domain.stops` or an error of `domain.errors`. A stored
            result is bound to the code that its module leads to (`engine.code_versions`).
        options: the mapping under `with:`; forbids keys that it does not know.
        reads: what of its run the stage reads; the context refuses everything else.
        slots: the question slots whose answers it reads; an answer to any other slot does not change its result.
        runs_if: in words, a condition that every stage of this kind has without a `when`; None for none.
        why_skipped: why it cannot run in this run, in words; None where it can.
        is_ending: whether its output can be what a run ends with.
        finds_ticket: whether its only purpose is the ticket, so that it does not run where one is there already.
        from_ticket: the output, made from a ticket that is there already.
    """

    name: str
    input: type[InputT]
    output: type[OutputT]
    run: Callable[[InputT, StageContext], OutputT]
    options: type[BaseModel] = NoOptions
    reads: frozenset[RunInput] = field(default_factory=frozenset)
    slots: frozenset[str] = field(default_factory=frozenset)
    runs_if: str | None = None
    why_skipped: Callable[[StageContext], str | None] = runs_always
    is_ending: bool = False
    finds_ticket: bool = False
    from_ticket: Callable[[Ticket], OutputT] | None = None

    def can_do_without(self, stage_id: str) -> bool:
        """Whether the output of that stage may be missing."""
        read = self.input.model_fields.get(input_field(stage_id))
        return read is not None and not read.is_required()


AnyStageKind = StageKind[Any, Any]
"""A kind whose types only its own stages know."""


def input_field(stage_id: str) -> str:
    """Name under which a stage's output is known in Python and in conditions: a `-` becomes a `_`."""
    return stage_id.replace("-", "_")


class GivenOutputs(StageValue):
    """The outputs of whatever stages are needed; `taking_outputs` gives each stage a model of its own."""


def taking_outputs(
    kind: AnyStageKind,
    name: str,
    output: type[BaseModel],
    needed_outputs: Mapping[str, type[BaseModel]],
    before: Sequence[str],
    optional: frozenset[str],
) -> AnyStageKind:
    """A kind that takes any outputs, for one stage: with one field per needed stage (id -> output model), and its output.

    Those of `optional`, and of `before`, the outputs of a round before, may be None.
    """
    fields: dict[str, Any] = {
        input_field(stage): (output_model | None, None) if stage in optional else (output_model, ...)
        for stage, output_model in needed_outputs.items()
    }
    fields |= {input_field(stage): (SerializeAsAny[BaseModel] | None, None) for stage in before}
    input_model = create_model(f"{name}_input", __base__=GivenOutputs, **fields)
    return replace(kind, input=input_model, output=output)
