"""The questions of agents that agents started travel as the conversations of `roundtrips.json` say."""

import json

import pytest

from tests.evaluation.roundtrip import Conversation, conversations, main, play

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
