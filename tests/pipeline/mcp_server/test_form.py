"""The form of a question, and what a person fills into it."""

from typing import Any

import jsonschema
import pytest
from mcp.types import ElicitRequestFormParams
from mcp_types._v2025_11_25 import PrimitiveSchemaDefinition
from pydantic import TypeAdapter

from pipeline.contract.clarification import Clarification, Option
from pipeline.domain.stops import AlreadyImplemented, Ask, ClarificationNeeded, Stop
from pipeline.mcp_server import form
from pipeline.mcp_server.form import PersonsAnswer
from tests.github_app.conversation.questions import FORMAT, ROUTES, WHO, a_plan, run

STREAM = "route:POST /actions/stream"


def question(kind: type[Stop] = ClarificationNeeded, **fields: Any) -> Clarification:
    wanted = {
        "stage": "decomposition",
        "reason": "Two fit.",
        "suggestion": "Name one.",
        "slot": "entry_route",
    }
    ask = Ask(**{**wanted, "text": "Which route?", "candidates": ROUTES, **fields})
    return kind(ask).clarification(run(), round_=1)


def filled_in(clarification: Clarification, **content: Any) -> PersonsAnswer | None:
    jsonschema.validate(content, form.schema(clarification))
    return form.answer(clarification, content)


def test_the_form_is_one_that_the_protocol_allows_and_names_every_option() -> None:
    clarification = question(default=STREAM)
    params = ElicitRequestFormParams(
        message=form.message(clarification), requested_schema=form.schema(clarification)
    )
    sent = params.model_dump(mode="json", by_alias=True)["requestedSchema"]["properties"]
    assert sent["choice"]["enum"] == ["route:POST /actions", STREAM]
    assert sent["choice"]["enumNames"] == ["POST /actions", "POST /actions/stream"]
    assert sent["choice"]["default"] == STREAM
    assert "2. POST /actions/stream  app/api/stream.py:22  (default)" in params.message


def test_a_choice_is_an_answer_and_words_are_a_better_one() -> None:
    clarification = question()
    chosen, worded = (
        filled_in(clarification, choice=STREAM),
        filled_in(clarification, choice=STREAM, words=" both, please "),
    )
    assert chosen is not None
    assert worded is not None
    assert (chosen.question_id, chosen.slot, chosen.choice) == (
        clarification.question.id,
        "entry_route",
        STREAM,
    )
    assert (worded.choice, worded.text) == (None, "both, please")


def test_an_untouched_form_takes_the_default_that_it_showed() -> None:
    answer = filled_in(question(default=STREAM))
    assert answer is not None
    assert answer.choice == STREAM


def test_an_untouched_form_without_a_default_answers_nothing() -> None:
    assert filled_in(question()) is None


def test_an_option_that_is_not_offered_answers_nothing() -> None:
    assert form.answer(question(default=STREAM), {"choice": "route:DELETE /orders"}) is None


def test_an_option_that_needs_words_answers_nothing_without_them() -> None:
    options = (
        Option(id="stop", label="Stop"),
        Option(id="falls_short", label="It falls short", needs_text=True),
    )
    clarification = question(AlreadyImplemented, options=options, default="stop")
    assert filled_in(clarification, choice="falls_short") is None
    worded = filled_in(clarification, choice="falls_short", words="it lacks a limit")
    assert worded is not None
    assert worded.text == "it lacks a limit"


def test_a_question_without_options_asks_for_words() -> None:
    clarification = question(candidates=())
    assert form.schema(clarification)["required"] == ["words"]
    with pytest.raises(jsonschema.ValidationError):
        filled_in(clarification)


def test_several_options_are_an_answer_where_the_question_takes_several() -> None:
    clarification = question(multiple=True, default=STREAM)
    ElicitRequestFormParams(message=form.message(clarification), requested_schema=form.schema(clarification))
    both = filled_in(clarification, choices=["route:POST /actions", STREAM])
    assert both is not None
    assert both.choices == ("route:POST /actions", STREAM)
    alone = filled_in(clarification, choices=[STREAM], choice="route:POST /actions")
    assert alone is not None
    assert alone.choice == STREAM
    plain = form.answer(question(default=STREAM), {"choices": ["route:POST /actions", STREAM]})
    assert plain is not None
    assert plain.choice == STREAM


@pytest.mark.parametrize("multiple", [False, True])
def test_every_field_is_one_that_a_strict_client_takes(multiple: bool) -> None:
    """Programs pass `answer_schema` on as it is. Its fields and those of our form are checked by the protocol's own types."""
    field = TypeAdapter[Any](PrimitiveSchemaDefinition)
    clarification = question(multiple=multiple)
    for schema in (clarification.question.answer_schema, form.schema(clarification)):
        properties = schema["properties"]
        assert isinstance(properties, dict)
        for name in properties:
            field.validate_python(properties[name], strict=True)


def a_plan_to_fill_in() -> Clarification:
    told = a_plan(WHO, FORMAT).question
    return question(slot="plan", candidates=(), text=told.text, plan=told.plan, points=told.points)


def test_a_plan_is_a_form_with_a_field_for_each_point() -> None:
    clarification = a_plan_to_fill_in()
    params = ElicitRequestFormParams(
        message=form.message(clarification), requested_schema=form.schema(clarification)
    )
    sent = params.model_dump(mode="json", by_alias=True)["requestedSchema"]["properties"]
    assert {name: (field.get("enumNames"), field.get("default")) for name, field in sent.items()} == {
        "1": (["Everybody", "Admins"], "a"),
        "2": (["202", "A list", "Both"], "b"),
        "words": (None, None),
    }
    assert "2a  Admins" in params.message


@pytest.mark.parametrize(
    ("content", "points"),
    [
        ({}, {"1": "a", "2": "b"}),
        ({"1": "b"}, {"1": "b", "2": "b"}),
        ({"1": "b", "2": "c", "words": " "}, {"1": "b", "2": "c"}),
    ],
)
def test_a_plan_is_taken_as_it_is_filled_in(content: dict[str, str], points: dict[str, str]) -> None:
    answer = filled_in(a_plan_to_fill_in(), **content)
    assert answer is not None
    assert (answer.points, answer.choice, answer.text) == (points, None, None)


def test_words_about_a_plan_take_its_changed_fields_along_and_an_option_that_it_has_not_is_no_answer() -> (
    None
):
    worded = filled_in(a_plan_to_fill_in(), **{"1": "b", "words": "Call it preview."})
    assert worded is not None
    assert (worded.points, worded.text) == (None, "2a (Admins), the rest as planned. Call it preview.")
    only_words = filled_in(a_plan_to_fill_in(), **{"1": "a", "words": "Call it preview."})
    assert only_words is not None
    assert only_words.text == "Call it preview."
    assert form.answer(a_plan_to_fill_in(), {"1": "z"}) is None
