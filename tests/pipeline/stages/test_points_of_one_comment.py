"""Everything that is open goes into one comment: what is in it, in which order, with which defaults, and what replies make of it."""

from typing import Any

import pytest

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import AskedOf
from pipeline.contract.wire import Location
from pipeline.domain.errors import NothingToBuild
from pipeline.domain.stops import AlreadyImplemented, ClarificationNeeded
from pipeline.stages.semantics.policy import Policy
from tests.pipeline.stages.open_points import NOTHING, QUOTES, chosen, come_to, question
from tests.pipeline.stages.plan_world import Bench, explored, form, point

CLASH = ["Handle bursts gracefully", "ten in a minute is what we can take"]


def asked(kind: str, question_text: str, **changed: Any) -> dict[str, Any]:
    return point(kind, question=question_text, **({"would_ask": True} | changed))


def test_all_points_that_an_explorer_would_ask_stand_in_one_question_the_sharpest_first(
    service: Registry,
) -> None:
    points = [
        asked("scope", "All of them?"),
        asked("interface", "What is shown?"),
        asked("contradiction", "Which of the two holds?", about=CLASH),
        asked("value", "How many?", why="The gateway takes as many.", asked_of="author"),
        point("edge_case", question="Not asked?"),
    ]
    stop = question(explored(service, form(open_points=points)))
    assert (stop.ask.text, stop.ask.quotes) == ("Which of the two holds?", tuple(CLASH))
    assert [(further.text, further.kind) for further in stop.ask.points] == [
        ("How many?", "value"),
        ("What is shown?", "interface"),
        ("All of them?", "scope"),
    ]
    value = stop.ask.points[0]
    assert (value.reason, value.asked_of, value.quotes) == (
        "The gateway takes as many. The plan would build “It waits”.",
        AskedOf.AUTHOR,
        (),
    )


def test_each_point_has_the_id_that_it_has_when_it_is_asked_alone(service: Registry) -> None:
    one, two = asked("value", "How many?"), asked("interface", "What is shown?")
    together = question(explored(service, form(open_points=[one, two])))
    alone = [question(explored(service, form(open_points=[point_]))).question_id for point_ in (one, two)]
    assert [together.question_id, *(further.id for further in together.ask.points)] == alone
    payload = together.question()
    assert set(payload.answer_schema["properties"]) == set(alone)  # type: ignore[arg-type]


def test_at_most_five_points_are_asked_and_the_others_are_assumed(service: Registry) -> None:
    points = [asked("interface", f"Number {number}?") for number in range(7)]
    made = explored(service, form(open_points=points))
    stop = question(made)
    assert len(stop.ask.points) == 4
    ids = (stop.question_id, *(further.id for further in stop.ask.points))
    outcome = come_to(made, decided(stop, dict.fromkeys(ids, "option-1")))
    assert len(outcome.assumptions) == 2
    assert outcome.plan is not None
    assert len(outcome.plan.decisions) == 5


def decided(stop: ClarificationNeeded, points: dict[str, str], words: dict[str, str] | None = None) -> Answer:
    return chosen(stop, points=points, words=words)


def test_one_answer_decides_every_point_with_options_and_words(service: Registry) -> None:
    points = [asked("value", "How many?"), asked("interface", "What is shown?")]
    made = explored(service, form(open_points=points))
    stop = question(made)
    (below,) = stop.ask.points
    outcome = come_to(made, decided(stop, {below.id: "option-2"}, {stop.question_id: "30 in a minute"}))
    assert outcome.plan is not None
    assert [
        (decision.text, decision.label, decision.effect, decision.overrules_plan)
        for decision in outcome.plan.decisions
    ] == [
        ("How many?", "30 in a minute", None, True),
        ("What is shown?", "It is refused", "The caller gets 429.", True),
    ]
    assert outcome.acceptance[0] == "octocat decided: 30 in a minute. (The question: How many?)"
    assert "octocat decided “30 in a minute” and the plan was made for “It waits”" in outcome.assumptions[0]


def test_an_answer_to_one_point_leaves_the_others_to_their_defaults_as_assumptions(service: Registry) -> None:
    made = explored(
        service, form(open_points=[asked("value", "How many?"), asked("interface", "What is shown?")])
    )
    outcome = come_to(made, chosen(question(made), "option-2"))
    assert outcome.assumptions[-1] == "What is shown? It waits, instead of: It is refused."


