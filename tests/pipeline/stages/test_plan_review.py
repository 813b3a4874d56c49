"""`plan: ask`: the plan itself is put to a person, with every decision that it leaves open, and goes on as they answered."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import AskedOf, Clarification
from pipeline.domain.errors import AnswersInvalid
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.semantics.decide import Semantics, compare_plans
from pipeline.stages.semantics.exploring import Plans
from pipeline.stages.semantics.policy import Policy
from pipeline.stages.work import ticket_as_prompt
from tests.github_app.conversation.questions import run
from tests.pipeline.stages.plan_world import Bench, effect, explored, form, issue, point
from tests.pipeline.stages.test_ticket_prompt import draft_of_ticket

WHO = point(
    "interface",
    question="Who may?",
    options=[{"label": "Everybody", "effect": "As today."}, {"label": "Admins", "effect": "Others get 403."}],
)
POINTS = [point(), WHO]


@pytest.fixture
def plans(service: Registry) -> Plans:
    return explored(service, form(open_points=POINTS, acceptance=["The eleventh waits."]))


def come_to(made: Plans, *answers: Answer) -> Semantics:
    return compare_plans(made, issue(), answers, puts_plan=True)


def put(made: Plans, *answers: Answer) -> ClarificationNeeded:
    with pytest.raises(ClarificationNeeded) as stopped:
        come_to(made, *answers)
    return stopped.value


def answer(stop: ClarificationNeeded, **fields: Any) -> Answer:
    return Answer(question_id=stop.question_id, slot="plan", answered_by="octocat", **fields)


def test_the_question_holds_the_plan_and_every_open_point_the_costliest_first(plans: Plans) -> None:
    stop = put(plans)
    question = stop.question()
    assert (stop.ask.stage, question.slot, question.asked_of) == ("plans", "plan", AskedOf.MAINTAINER)
    assert (question.default, question.options, stop.ask.candidates) == (None, None, ())
    assert question.plan is not None
    assert [(change.path, change.what) for change in question.plan.changes] == [("app/api.py", "Limit it.")]
    assert [
        (
            plan_point.id,
            plan_point.kind,
            plan_point.text,
            [(option.id, option.label, option.effect) for option in plan_point.options],
            plan_point.taken,
        )
        for plan_point in question.points
    ] == snapshot(
        [
            (
                "a",
                "interface",
                "Who may?",
                [("1", "Everybody", "As today."), ("2", "Admins", "Others get 403.")],
                "1",
            ),
            (
                "b",
                "edge_case",
                "What happens to the eleventh?",
                [
                    ("1", "It waits", "It runs a minute later."),
                    ("2", "It is refused", "The caller gets 429."),
                ],
                "1",
            ),
        ]
    )


def test_the_schema_of_an_answer_has_a_choice_for_each_point(plans: Plans) -> None:
    assert put(plans).question().answer_schema == snapshot(
        {
            "type": "object",
            "properties": {
                "a": {
                    "type": "string",
                    "title": "Who may?",
                    "enum": ["1", "2"],
                    "enumNames": ["Everybody", "Admins"],
                    "default": "1",
                },
                "b": {
                    "type": "string",
                    "title": "What happens to the eleventh?",
                    "enum": ["1", "2"],
                    "enumNames": ["It waits", "It is refused"],
                    "default": "1",
                },
            },
        }
    )


def test_the_payload_proves_its_id_and_the_same_plan_has_the_same(plans: Plans, service: Registry) -> None:
    stop = put(plans)
    payload = stop.clarification(run(), round_=1)
    assert Clarification.model_validate_json(payload.model_dump_json()).has_its_own_id()
    others = explored(service, form(open_points=[*POINTS, point("scope", question="How much?")]))
    assert put(plans).question_id == stop.question_id != put(others).question_id


@pytest.mark.parametrize("policy", [Policy.QUIET, Policy.BALANCED, Policy.EAGER])
def test_no_single_point_and_no_wish_is_asked_besides(service: Registry, policy: Policy) -> None:
    wishes = [{"wish": "a limit", "planned": True}, {"wish": "a page for it", "planned": False}]
    made = explored(
        service,
        form(open_points=[point("public_name", would_ask=True)], wishes=wishes),
        form(),
        policy=policy,
    )
    stop = put(made)
    assert stop.ask.slot == "plan"
    assert stop.ask.plan is not None
    assert stop.ask.plan.left_out == ("a page for it",)


def test_a_plan_as_it_stands_makes_decisions_of_its_points_and_no_assumptions(plans: Plans) -> None:
    outcome = come_to(plans, answer(put(plans), points={}))
    assert outcome.assumptions == ()
    assert outcome.plan is not None
    assert [
        (decision.text, decision.label, decision.instead_of, decision.decided_by)
        for decision in outcome.plan.decisions
    ] == snapshot(
        [
            ("Who may?", "Everybody", ("Admins",), "octocat"),
            ("What happens to the eleventh?", "It waits", ("It is refused",), "octocat"),
        ]
    )
    assert outcome.acceptance == snapshot(
        (
            "octocat decided: Everybody. As today. (The question: Who may?)",
            "octocat decided: It waits. It runs a minute later. (The question: What happens to the eleventh?)",
            "The eleventh waits.",
        )
    )


def test_an_option_of_one_point_changes_that_point_alone(plans: Plans) -> None:
    outcome = come_to(plans, answer(put(plans), points={"a": "2"}))
    assert outcome.plan is not None
    assert [(decision.text, decision.label) for decision in outcome.plan.decisions] == [
        ("Who may?", "Admins"),
        ("What happens to the eleventh?", "It waits"),
    ]
    assert outcome.assumptions == snapshot(
        (
            "octocat decided “Admins” and the plan was made for “Everybody”: the decision goes before the plan.",
        )
    )
    assert "The eleventh waits." not in outcome.acceptance


def test_the_coder_is_told_what_a_person_decided_against_the_plan_and_how_another_plan_would_do_it(
    service: Registry,
) -> None:
    admins = form(
        "app/queue.py", None, open_points=[{**WHO, "taken": 2}], changes=[*form()["changes"], QUEUE]
    )
    pair = {"first": "1.2", "second": "2.1", "same_choice": False, "option": 2}
    made = explored(
        service,
        form(effects=[effect()], open_points=POINTS),
        admins,
        check={"excluded": [], "same": [pair]},
    )
    outcome = come_to(made, answer(put(made), points={"a": "2"}))
    prompt = ticket_as_prompt(draft_of_ticket().model_copy(update={"plan": outcome.plan}))
    decided = prompt.partition("Decided by a person")[2].partition("=== end")[0]
    assert decided == snapshot("""\
