"""Whatever a model says, an agent ends in a way of its own, within its budget, and can be taken up where it was killed."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.agents.agent import EndsWith
from pipeline.agents.budget import Budget
from pipeline.agents.task import AgentCompleted, AgentFailed
from pipeline.domain.stops import Stop
from pipeline.llm.failures import ModelFailed, ModelRefused, ReplyCut, ReplyMalformed
from pipeline.llm.port import ModelReply, StopReason, TextBlock, ToolCall
from pipeline.llm.usage import Usage
from tests.pipeline.agents.agent_world import CODER, Killed, TalkingModel, World

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**40) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=4,
)
names = st.sampled_from(
    [
        "read_file",
        "edit_file",
        "create_file",
        "run_command",
        "complete",
        "fail",
        "clarify",
        "delegate",
        "",
        "sudo",
        "完了",
    ]
)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "path": st.sampled_from(["src/app.py", "../x", "", "\x00", "a" * 300]) | anything,
        "old": st.just("False") | anything,
        "new": st.just("True") | anything,
        "content": anything,
        "command": st.sampled_from(["pytest -q", "rm -rf /", "'"]) | anything,
        "summary": st.sampled_from(["done", ""]) | anything,
        "reason": st.just("no") | anything,
        "question": st.just("Which one?") | anything,
        "why": st.just("I do not know.") | anything,
        "options": st.just(["a", "b"]) | anything,
        "not_json": st.just("{]"),
    },
)
texts = st.sampled_from(
    [
        "",
        " ",
        "Sure! Here is the JSON:",
        "{",
        "```complete nonce\n{}\n```",
        "我做完了。",
        "word " * 2_000,
        "\u202e\x1b[2J",
    ]
)


@st.composite
def replies(draw: st.DrawFn) -> ModelReply | ModelFailed:
    if draw(st.integers(0, 9)) == 0:
        kind = draw(st.sampled_from([ModelRefused, ReplyCut, ReplyMalformed]))
        return kind("made-up failure", usage=Usage(output_tokens=5))
    calls = draw(st.lists(st.tuples(names, arguments), max_size=3))
    content = [ToolCall(id=f"c{at}", name=name, input=given) for at, (name, given) in enumerate(calls)]
    words = [TextBlock(text=text) for text in draw(st.lists(texts, max_size=1))]
    return ModelReply(
        content=(*words, *content),
        stop_reason=draw(st.sampled_from(list(StopReason))),
        usage=Usage(input_tokens=10, output_tokens=5),
    )


@pytest.mark.parametrize("ends_with", list(EndsWith))
@settings(max_examples=40, deadline=None)
@given(said=st.lists(replies(), min_size=8, max_size=8))
def test_whatever_a_model_says_the_agent_ends_within_its_budget(
    ends_with: EndsWith, said: list[ModelReply | ModelFailed]
) -> None:
    world = World(limits=Budget(turns=6, failures=4))
    model = TalkingModel(*said)
    agent = replace(CODER, ends_with=ends_with)
    try:
        ending: object = world.start(model, agent=agent).run()
    except (Stop, ModelFailed) as end:
        ending = end
    assert isinstance(ending, AgentCompleted | AgentFailed | Stop | ModelFailed)
    assert len(model.asked) <= 6
    # Its transcript is whole: another process takes it up, and has no turn again that was paid for.
    turns_before = len(model.asked)
    later = TalkingModel()
    with suppress(Stop, ModelFailed, Killed):
        world.start(later, agent=agent).run()
    assert all(request.turn_number >= turns_before - 1 for request in later.asked)
