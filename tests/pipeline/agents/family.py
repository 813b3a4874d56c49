"""A family of agents: a lead that may start a formatter, which may start a parser; and what they say."""

from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from pipeline.agents.agent import Agent
from pipeline.agents.loop import AgentLoop
from pipeline.agents.output_schema import output_model
from pipeline.agents.task import AgentCompleted
from pipeline.contract.answers import Answer
from pipeline.domain.stops import Stop
from pipeline.gate.tool_names import FAMILY_TOOLS, Tool
from pipeline.llm.port import Model, ModelReply, Request, TextBlock, ToolResult
from tests.pipeline.agents.agent_world import CODER, TalkingModel, World, call, says

REPORT: dict[str, JsonValue] = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
PARSER = replace(
    CODER,
    name="parser",
    description="Parses.",
    prompt="You parse.",
    sha256="3" * 64,
    output_schema=REPORT,
    output=output_model("parser", REPORT),
)
FORMATTER = replace(
    PARSER,
    name="formatter",
    description="Formats reports.",
    prompt="You format reports.",
    sha256="2" * 64,
    tools=(Tool.READ_FILE, Tool.CREATE_FILE, Tool.EDIT_FILE, *FAMILY_TOOLS),
    children=(PARSER,),
)
LEAD = replace(
    CODER,
    name="lead",
    prompt="You lead.",
    sha256="1" * 64,
    tools=(Tool.READ_FILE, Tool.CREATE_FILE, Tool.EDIT_FILE, *FAMILY_TOOLS),
    children=(FORMATTER,),
)
WORK = "Write the report."
QUESTION = "Which output format should I use: JSON or CSV?"


def delegates(task: str = WORK, agent: str = "formatter", id_: str = "d1") -> ModelReply:
    return says(call("delegate", id_, agent=agent, task=task))


def asks(question: str = QUESTION, id_: str = "q1", why: str = "Both are read.", **more: Any) -> ModelReply:
    return says(call("clarify", id_, question=question, why=why, **more))


def replies(text: str = "JSON", child: str = "formatter-1", id_: str = "r1") -> ModelReply:
    return says(call("reply_to_child", id_, id=child, text=text))


def passes_on(child: str = "formatter-1", id_: str = "p1") -> ModelReply:
    return says(call("ask_person", id_, id=child))


def reports(text: str = "the report", id_: str = "c1") -> ModelReply:
    return says(call("complete", id_, text=text))


def prompt_of(request: Request) -> str:
    """What an agent was started with."""
    return "".join(block.text for block in request.turns[0].content if isinstance(block, TextBlock))


def results(request: Request) -> list[ToolResult]:
    """What an agent was given back before this turn."""
    return [block for block in request.turns[-1].content if isinstance(block, ToolResult)]


def asked_by(model: TalkingModel, purpose: str) -> list[Request]:
    return [request for request in model.asked if request.purpose == purpose]


CHILD = "coder/1/formatter-1"


def start(world: World, model: Model, agent: Agent = LEAD, **changes: Any) -> AgentLoop:
    return world.start(model, agent=agent, **changes)


def run(
    world: World, *said: ModelReply, agent: Agent = LEAD, **changes: Any
) -> tuple[AgentCompleted, TalkingModel]:
    model = TalkingModel(*said)
    ending = start(world, model, agent, **changes).run()
    assert isinstance(ending, AgentCompleted)
    return ending, model


def answer(world: World, stop: Stop, **what: Any) -> None:
    world.answers.append(
        Answer(question_id=stop.question_id, slot=stop.ask.slot, answered_by="octocat", **what)
    )


def happened(world: World) -> list[str]:
    return [event.event.removeprefix("child_") for event in world.told]
