"""Stage `agent`: one agent, as its file declares it, run on the outputs of the stages it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, SerializeAsAny, StringConstraints, create_model

from pipeline.agents.agent import Agent
from pipeline.stages.stage import RunInput, StageKind, input_field

AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
"""Stem of an agent's file. The pattern keeps it from being a path."""


class AgentOptions(BaseModel):
    """`with:` of an agent stage: the stem of the agent's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: AgentName


class AgentInput(BaseModel):
    """The outputs of whatever stages are needed; `kind_of` gives each stage a model of its own."""

    model_config = ConfigDict(frozen=True)


class AgentOutput(BaseModel):
    """What an agent completes with; `kind_of` replaces this with the schema of the agent's file."""

    model_config = ConfigDict(frozen=True)


KIND = StageKind(
    name="agent",
    input=AgentInput,
    output=AgentOutput,
    version="1",
    options=AgentOptions,
    reads=frozenset({RunInput.TICKET, RunInput.TREE, RunInput.ANSWERS}),
)


def kind_of(agent: Agent, needed: Mapping[str, type[BaseModel]], before: Sequence[str] = ()) -> StageKind:
    """The kind of a stage that runs this agent.

    Its output is the model made from the file's JSON Schema, its input has one field per needed stage (id -> output
    model), and one that may be None for each of `before`, the outputs of a round before. Its version changes with the file, so that an edited prompt is never answered from a stored result.
    """
    fields: dict[str, Any] = {input_field(stage_id): (output, ...) for stage_id, output in needed.items()}
    fields |= {input_field(name): (SerializeAsAny[BaseModel] | None, None) for name in before}
    input_model = create_model(f"{agent.name}_input", __base__=AgentInput, **fields)
    return replace(KIND, input=input_model, output=agent.output, version=f"{KIND.version}+{agent.sha256}")
