"""An issue cites a function that several routes reach, and a model reads the issue beside these routes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.contract.answers import Answer
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.ask_for_routes import RoutesForm
from pipeline.stages.decomposition.stage import Decomposition, decide
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import ACTIONS, FLAG, MOVE, SHELVES, STREAM, TO_LEAF
from tests.pipeline.stages.plan_world import issue, ranking_of

REPLY: Mapping[str, Any] = {
    "changes_request": True,
    "routes": [1, 2],
    "for_each": False,
    "exists": 0,
    "new_thing": "a name",
    "quote": "leave a name",
}
LIKELY = ranking_of("shelves/moves.py", probability=0.8)
NO_REQUEST_BY_WORDS = ("Nobody knows who did it", "`move_parcel` ought to know who it was.")


def decided(
    built: Built, title: str = FLAG, body: str = TO_LEAF, answers: tuple[Answer, ...] = (), **form: object
) -> Decomposition | ClarificationNeeded:
    """What the decision comes to where a model says this of the routes that reach `move_parcel`."""
    result, _ = decide(
        issue(title, body),
        LIKELY,
        built(SHELVES),
        answers,
        (),
        lambda _: RoutesForm.model_validate({**REPLY, **form}),
    )
    return result


def test_a_model_asks_where_words_see_no_change_of_a_request(built: Built) -> None:
    by_words, _ = decide(issue(*NO_REQUEST_BY_WORDS), LIKELY, built(SHELVES), ())
    assert isinstance(by_words, Decomposition)
    by_model = decided(built, *NO_REQUEST_BY_WORDS)
    assert isinstance(by_model, ClarificationNeeded)
    assert sorted(candidate.id for candidate in by_model.ask.candidates) == [ACTIONS, STREAM]
    assert by_model.ask.text == "Which route should get a name?"


@pytest.mark.parametrize(
    "form", [{"changes_request": False}, {"for_each": True}, {"routes": []}, {"routes": [2]}]
)
def test_the_cited_function_is_the_target_where_a_model_leaves_nothing_open(
    form: Mapping[str, Any], built: Built
) -> None:
    by_words, _ = decide(issue(FLAG, TO_LEAF), LIKELY, built(SHELVES), ())
    assert isinstance(by_words, ClarificationNeeded)
    by_model = decided(built, **form)
    assert isinstance(by_model, Decomposition)
    assert [target.id for target in by_model.targets] == [MOVE]


def test_what_a_route_does_already_is_said(built: Built) -> None:
    result = decided(built, exists=1)
    assert isinstance(result, Decomposition)
    assert (result.hint or "").startswith("May exist already: POST /actions")


def test_the_model_sees_only_the_routes_that_reach_the_function(built: Built) -> None:
    listings: list[Sequence[str]] = []
    decide(issue(FLAG, TO_LEAF), LIKELY, built(SHELVES), (), (), listings.append)
    assert [line for line in "\n".join(listings[0]).splitlines() if line[0] != " "] == snapshot(
        [
            "1. POST /actions → run_action: Move one parcel.",
            "2. POST /actions/stream → stream_actions: Move parcels, a line for each.",
        ]
    )


def test_no_model_is_asked_about_a_bug_report(built: Built) -> None:
    listings: list[Sequence[str]] = []
    result, _ = decide(issue(FLAG, TO_LEAF, "bug"), LIKELY, built(SHELVES), (), (), listings.append)
    assert isinstance(result, Decomposition)
    assert listings == []


def test_an_answer_holds_where_no_model_replies_any_more(built: Built) -> None:
    question = decided(built, *NO_REQUEST_BY_WORDS)
    assert isinstance(question, ClarificationNeeded)
    answer = Answer(question_id=question.question_id, slot="entry_route", choice=STREAM)
    listings: list[Sequence[str]] = []
    result, _ = decide(issue(*NO_REQUEST_BY_WORDS), LIKELY, built(SHELVES), (answer,), (), listings.append)
    assert isinstance(result, Decomposition)
    assert [target.id for target in result.targets] == [STREAM]
    assert listings == []


THREE_ROUTES = {
    **SHELVES,
    "shelves/admin.py": """
        from shelves.api import app
        from shelves.moves import move_parcel

        @app.post("/actions/admin")
        def run_for_admins(number: str, shelf: str):
            return move_parcel(number, shelf)
    """,
}


@pytest.mark.parametrize(
    "choice", [STREAM, MOVE, "route:POST /message"], ids=["a candidate", "the function", "another route"]
)
def test_an_answer_to_what_a_model_left_open_goes_before_the_words_of_the_issue(
    choice: str, built: Built
) -> None:
    registry = built(THREE_ROUTES)
    document = issue("Add a dry_run flag for admins", TO_LEAF)
    asks = partial(decide, document, LIKELY, registry)
    question, _ = asks((), (), lambda _: RoutesForm.model_validate({**REPLY, "routes": [1, 3]}))
    assert isinstance(question, ClarificationNeeded)
    assert len(question.ask.candidates) == 2
    answer = Answer(question_id=question.question_id, slot="entry_route", choice=choice)
    result, _ = asks((answer,))
    assert isinstance(result, Decomposition)
    assert [target.id for target in result.targets] == [choice]


def test_an_answer_about_another_function_leaves_the_question_to_the_model(built: Built) -> None:
    answer = Answer(question_id="q-other", slot="entry_route", choice="route:POST /message")
    result = decided(built, FLAG, TO_LEAF, (answer,))
    assert isinstance(result, ClarificationNeeded)
