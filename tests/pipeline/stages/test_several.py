"""Several candidates as one answer, wherever one wish can be meant for each."""

import json

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.wire import RunIdentity
from tests.pipeline.stages.code_bases import ACTIONS, FLAG, STREAM, TO_LEAF, decision_on, question


def test_a_question_between_routes_says_that_several_may_be_chosen(shelves: Registry) -> None:
    several = question(shelves, FLAG, TO_LEAF)
    assert several.question().multiple
    schema = json.dumps(several.question().answer_schema)
    assert f'"items": {{"type": "string", "enum": ["{ACTIONS}", "{STREAM}"]}}' in schema
    run = RunIdentity(repository=None, issue=None, commit="c" * 40, run_id="1", ticket_sha256="a" * 64)
    assert several.clarification(run, round_=1).has_its_own_id()


def test_an_answer_of_several_makes_each_of_them_a_target(shelves: Registry) -> None:
    answer = Answer(question_id="q-1", slot="entry_route", answered_by="octocat", choices=(ACTIONS, STREAM))
    decision = decision_on(shelves, FLAG, TO_LEAF, answer)
    assert [target.id for target in decision.targets] == [ACTIONS, STREAM]
    assert decision.selected_because == "octocat chose POST /actions and POST /actions/stream."


def test_an_answer_of_several_of_which_one_is_gone_is_asked_anew(shelves: Registry) -> None:
    answer = Answer(question_id="q-1", slot="entry_route", choices=(ACTIONS, "route:POST /gone"))
    assert question(shelves, FLAG, TO_LEAF, answer).question().multiple
