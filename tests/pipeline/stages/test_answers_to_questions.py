"""Answers to a structural question: a candidate by its id, or anything in the code by free words."""

import pytest

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from tests.pipeline.stages.code_bases import (
    FLAG,
    STREAM,
    TO_LEAF,
    decision_on,
    free_answer,
    outcome,
)


def test_an_answer_selects_its_candidate(shelves: Registry) -> None:
    answer = Answer(question_id="q-1", slot="entry_route", answered_by="octocat", choice=STREAM)
    decision = decision_on(shelves, FLAG, TO_LEAF, answer)
    assert [target.id for target in decision.targets] == [STREAM]
    assert decision.selected_because == "octocat chose POST /actions/stream."


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("the streaming one", STREAM),
        ("POST /actions/stream", STREAM),
        ("neither, it should be POST /message", "route:POST /message"),
        ("`send_message` is where it belongs", "symbol:shelves/api.py::send_message"),
    ],
)
def test_an_answer_in_words_names_a_candidate_or_anything_else_in_the_code(
    shelves: Registry, text: str, target: str
) -> None:
    assert outcome(shelves, FLAG, TO_LEAF, answers=[free_answer(text)]) == ("named", target)


@pytest.mark.parametrize("text", ["both", "somewhere else", "whatever is easier"])
def test_an_answer_in_words_that_names_nothing_selects_nothing(shelves: Registry, text: str) -> None:
    assert outcome(shelves, FLAG, TO_LEAF, answers=[free_answer(text)]) == ("likely",)


@pytest.mark.parametrize(
    "text",
    [
        "neither `POST /actions` nor `POST /actions/stream`, but `POST /message`",
        "POST /actions and POST /message",
        "POST /actions and POST /actions/stream",
    ],
)
def test_an_answer_in_words_that_names_several_things_selects_none_that_it_rules_out_or_by_chance(
    shelves: Registry, text: str
) -> None:
    assert outcome(shelves, FLAG, TO_LEAF, answers=[free_answer(text)]) in (
        ("likely",),
        ("named", "route:POST /message"),
    )
