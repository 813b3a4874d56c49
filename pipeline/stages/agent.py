"""Stage `agent`: one agent, as its file declares it, run on the issue and the outputs of the stages it needs.

It has a tree of its own: parallel agents do not see what the others do there, and its changes are thrown away.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, create_model

from pipeline.agents.agent import Agent, AgentName
from pipeline.domain.material import material
from pipeline.domain.models import ClosedModel
from pipeline.engine.graph import previous_id
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import DelegatingOutput, GivenOutputs, StageKind, StageValue, input_field
from pipeline.stages.work import CoderOutput, workbench_of

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench


class AgentOptions(ClosedModel):
    """`with:` of an agent stage: the stem of the agent's file."""

    agent: AgentName


class AgentOutput(StageValue):
    """What an agent completes with; `output_of` replaces this with the schema of the agent's file."""


def _run(inputs: GivenOutputs, context: StageContext) -> BaseModel:
    """Have the agent say what its file declares, as the output of its kind.

    In a repeat, its tree holds what the coder has changed in the round.

    Raises:
        Stop: a call waits for approval, the agent asks, or its budget is spent.
        AgentGaveUp: the agent says that it cannot be done.
    """
    ticket, agent, bench = context.ticket, context.agent, workbench_of(context)
    outputs = {name: getattr(inputs, name) for name in type(inputs).model_fields}
    coder_output = next((value for value in outputs.values() if isinstance(value, CoderOutput)), None)
    source = f"issue {ticket.number} of {ticket.repository}" if ticket.number else "the issue"
    prompt = "\n\n".join([material(source, ticket.prose), *_outputs(outputs, bench)])
    files = coder_output.files if coder_output else ()
    ending = bench.run_agent(agent, context.stage, coder_output.round if coder_output else 1, prompt, files)
    if not agent.children:
        return ending.output
    return context.output(**ending.output.model_dump(mode="json"), self_answered=ending.assumptions)


KIND: StageKind[GivenOutputs, BaseModel] = StageKind(
    name="agent",
    input=GivenOutputs,
    output=AgentOutput,
    run=_run,
    options=AgentOptions,
    reads=frozenset({RunInput.TICKET, RunInput.TREE, RunInput.AGENT, RunInput.WORKBENCH}),
    is_ending=True,
)


def output_of(agent: Agent) -> type[BaseModel]:
    """What an agent hands on: the model of its file's JSON Schema, with `self_answered` where it may start agents."""
    if not agent.children:
        return agent.output
    return create_model(agent.name, __base__=(agent.output, DelegatingOutput))


def _outputs(outputs: Mapping[str, object], bench: "Workbench") -> Iterator[str]:
    """The results of other stages, each between two lines that it cannot hold itself. A change is shown as a diff."""
    for name, value in outputs.items():
        if isinstance(value, CoderOutput):
            yield material(f"output of {name}", value.summary)
            yield material(f"the change of {name}", bench.diff(value.files) or "(no file is changed)")
        elif isinstance(value, BaseModel):
            yield material(f"output of {name}", value.model_dump_json(indent=1, exclude_none=True))
        elif value is None and not name.startswith(input_field(previous_id(""))):
            yield f"The stage `{name}` did not run: its condition does not hold for this issue."
