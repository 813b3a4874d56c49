"""Stage `agent`: one agent, as its file declares it, run on the issue and the outputs of the stages it needs.

It has a tree of its own: agents beside each other do not see what the others do there, and what it changes is thrown away.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model

from pipeline.agents.agent import Agent
from pipeline.domain.material import material
from pipeline.domain.ticket import IncomingTicket
from pipeline.engine.graph import previous_id
from pipeline.stages.stage import GivenOutputs, RunInput, StageKind, given_outputs, input_field
from pipeline.stages.work import Coded

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench

AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
"""Stem of an agent's file. The pattern keeps it from being a path."""


SELF_ANSWERED = "self_answered"
"""Field of the output that says what agents asked each other and no person answered."""


class AgentOptions(BaseModel):
    """`with:` of an agent stage: the stem of the agent's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: AgentName


class AgentOutput(BaseModel):
    """What an agent completes with; `kind_of` replaces this with the schema of the agent's file."""

    model_config = ConfigDict(frozen=True)


KIND = StageKind(
    name="agent",
    input=GivenOutputs,
    output=AgentOutput,
    version="1",
    options=AgentOptions,
    # No answers: what people say to this agent comes before it completes, and only a completed result is stored.
    reads=frozenset({RunInput.TICKET, RunInput.TREE, RunInput.AGENT}),
    is_ending=True,
)


def kind_of(
    agent: Agent,
    needed: Mapping[str, type[BaseModel]],
    before: Sequence[str] = (),
    optional: frozenset[str] = frozenset(),
) -> StageKind:
    """The kind of a stage that runs this agent.

    Its output is the model made from the file's JSON Schema, with `self_answered` where it may start agents. Its input has one field per needed stage (id -> output
    model), and one that may be None for each of `before`, the outputs of a round before. Those of `optional` may be None,
    too. Its version changes with the file, so that an edited prompt is never answered from a stored result.
    """
    input_model = given_outputs(f"{agent.name}_input", needed, before, optional)
    output: type[BaseModel] = agent.output
    if agent.children:
        told: Any = (list[str], Field(default_factory=list))
        output = create_model(agent.name, __base__=agent.output, **{SELF_ANSWERED: told})
    return replace(KIND, input=input_model, output=output, version=f"{KIND.version}+{agent.sha256}")


def ask_agent(
    needed: GivenOutputs,
    ticket: IncomingTicket,
    bench: "Workbench",
    stage: str,
    agent: Agent,
    output: type[BaseModel],
    guidance: tuple[str, ...],
) -> BaseModel:
    """Have the agent say what its file declares, as the `output` of its kind. `guidance` is what people said when it was stuck.

    In a repeat, its tree holds what the coder has changed in the round.

    Raises:
        Stop: a call waits for approval, the agent asks, or its budget is spent.
        AgentGaveUp: the agent says that it cannot be done.
    """
    given = {name: getattr(needed, name) for name in type(needed).model_fields}
    coded = next((value for value in given.values() if isinstance(value, Coded)), None)
    where = f"issue {ticket.number} of {ticket.repository}" if ticket.number else "the issue"
    prompt = "\n\n".join(
        [
            material(where, ticket.prose),
            *_outputs(given, bench),
            *(material("what a person said when you were stuck", said) for said in guidance),
        ]
    )
    files = coded.files if coded else ()
    ending = bench.run_agent(agent, stage, coded.round if coded else 1, prompt, files)
    if not agent.children:
        return ending.output
    told = {**ending.output.model_dump(mode="json"), SELF_ANSWERED: list(ending.assumptions)}
    return output.model_validate(told)


def _outputs(given: Mapping[str, object], bench: "Workbench") -> Iterator[str]:
    """What other stages have come to, each between two lines that it cannot hold itself. A change is shown as a diff."""
    for name, value in given.items():
        if isinstance(value, Coded):
            yield material(f"output of {name}", value.summary)
            yield material(f"the change of {name}", bench.diff(value.files) or "(no file is changed)")
        elif isinstance(value, BaseModel):
            yield material(f"output of {name}", value.model_dump_json(indent=1, exclude_none=True))
        elif value is None and not name.startswith(input_field(previous_id(""))):
            yield f"The stage `{name}` did not run: its condition does not hold for this issue."
