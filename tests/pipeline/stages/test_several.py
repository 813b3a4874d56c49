"""Several candidates as one answer: only where the issue wishes the same of all of them."""

import json

import pytest

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.code_slots import Slot
from pipeline.contract.wire import RunIdentity
from pipeline.stages.decomposition.questions import speaks_of_all
from tests.pipeline.stages.code_bases import ACTIONS, FLAG, STREAM, TO_LEAF, decision_on, question

BOTH = f"{TO_LEAF} Both routes need it."


@pytest.mark.parametrize(
    ("text", "is_of_all"),
    [
        ("Add a dry_run flag to the bulk action endpoints", True),
        ("Add a dry_run flag to these bulk routes.", True),
        ("Both endpoints should take dry_run.", True),
        ("All routes should take dry_run.", True),
        ("Add a dry_run flag to the bulk action", False),
        ("Add a dry_run flag to the bulk action endpoint", False),
        ("Add a dry_run flag to one of the bulk action endpoints", False),
        ("Each of the bulk endpoints takes something; which of the bulk routes gets it?", False),
        ("Add it as the export endpoints have it", False),
        ("The routes are slow. Add a flag to the bulk action.", False),
        ("The bulk action calls functions", False),
    ],
)
def test_a_plural_with_the_words_of_the_question_speaks_of_all(text: str, is_of_all: bool) -> None:
    assert speaks_of_all(Slot.ENTRY_ROUTE.value, 2, ("bulk action",), text) is is_of_all


@pytest.mark.parametrize(("slot", "candidates"), [(Slot.CALLER, 2), (Slot.ENTRY_ROUTE, 5)])
def test_levels_and_long_lists_are_never_meant_together(slot: Slot, candidates: int) -> None:
    assert not speaks_of_all(
        slot.value, candidates, ("bulk action",), "both routes, both callers, both packages"
    )


def test_a_question_about_all_says_that_several_may_be_chosen(shelves: Registry) -> None:
    several, one = question(shelves, FLAG, BOTH), question(shelves, FLAG, TO_LEAF)
    assert (several.question().multiple, one.question().multiple) == (True, False)
    assert several.question_id == one.question_id
    schema = json.dumps(several.question().answer_schema)
    assert f'"items": {{"type": "string", "enum": ["{ACTIONS}", "{STREAM}"]}}' in schema
    run = RunIdentity(repository=None, issue=None, commit="c" * 40, run_id="1", ticket_sha256="a" * 64)
    assert several.clarification(run, round_=1).has_its_own_id()


def test_an_answer_of_several_makes_each_of_them_a_target(shelves: Registry) -> None:
    answer = Answer(question_id="q-1", slot="entry_route", answered_by="octocat", choices=(ACTIONS, STREAM))
    decision = decision_on(shelves, FLAG, BOTH, answer)
    assert [target.id for target in decision.targets] == [ACTIONS, STREAM]
    assert decision.selected_because == "octocat chose POST /actions and POST /actions/stream."


def test_an_answer_of_several_of_which_one_is_gone_is_asked_anew(shelves: Registry) -> None:
    answer = Answer(question_id="q-1", slot="entry_route", choices=(ACTIONS, "route:POST /gone"))
    assert question(shelves, FLAG, BOTH, answer).question().multiple
