"""Answers to a structural question: a candidate by its id, or anything in the code by free words."""

import pytest

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.stage import decide
from tests.pipeline.stages.code_bases import (
    ACTIONS,
    FLAG,
    STREAM,
    TO_LEAF,
    decision_on,
    free_answer,
    likely_files,
    outcome,
)
from tests.pipeline.stages.plan_world import issue


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


def test_the_newest_answer_counts_whether_it_is_a_choice_or_words(shelves: Registry) -> None:
    choice = Answer(question_id="q-1", slot="entry_route", choice=ACTIONS)
    words = free_answer("the streaming one")
    assert outcome(shelves, FLAG, TO_LEAF, answers=[choice, words]) == ("named", STREAM)
    assert outcome(shelves, FLAG, TO_LEAF, answers=[words, choice]) == ("named", ACTIONS)


def asked(shelves: Registry, *answers: Answer) -> ClarificationNeeded:
    result, _ = decide(issue(FLAG, TO_LEAF), likely_files(shelves), shelves, answers)
    assert isinstance(result, ClarificationNeeded)
    return result


def test_a_question_lists_what_it_does_not_offer_with_names_that_mean_nothing_else(shelves: Registry) -> None:
    named = {thing.id: thing.names for thing in asked(shelves).ask.elsewhere}
    assert named == {
        "route:POST /message": ("POST /message", "/message", "send_message"),
        "symbol:shelves/moves.py::move_parcel": ("move_parcel", "shelves/moves.py", "moves.py"),
    }


def test_an_answer_may_choose_what_the_question_lists_without_offering_it(shelves: Registry) -> None:
    about = asked(shelves).question_id
    answer = Answer(
        question_id=about, slot="entry_route", answered_by="octocat", choice="route:POST /message"
    )
    decision = decision_on(shelves, FLAG, TO_LEAF, answer)
    assert [target.id for target in decision.targets] == ["route:POST /message"]
    assert decision.selected_because == "octocat chose POST /message."


def test_a_newer_choice_outside_the_question_goes_before_older_words(shelves: Registry) -> None:
    newer = Answer(question_id=asked(shelves).question_id, slot="entry_route", choice="route:POST /message")
    older = free_answer("the streaming one")
    assert outcome(shelves, FLAG, TO_LEAF, answers=[older, newer]) == ("named", "route:POST /message")


@pytest.mark.parametrize("choice", ["route:POST /gone", "file:shelves/api.py"])
def test_an_answer_that_the_code_does_not_hold_is_asked_again(shelves: Registry, choice: str) -> None:
    about = asked(shelves).question_id
    asked(shelves, Answer(question_id=about, slot="entry_route", choice=choice))


def test_an_answer_to_another_question_of_the_slot_chooses_nothing_outside_this_one(
    shelves: Registry,
) -> None:
    asked(shelves, Answer(question_id="q-other", slot="entry_route", choice="route:POST /message"))
