"""A plan as a question: what a payload may hold, so that nobody is asked about what a reply cannot say."""

from typing import Any

import pytest
from pydantic import ValidationError

from pipeline.contract.clarification import Clarification
from pipeline.contract.point_reply import named_options
from tests.github_app.conversation.questions import (
    FORMAT,
    WHO,
    a_plan,
    already_there,
    confirmation,
    two_routes,
)


def with_points(clarification: Clarification, *points: dict[str, Any]) -> dict[str, Any]:
    payload = clarification.model_dump(mode="json")
    payload["question"]["points"] = list(points)
    return payload


POINT = WHO.model_dump(mode="json")


def test_a_plan_comes_back_as_it_was_written() -> None:
    plan = a_plan(WHO, FORMAT)
    assert Clarification.model_validate_json(plan.model_dump_json()) == plan


@pytest.mark.parametrize("other", [confirmation(), already_there(), two_routes()])
def test_no_question_about_code_or_a_call_has_points(other: Clarification) -> None:
    """A "yes" to a plan must never be the reply to a call that waits for an approval."""
    with pytest.raises(ValidationError, match="`points`"):
        Clarification.model_validate(with_points(other, POINT))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"taken": "z"}, "`taken` is the id of an option"),
        ({"options": POINT["options"][:1]}, "at least 2 items"),
        ({"options": [{"id": str(n), "label": str(n)} for n in range(9)]}, "at most 8 items"),
        ({"options": [{"id": "a", "label": "x"}, {"id": "b", "label": "x"}]}, "the same label"),
    ],
)
def test_a_point_that_nobody_could_answer_is_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Clarification.model_validate(with_points(a_plan(), POINT | changed))


def test_two_points_are_told_apart_and_there_are_not_too_many() -> None:
    with pytest.raises(ValidationError, match="the same id"):
        Clarification.model_validate(with_points(a_plan(), POINT, POINT))
    with pytest.raises(ValidationError, match="at most 20 items"):
        Clarification.model_validate(with_points(a_plan(), *(POINT | {"id": str(n)} for n in range(21))))


@pytest.mark.parametrize("text", ["2bc", "2b3", "2b_", "b 2", "2", "02b", "2 - - b", "-2b", "x2b", "100b"])
def test_what_is_glued_to_an_option_makes_it_another_word(text: str) -> None:
    assert named_options(text, a_plan(WHO, FORMAT).question) is None


def test_a_list_ends_before_what_is_no_option() -> None:
    reply = named_options("2a, 3b and more", a_plan(WHO, FORMAT).question)
    assert reply is not None
    assert (dict(reply.points), reply.end, reply.end == len("2a, 3b and more")) == (
        {"1": "b", "2": "c"},
        6,
        False,
    )
