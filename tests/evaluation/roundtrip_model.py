"""The same conversations with a model in place of the script: `python -m tests.evaluation.roundtrip --model [NAME]`.

The model plays both agents; the answers of people are those of the conversation. It is asked at `ANTHROPIC_BASE_URL`, or at
the provider that the environment names. Nothing is right or wrong here: a model may need no question where the script asks
one. What is told is how many questions there were, who answered, whether the answers were used, and how it ended.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from pipeline.agents.budget import Budget
from pipeline.agents.task import AgentCompleted, AgentFailed
from pipeline.contract.answers import Answer
from pipeline.domain.errors import PipelineError
from pipeline.domain.stops import Blocked, Stop
from pipeline.llm.client import ModelClient
from pipeline.llm.port import Model
from pipeline.llm.services import service_of
from pipeline.run_record.events import ChildAnswered, ChildAsked, ChildEnded
from tests.evaluation.conversations import Conversation, conversations, decisions_of
from tests.pipeline.agents.agent_world import World
from tests.pipeline.agents.family import FORMATTER, LEAD

DEFAULT_MODEL = "claude-sonnet-5-5"
_LIMITS = Budget(turns=20, dollars=None, minutes=5)
_LEADS = (
    "You lead. Have your agent `formatter` do what you are told to have it do, with exactly the words of its task, and "
    "complete with what it completed with. You write nothing yourself."
)


@dataclass(frozen=True)
class Played:
    """What came of a conversation with a model.

    `rounds` counts the questions of the agent that was started, `used` how many of their answers stand in what came out,
    `ended` how it ended, or how the run did that started none.
    """

    conversation: str
    rounds: int
    answered_by: tuple[str, ...]
    used: int
    ended: str


def play_with(model: Model, name: str, script: Conversation) -> Played:
    """Play one conversation to its end, a person's answers taken from it."""
    world = World(limits=_LIMITS)
    child = replace(
        FORMATTER,
        prompt=script.child_prompt,
        max_rounds=script.max_rounds,
        ends_with=script.ends_with,
        children=(),
        tools=(),
    )
    lead = replace(LEAD, prompt=_LEADS, children=(child,))
    prompt = f"{script.parent_task}\n\nThe task of `formatter`: {script.task}"
    people = list(script.person)
    ended, output = "waiting", ""
    while ended == "waiting":
        loop = world.start(
            model, named=name, agent=lead, prompt=prompt, decisions=tuple(decisions_of(script.decided))
        )
        try:
            ending = loop.run()
        except Blocked:
            ended = "out of budget"
        except Stop as stop:
            if not people:
                break
            world.answers.append(
                Answer(
                    question_id=stop.question_id,
                    slot=stop.ask.slot,
                    text=people.pop(0),
                    answered_by="octocat",
                )
            )
        except PipelineError as error:
            ended = f"error: {error.message}"
        else:
            ended = "failed" if isinstance(ending, AgentFailed) else "completed"
            output = ending.output.model_dump_json() if isinstance(ending, AgentCompleted) else ""
    answered = [event for event in world.told if isinstance(event, ChildAnswered)]
    ends = [event.how for event in world.told if isinstance(event, ChildEnded)]
    return Played(
        conversation=script.name,
        rounds=sum(isinstance(event, ChildAsked) for event in world.told),
        answered_by=tuple(event.answered_by for event in answered),
        used=sum(event.answer.casefold() in output.casefold() for event in answered),
        ended=ends[-1] if ended == "completed" and ends else ended,
    )


def report(name: str, rows: tuple[Played, ...], *, as_json: bool) -> Iterator[str]:
    """The rows for a reader, or as one JSON document."""
    if as_json:
        yield json.dumps(
            {"replies": "model", "model": name, "conversations": [asdict(row) for row in rows]}, indent=2
        )
        return
    yield f"Questions of agents that agents started, played by {name}."
    yield f"{'conversation':<50} {'rounds':>6} {'used':>5}  {'answered by':<16} ended"
    for row in rows:
        by = ", ".join(row.answered_by) or "-"
        used = f"{row.used}/{len(row.answered_by)}"
        yield f"{row.conversation:<50} {row.rounds:>6} {used:>5}  {by:<16} {row.ended}"


def main(name: str, environment: Mapping[str, str], *, as_json: bool) -> int:
    """Play all conversations.

    Raises:
        PipelineError: the environment names no model that can be asked.
    """
    model = ModelClient(service_of(environment))
    try:
        rows = tuple(play_with(model, name, script) for script in conversations())
    finally:
        model.close()
    for line in report(name, rows, as_json=as_json):
        print(line)
    return 0