def test_what_the_plan_leaves_out_is_the_last_point(service: Registry) -> None:
    wishes = [{"wish": "a limit", "planned": True}, {"wish": "a page for it", "planned": False}]
    made = explored(service, form(wishes=wishes, open_points=[asked("interface", "What is shown?")]))
    stop = question(made)
    (below,) = stop.ask.points
    assert [option.id for option in below.options] == ["as planned", "plan: a page for it"]
    anew = decided(stop, {stop.question_id: "option-1", below.id: "plan: a page for it"})
    bench = Bench((form(),))
    explored(service, bench=bench, answers=(anew.model_copy(update={"label": "Build a page first."}),))
    assert "Build a page first." in bench.prompts[0]


@pytest.mark.parametrize(
    ("changed", "default"),
    [({}, "option-1"), ({"safest": 2}, "option-2"), ({"safest": 1}, "option-1")],
)
def test_where_somebody_may_be_hurt_the_default_is_the_option_by_which_nobody_is(
    service: Registry, changed: dict[str, Any], default: str
) -> None:
    made = explored(service, form(open_points=[asked("compatibility", "What do callers get?", **changed)]))
    stop = question(made)
    assert stop.ask.default == default
    assert (stop.ask.default_reason or "").startswith("Nobody is hurt") == (default == "option-2")


@pytest.mark.parametrize(
    ("kind", "is_asked"), [("compatibility", True), ("stored_data", True), ("interface", False)]
)
def test_what_takes_something_away_is_asked_whatever_the_explorer_says(
    service: Registry, kind: str, is_asked: bool
) -> None:
    made = explored(service, form(open_points=[point(kind, takes_away=True)]), form())
    if is_asked:
        assert question(made).ask.text == "What happens to the eleventh?"
    else:
        assert come_to(made).assumptions


@pytest.mark.parametrize("policy", [Policy.QUIET, Policy.BALANCED, Policy.EAGER])
def test_a_contradiction_is_asked_by_every_policy_even_if_a_quote_seems_to_settle_it(
    service: Registry, policy: Policy
) -> None:
    excludes = {"excluded": [{"point": "1.1", "options": [2]}], "same": []}
    clash = point("contradiction", about=CLASH, **QUOTES)
    made = explored(service, form(open_points=[clash]), check=excludes, policy=policy)
    assert question(made).ask.reason.startswith("The ticket says")


def test_quotes_that_the_ticket_does_not_hold_are_left_out(service: Registry) -> None:
    made = explored(service, form(open_points=[asked("value", "How many?", about=["a hundred", CLASH[0]])]))
    assert question(made).ask.quotes == (CLASH[0],)
    assert made.plans[0].left_out == ("“a hundred”, which the ticket does not say",)


THERE: dict[str, Any] = {
    "changes": [],
    "no_plan": {
        "kind": "exists",
        "why": "POST /actions is limited to ten in a minute.",
        "places": [{"path": "app/api.py", "start_line": 2, "end_line": 5}],
    },
}


def test_what_exists_ends_a_run_where_an_explorer_finds_it(service: Registry) -> None:
    made = explored(service, form(**THERE))
    with pytest.raises(AlreadyImplemented) as stopped:
        come_to(made)
    (candidate,) = stopped.value.ask.candidates
    assert candidate.location == Location(path="app/api.py", start_line=2, end_line=5)
    assert (stopped.value.ask.default, stopped.value.ask.default_reason) == (
        "stop",
        "POST /actions is limited to ten in a minute.",
    )
    there = Answer(question_id=stopped.value.question_id, slot="existing", choice="stop")
    with pytest.raises(NothingToBuild):
        come_to(made, there)
    assert come_to(made, there.model_copy(update={"choice": "build_anyway"})).targets == ()


def test_a_wrong_premise_is_said_and_can_be_built_all_the_same(service: Registry) -> None:
    premise: dict[str, Any] = {
        "changes": [],
        "no_plan": {"kind": "premise", "why": "Tokens end after five years."},
    }
    made = explored(service, form(**premise))
    stop = question(made)
    assert (stop.ask.slot, stop.ask.reason, stop.ask.asked_of) == (
        "premise",
        "Tokens end after five years.",
        AskedOf.AUTHOR,
    )
    _, build = stop.ask.options or ()
    bench = Bench((form(),))
    explored(service, bench=bench, answers=(chosen(stop, build.id),))
    assert build.id in bench.prompts[0]


def test_an_explorer_that_plans_nothing_says_why(service: Registry) -> None:
    bench = Bench((form(changes=[]),))
    explored(service, bench=bench, check=NOTHING)
    assert "say in `no_plan` why there is nothing to plan" in (bench.mistakes[0] or "")
