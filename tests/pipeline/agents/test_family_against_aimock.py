"""Every way in which children and endings in text go, with the real client against a server that speaks the Messages API."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from pipeline.agents.agent import EndsWith
from pipeline.agents.task import AgentCompleted, AgentFailed, Task
from pipeline.agents.transcript import ConversationStarted
from pipeline.contract.answers import Answer, Answers, Verdict
from pipeline.domain.stops import ClarificationNeeded, ConfirmationNeeded, Stop
from pipeline.llm.client import ModelClient
from pipeline.llm.services import service_of
from tests.pipeline.agents.agent_world import World
from tests.pipeline.agents.family import FORMATTER, LEAD, PARSER, QUESTION, WORK
from tests.pipeline.llm.aimock_server import Aimock

pytestmark = pytest.mark.npm

USED = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
AGAIN = "[Clarification from previous attempt]"
N = "0f1e2d3c4b5a6978"
LEADS, FORMATS, PARSES = "You lead.", "You format reports.", "You parse."

Fixture = dict[str, Any]


def said(who: str, turn: int, response: dict[str, Any], **match: Any) -> Fixture:
    return {
        "match": {"systemMessage": who, "turnIndex": turn, **match},
        "response": {**response, "usage": USED},
    }


def calls(who: str, turn: int, name: str, arguments: dict[str, Any], **match: Any) -> Fixture:
    id_ = f"toolu_{who.split()[1].strip('.')}_{turn}_{len(match)}_{name}"
    return said(who, turn, {"toolCalls": [{"id": id_, "name": name, "arguments": arguments}]}, **match)


def writes(who: str, turn: int, text: str, **match: Any) -> Fixture:
    return said(who, turn, {"content": text}, **match)


DELEGATES = calls(LEADS, 0, "delegate", {"agent": "formatter", "task": WORK})
ASKS = calls(FORMATS, 0, "clarify", {"question": QUESTION, "why": "Both are read."})
REPORTS_AGAIN = calls(FORMATS, 0, "complete", {"text": "the report"}, userMessage=AGAIN)


def completes(turn: int) -> Fixture:
    return calls(LEADS, turn, "complete", {"summary": "done"})


def run(server: Aimock, world: World, *fixtures: Fixture, **changes: Any) -> AgentCompleted:
    """Fixtures with more to match go first: the server takes the first one that fits."""
    server.answers(*sorted(fixtures, key=lambda one: -len(one["match"])))
    ending = world.start(model_of(server), **{"agent": LEAD, **changes}).run()
    assert isinstance(ending, AgentCompleted)
    return ending


@cache
def model_at(url: str) -> ModelClient:
    """One for all tests: its connections are no matter of theirs."""
    return ModelClient(service_of({"ANTHROPIC_API_KEY": "made-up", "ANTHROPIC_BASE_URL": url}))


def model_of(server: Aimock) -> ModelClient:
    return model_at(server.url)


def stopped_by(server: Aimock, world: World, *fixtures: Fixture, **changes: Any) -> Stop:
    with pytest.raises(Stop) as stopped:
        run(server, world, *fixtures, **changes)
    return stopped.value


def answer(world: World, stop: Stop, **what: Any) -> None:
    world.answers.append(Answer(question_id=stop.question_id, slot=stop.ask.slot, **what))


def ended(world: World) -> list[tuple[str, str]]:
    """What was told of children: what happened, and how, or by whom."""
    return [
        (event.event.removeprefix("child_"), getattr(event, "answered_by", getattr(event, "how", "")))
        for event in world.told
    ]


def test_a_child_completes(messages_server: Aimock) -> None:
    world = World()
    reports = calls(FORMATS, 0, "complete", {"text": "the report"})
    ending = run(messages_server, world, DELEGATES, reports, completes(1))
    assert (len(messages_server.asked()), ending.spend.calls) == (3, 3)
    assert ended(world) == [("started", ""), ("ended", "completed")]


def test_a_child_fails_and_its_parent_goes_on(messages_server: Aimock) -> None:
    world = World()
    fails = calls(FORMATS, 0, "fail", {"reason": "there is none"})
    run(messages_server, world, DELEGATES, fails, completes(1))
    assert ended(world) == [("started", ""), ("ended", "failed")]


def test_a_rule_answers_a_child(messages_server: Aimock) -> None:
    world = World()
    ending = run(
        messages_server,
        world,
        DELEGATES,
        ASKS,
        REPORTS_AGAIN,
        completes(1),
        prompt="Write the parcels as CSV.",
    )
    assert ("answered", "template") in ended(world)
    assert len(ending.assumptions) == 1
    assert "A: CSV" in str(messages_server.asked()[2])


def test_its_parent_answers_a_child(messages_server: Aimock) -> None:
    world = World()
    replies = calls(LEADS, 1, "reply_to_child", {"id": "formatter-1", "text": "JSON"})
    run(messages_server, world, DELEGATES, ASKS, replies, REPORTS_AGAIN, completes(2))
    assert ended(world) == [
        ("started", ""),
        ("asked", ""),
        ("answered", "parent"),
        ("started", ""),
        ("ended", "completed"),
    ]
    assert len(messages_server.asked()) == 5


def test_a_person_answers_what_the_parent_passes_on(messages_server: Aimock) -> None:
    world = World()
    passes = calls(LEADS, 1, "ask_person", {"id": "formatter-1"})
    stop = stopped_by(messages_server, world, DELEGATES, ASKS, passes)
    assert (type(stop), stop.ask.text) == (ClarificationNeeded, QUESTION)
    answer(world, stop, text="JSON")
    ending = run(messages_server, world, REPORTS_AGAIN, completes(2))
    assert (len(messages_server.asked()), ending.spend.calls, ending.assumptions) == (2, 5, ())


def test_a_person_answers_what_cannot_be_taken_back(messages_server: Aimock) -> None:
    world = World()
    asks = calls(FORMATS, 0, "clarify", {"question": "Should I touch uv.lock?", "why": "It is old."})
    stop = stopped_by(messages_server, world, DELEGATES, asks)
    answer(world, stop, text="no")
    run(messages_server, world, REPORTS_AGAIN, completes(1))
    assert ("answered", "person") in ended(world)


def test_a_child_at_its_limit_must_end(messages_server: Aimock) -> None:
    world = World()
    replies = calls(LEADS, 1, "reply_to_child", {"id": "formatter-1", "text": "JSON"})
    again = calls(FORMATS, 0, "clarify", {"question": "Which colour?", "why": "x"}, userMessage=AGAIN)
    fails = calls(FORMATS, 1, "fail", {"reason": "no colour"})
    run(messages_server, world, DELEGATES, ASKS, replies, again, fails, completes(2))
    assert ended(world)[-1] == ("ended", "failed")


def test_a_call_of_a_child_is_approved_by_a_person(messages_server: Aimock) -> None:
    world = World()
    lock = calls(FORMATS, 0, "create_file", {"path": "uv.lock", "content": "x"})
    stop = stopped_by(messages_server, world, DELEGATES, lock)
    assert isinstance(stop, ConfirmationNeeded)
    answer(world, stop, verdict=Verdict.APPROVE)
    run(messages_server, world, calls(FORMATS, 1, "complete", {"text": "x"}), completes(1))
    assert world.tree.files["uv.lock"] == "x"


def test_a_child_of_a_child_asks_and_completes(messages_server: Aimock) -> None:
    world = World()
    run(
        messages_server,
        world,
        DELEGATES,
        calls(FORMATS, 0, "delegate", {"agent": "parser", "task": "Parse it."}),
        calls(PARSES, 0, "clarify", {"question": QUESTION, "why": "Both are read."}),
        calls(FORMATS, 1, "reply_to_child", {"id": "parser-1", "text": "JSON"}),
        calls(PARSES, 0, "complete", {"text": "parsed"}, userMessage=AGAIN),
        calls(FORMATS, 2, "complete", {"text": "the report"}),
        completes(1),
    )
    assert [event.child for event in world.told if event.event == "child_ended"] == [
        "formatter-1/parser-1",
        "formatter-1",
    ]


# Endings in text. The server cannot know the nonce of a run, so a run that was begun with a known one goes on.

WRITER = replace(PARSER, ends_with=EndsWith.TEXT)


def begun(world: World, task: Task, lines: Any) -> None:
    lines.append(ConversationStarted(fingerprint=task.fingerprint, nonce=N))


def task_of(world: World, **changes: Any) -> Task:
    given: dict[str, Any] = {
        "stage": "coder",
        "round_": 1,
        "agent": WRITER,
        "model": "claude-sonnet-5-5",
        "prompt": "Add a flag.",
    }
    return Task(**{**given, "answers": Answers(answers=tuple(world.answers)), **changes})


def block(name: str, body: str, nonce: str = N) -> str:
    return f"I have looked.\n\n```{name} {nonce}\n{body}\n```"


def test_a_writing_agent_completes_after_a_call_and_a_quoted_block(messages_server: Aimock) -> None:
    world = World()
    begun(world, task_of(world), world.transcript)
    ending = run(
        messages_server,
        world,
        calls(PARSES, 0, "read_file", {"path": "src/app.py"}),
        writes(PARSES, 1, "> " + block("complete", '{"text": "quoted"}').replace("\n", "\n> ")),
        writes(PARSES, 2, block("complete", '{"text": "old"}', "f" * 16)),
        writes(PARSES, 3, block("complete", '{"text": "real"}')),
        agent=WRITER,
    )
    assert ending.output.model_dump() == {"text": "real"}
    first = messages_server.asked()[0]["body"]
    assert N in str(first)
    assert "complete" not in {tool["function"]["name"] for tool in first["tools"]}


def test_a_writing_agent_fails(messages_server: Aimock) -> None:
    world = World()
    begun(world, task_of(world), world.transcript)
    messages_server.answers(writes(PARSES, 0, block("fail", "There is none.")))
    ending = world.start(model_of(messages_server), agent=WRITER).run()
    assert isinstance(ending, AgentFailed)
    assert ending.reason == "There is none."


def test_a_writing_agent_asks_and_starts_again_with_the_answer(messages_server: Aimock) -> None:
    world = World()
    begun(world, task_of(world), world.transcript)
    asks = writes(PARSES, 0, block("clarify", QUESTION))
    stop = stopped_by(messages_server, world, asks, agent=WRITER)
    assert stop.ask.text == QUESTION
    answer(world, stop, text="JSON")
    again = writes(PARSES, 0, block("complete", '{"text": "JSON"}'), userMessage=AGAIN)
    assert run(messages_server, world, again, agent=WRITER).output.model_dump() == {"text": "JSON"}


def test_a_writing_child_asks_its_parent_and_completes(messages_server: Aimock) -> None:
    world = World()
    writer = replace(FORMATTER, ends_with=EndsWith.TEXT)
    lead = replace(LEAD, children=(writer,))
    child = task_of(world, agent=lead).of_child("formatter-1", writer, "claude-sonnet-5-5", WORK)
    begun(world, child, world.of_child("formatter-1"))
    run(
        messages_server,
        world,
        DELEGATES,
        writes(FORMATS, 0, block("clarify", QUESTION)),
        calls(LEADS, 1, "reply_to_child", {"id": "formatter-1", "text": "JSON"}),
        writes(FORMATS, 0, block("complete", '{"text": "the report"}'), userMessage=AGAIN),
        completes(2),
        agent=lead,
    )
    assert ended(world)[-1] == ("ended", "completed")