; build exactly this:
- Who may? Admins: Others get 403. Not: Everybody.
  This goes before the plan above, which was made for another option.
  Another plan was made for it. Take from its changes what this decision needs:
  - app/api.py (route:POST /actions): Limit it.
  - app/queue.py: Ask who it is.
- What happens to the eleventh? It waits: It runs a minute later. Not: It is refused.
""")


QUEUE = {"path": "app/queue.py", "what": "Ask who it is."}


def test_a_point_that_only_the_second_plan_has_says_so(service: Registry) -> None:
    made = explored(service, form(effects=[effect()]), form(open_points=[WHO]))
    (shown,) = put(made).ask.points
    assert shown.text == "Who may? (Only a second plan names this.)"


@pytest.mark.parametrize("choice", [{"points": {"a": "9"}}, {"points": {"x": "1"}}, {"choice": "a"}])
def test_an_answer_that_the_plan_does_not_have_is_refused_with_what_it_has(
    plans: Plans, choice: dict[str, Any]
) -> None:
    with pytest.raises(AnswersInvalid) as refused:
        come_to(plans, answer(put(plans), **choice))
    assert "the plan has a: 1, 2; b: 1, 2" in refused.value.why


def test_words_have_the_plan_made_again_and_the_explorer_sees_which_plan_they_are_about(
    plans: Plans, service: Registry
) -> None:
    words = answer(
        put(plans), text="Call it quota.", label="Point a: Who may? 1a (taken) Everybody, 1b Admins."
    )
    bench = Bench((form(),))
    explored(service, bench=bench, answers=(words,))
    assert "Point a: Who may?" in bench.prompts[0]
    assert "Call it quota." in bench.prompts[0]


def test_a_plan_made_again_is_put_once_more_and_then_goes_on_and_says_so(
    plans: Plans, service: Registry
) -> None:
    first = answer(put(plans), text="Call it quota.")
    second_plan = explored(service, form(summary="A quota.", open_points=POINTS))
    second = answer(put(second_plan, first), text="Shorter.")
    third_plan = explored(service, form(summary="Quota.", open_points=POINTS))
    outcome = come_to(third_plan, first, second)
    assert (
        outcome.assumptions[0]
        == "The plan was made again after a person had answered, and nobody has seen it since."
    )
    assert outcome.plan is not None
    assert outcome.plan.decisions == ()


def test_a_plan_made_again_is_not_put_again_after_another_question_which_leaves_one_for_the_work(
    plans: Plans, service: Registry
) -> None:
    route = Answer(question_id="q-route", slot="entry_route", choice="route:POST /actions")
    words = answer(put(plans, route), text="Call it quota.")
    second_plan = explored(service, form(summary="A quota.", open_points=POINTS))
    assert "nobody has seen it" in come_to(second_plan, route, words).assumptions[0]


def test_a_plan_that_words_did_not_change_is_not_asked_about_again(plans: Plans) -> None:
    words = answer(put(plans), text="Fine, but be quick.")
    assert "nobody has seen it" in come_to(plans, words).assumptions[0]


def test_a_later_run_asks_nothing_about_a_plan_of_a_ticket_whose_plan_was_agreed_to(
    service: Registry,
) -> None:
    """As when a pull request is changed again, which puts no plan to anybody."""
    wishes = [{"wish": "a limit", "planned": True}, {"wish": "a page for it", "planned": False}]
    made = explored(service, form(open_points=[point("public_name", would_ask=True)], wishes=wishes), form())
    agreed = Answer(question_id="q-earlier", slot="plan", points={"a": "2"})
    outcome = compare_plans(made, issue(), (agreed,))
    assert outcome.targets


def test_without_a_plan_nothing_is_built(service: Registry) -> None:
    outcome = come_to(explored(service, "its budget was spent"))
    assert outcome.open
    assert outcome.because == snapshot(
        "There is no plan: its budget was spent. Nothing is built without one that a person has seen (`plan: ask`)."
    )


def test_signs_that_cannot_be_seen_make_no_option_too_long_and_no_two_alike(service: Registry) -> None:
    hidden = "\u200b" * 79
    options = [{"label": f"{hidden}{at}", "effect": hidden * 2} for at in range(2)]
    (shown,) = put(explored(service, form(open_points=[point(options=options, question=hidden)]))).ask.points
    assert len(shown.text) <= 200
    assert [len(option.label) <= 110 and len(option.effect or "") <= 200 for option in shown.options] == [
        True,
        True,
    ]
    assert shown.options[0].label != shown.options[1].label


def test_who_agreed_to_a_plan_sees_another_one_that_was_made_without_their_words(
    plans: Plans, service: Registry
) -> None:
    """As when the question had expired, and the run works on the newest commit."""
    route = Answer(question_id="q-route", slot="entry_route", choice="route:POST /actions")
    agreed = answer(put(plans, route), points={"a": "2"})
    other_plans = explored(service, form(summary="A quota.", open_points=POINTS))
    assert put(other_plans, route, agreed).ask.plan is not None
