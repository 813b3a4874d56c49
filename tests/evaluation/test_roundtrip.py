"""The questions of agents that agents started travel as the conversations of `roundtrips.json` say."""

import json

import pytest

from tests.evaluation import roundtrip_model
from tests.evaluation.conversations import Conversation, conversations
from tests.evaluation.roundtrip import ScriptedFamily, main, play
from tests.journeys.messages_server import KEY, messages_api

EVERY = conversations()


@pytest.mark.parametrize("script", EVERY, ids=lambda script: script.name)
def test_a_conversation_goes_as_it_should(script: Conversation) -> None:
    row = play(script)
    assert row.right, row


def test_everybody_who_may_answer_does_so_somewhere_and_every_end_is_reached() -> None:
    assert {by for script in EVERY for by in script.expected.answered_by} == {
        "rule",
        "template",
        "parent",
        "person",
    }
    assert {script.expected.ended for script in EVERY} == {"completed", "failed", "waiting"}


def test_the_rows_are_said_to_be_scripted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["replies"], len(told["conversations"])) == ("scripted", len(EVERY))


def test_a_conversation_that_goes_otherwise_is_not_right() -> None:
    other = next(script for script in EVERY if script.parent == ("spaces",))
    wrong = other.expected.model_copy(update={"answered_by": ("person",)})
    assert not play(other.model_copy(update={"expected": wrong})).right


def test_with_a_model_the_rounds_the_answers_used_and_the_endings_are_told() -> None:
    rows = [roundtrip_model.play_with(ScriptedFamily(script), "a-model", script) for script in EVERY]
    asked = next(row for row in rows if row.conversation == "output format, decided by the words of the task")
    assert (asked.rounds, asked.answered_by, asked.used, asked.ended) == (1, ("template",), 1, "completed")
    assert {row.ended for row in rows} >= {"completed", "failed", "waiting"}
    told = list(roundtrip_model.report("a-model", tuple(rows), as_json=False))
    assert len(told) == 2 + len(EVERY)
    assert "played by a-model" in told[0]


@pytest.mark.process
def test_a_messages_api_at_another_address_plays_the_conversations(
    capsys: pytest.CaptureFixture[str],
) -> None:
    turns = {"lead": [[("complete", {"summary": "nothing was delegated"})]]}
    with messages_api(turns, by_prompt={"lead": "You lead."}) as server:
        environment = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
        assert roundtrip_model.main("claude-sonnet-5-5", environment, as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["replies"], told["model"]) == ("model", "claude-sonnet-5-5")
    assert {(row["rounds"], row["ended"]) for row in told["conversations"]} == {(0, "completed")}
    assert len(server.asked) == len(EVERY)
