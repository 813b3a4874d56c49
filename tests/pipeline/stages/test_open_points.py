"""What explorers leave open: what the ticket's words settle, what is asked and of whom, and what is assumed."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import AskedOf
from pipeline.llm.failures import ModelOverloaded
from pipeline.stages.semantics.policy import Policy, decisions_of, is_asked
from tests.pipeline.stages.open_points import NOTHING, QUOTES, SAME, chosen, come_to, question
from tests.pipeline.stages.plan_world import (
    ACTIONS,
    Bench,
    effect,
    explored,
    form,
    point,
)


@pytest.mark.parametrize(
    ("kind", "points", "asked_by"),
    [
        ("edge_case", (False,), ()),
        ("edge_case", (True,), ("balanced", "eager")),
        ("edge_case", (True, True), ("quiet", "balanced", "eager")),
        ("security", (False, False), ()),
        ("default_for_existing", (False,), ("balanced", "eager")),
        ("public_name", (False,), ("balanced", "eager")),
        ("stored_data", (False,), ("eager",)),
        ("compatibility", (False,), ("eager",)),
    ],
)
def test_the_policy_says_which_open_points_are_asked(
    service: Registry, kind: str, points: tuple[bool, ...], asked_by: tuple[str, ...]
) -> None:
    forms = [form(effects=[effect()], open_points=[point(kind, would_ask=would)]) for would in points]
    forms += [form()] * (2 - len(points))
    made = explored(service, *forms, check=SAME)
    (decision,) = decisions_of(made.plans, made.check)
    assert tuple(policy.value for policy in Policy if is_asked(policy, decision)) == asked_by


def test_a_default_that_nobody_would_ask_about_is_asked_only_if_more_than_the_plainest_option_is_taken(
    service: Registry,
) -> None:
    asked = []
    for taken in (2, 1):
        points = [point("default_for_existing", taken=taken, plainest=2)]
        made = explored(service, form(open_points=points), form())
        (decision,) = decisions_of(made.plans, made.check)
        asked.append([policy for policy in Policy if is_asked(policy, decision)])
    assert asked == [[Policy.EAGER], [Policy.BALANCED, Policy.EAGER]]


def test_what_two_plans_decide_differently_is_asked_by_eager_alone(service: Registry) -> None:
    forms = form(effects=[effect()], open_points=[point()]), form(open_points=[point(taken=2)])
    differ = {"excluded": [], "same": [{"first": "1.1", "second": "2.1", "same_choice": False}]}
    made = explored(service, *forms, check=differ)
    (decision,) = decisions_of(made.plans, made.check)
    assert [policy for policy in Policy if is_asked(policy, decision)] == [Policy.EAGER]


@pytest.mark.parametrize(
    ("words", "excluded", "is_settled"),
    [
        ("ten in a minute", [2], True),
        ("ten in a minute", [], False),
        ("ten in a minute", [1, 2], False),
        ("words that nobody wrote", [2], False),
        (None, [2], False),
    ],
    ids=["all others", "none", "also the one taken", "no quote", "no words"],
)
def test_words_settle_a_point_only_if_they_stand_there_and_exclude_every_other_option(
    service: Registry, words: str | None, excluded: list[int], is_settled: bool
) -> None:
    quoting = [point("public_name", **QUOTES), point("public_name", **({"words": words} if words else {}))]
    judgement = {"excluded": [{"point": "1.2", "options": excluded}], "same": []}
    made = explored(service, form(open_points=quoting), form(), check=judgement)
    settled = {point_id.point.id: point_id.is_settled for point_id in decisions_of(made.plans, made.check)}
    assert settled == {"1.1": False, "1.2": is_settled}


def test_what_the_words_settle_is_never_asked_whoever_would_ask(service: Registry) -> None:
    decided = point("public_name", would_ask=True, **QUOTES)
    judgement = {"excluded": [{"point": "1.1", "options": [2]}], "same": []}
    made = explored(service, form(open_points=[decided]), form(), check=judgement)
    (decision,) = decisions_of(made.plans, made.check)
    assert not [policy for policy in Policy if is_asked(policy, decision)]


@pytest.mark.parametrize("reply", ["no form", {"excluded": [{"point": "9.9", "options": [1]}], "same": []}])
def test_a_second_look_that_is_no_help_settles_nothing(service: Registry, reply: Any) -> None:
    made = explored(service, form(open_points=[point(**QUOTES)]), check=reply)
    assert made.check is not None
    assert not made.check.settled


def test_a_point_is_in_one_pair_at_most(service: Registry) -> None:
    forms = form(effects=[effect()], open_points=[point(), point("security")]), form(open_points=[point()])
    pairs = [{"first": point_id, "second": "2.1", "same_choice": True} for point_id in ("1.1", "1.2", "1.7")]
    made = explored(service, *forms, check={"excluded": [], "same": pairs})
    assert [
        (decision.point.id, decision.counterpart and decision.counterpart.id)
        for decision in decisions_of(made.plans, made.check)
    ] == [
        ("1.2", None),
        ("1.1", "2.1"),
    ]


def test_a_question_says_what_each_option_would_do_and_the_default_is_what_the_plan_takes(
    service: Registry,
) -> None:
    made = explored(service, form(open_points=[point("public_name")]), form())
    stop = question(made)
    stop_question = stop.question()
    assert [(option.id, option.label, option.effect) for option in stop_question.options or ()] == snapshot(
        [
            ("option-1", "It waits", "It runs a minute later."),
            ("option-2", "It is refused", "The caller gets 429."),
        ]
    )
    assert (
        stop_question.text,
        stop_question.default,
        stop_question.default_reason,
        stop.ask.reason,
    ) == snapshot(
        (
            "What happens to the eleventh?",
            "option-1",
            "The plan would build “It waits”.",
            "The ticket leaves a public name or shape open, and others will depend on it.",
        )
    )
    assert stop_question.asked_of is AskedOf.MAINTAINER


@pytest.mark.parametrize(
    ("kind", "of"), [("scope", "maintainer"), ("interface", "author"), ("edge_case", "author")]
)
def test_a_question_goes_to_whom_it_concerns(service: Registry, kind: str, of: str) -> None:
    made = explored(service, form(open_points=[point(kind, would_ask=True)]))
    assert question(made).question().asked_of == of


def test_one_point_is_asked_and_the_rest_is_assumed(service: Registry) -> None:
    lasting = point("default_for_existing", question="What holds for old ones?")
    made = explored(service, form(open_points=[point(), lasting]))
    stop = question(made)
    assert (stop.ask.text, stop.ask.points) == ("What holds for old ones?", ())
    ticket = come_to(made, chosen(stop, "option-2"))
    assert ticket.acceptance == snapshot(
        ("octocat decided: It is refused. The caller gets 429. (The question: What holds for old ones?)",)
    )
    assert ticket.assumptions == snapshot(
        (
            "octocat decided “It is refused” and the plan was made for “It waits”: the decision goes before the plan.",
            "What happens to the eleventh? It waits, instead of: It is refused.",
        )
    )


def test_what_a_plan_says_of_its_result_holds_no_longer_where_a_person_decides_otherwise(
    service: Registry,
) -> None:
    answer_form = form(
        open_points=[point("public_name")], effects=[effect()], acceptance=["The eleventh waits."]
    )
    made = explored(service, answer_form, form())
    stop = question(made)
    kept, overruled = (come_to(made, chosen(stop, option)) for option in ("option-1", "option-2"))
    assert kept.acceptance[1:] == ("The eleventh waits.",)
    assert kept.plan is not None
    assert kept.plan.effects == ("POST /actions: 429 for the eleventh",)
    assert overruled.acceptance == (
        "octocat decided: It is refused. The caller gets 429. (The question: What happens to the eleventh?)",
    )
    assert overruled.plan is not None
    assert overruled.plan.effects == ()
    assert len(overruled.assumptions) == 1


def test_a_decision_goes_before_the_criterion_whose_words_it_is_about(service: Registry) -> None:
    made = explored(service, form(open_points=[point("public_name", about=["ten in a minute"])]))
    decided = come_to(made, chosen(question(made), "option-2"))
    assert decided.as_decided("Callers may send Ten  in a minute.") == snapshot(
        "Callers may send Ten  in a minute. This goes before it: octocat decided: It is refused. The caller gets 429. (The question: What happens to the eleventh?)"
    )
    assert decided.as_decided("The caller is told.") == "The caller is told."


def test_every_point_that_is_not_asked_is_an_assumption_with_what_was_not_taken(service: Registry) -> None:
    points = [point(**QUOTES), point("interface", question="Who may?", taken=2)]
    made = explored(service, form(open_points=points), check=NOTHING)
    assert come_to(made).assumptions == snapshot(
        (
            "Who may? It is refused, instead of: It waits.",
            "What happens to the eleventh? It waits, instead of: It is refused.",
        )
    )


def test_an_assumption_cites_the_ticket_only_if_its_words_leave_no_other_option(service: Registry) -> None:
    excludes = {"excluded": [{"point": "1.1", "options": [2]}], "same": []}
    made = explored(service, form(open_points=[point(**QUOTES)]), check=excludes)
    assert come_to(made).assumptions == snapshot(
        (
            "What happens to the eleventh? It waits, instead of: It is refused. The ticket says “ten in a minute”.",
        )
    )


def test_words_that_fit_several_options_are_said_in_the_question(service: Registry) -> None:
    made = explored(service, form(open_points=[point("scope", would_ask=True, **QUOTES)]), check=NOTHING)
    assert question(made).ask.reason == snapshot(
        "The ticket says “ten in a minute”, and more than one option fits it."
    )


def test_an_answer_to_a_question_that_is_not_open_any_more_decides_nothing(service: Registry) -> None:
    made = explored(service, form(open_points=[point("public_name")]), form())
    stale = Answer(question_id="q-old", slot="point", choice="option-1")
    assert question(made, stale).ask.slot == "point"


def test_after_an_answer_in_words_no_further_point_is_asked(service: Registry) -> None:
    made = explored(service, form(open_points=[point("public_name")]), form())
    outcome = come_to(made, Answer(question_id="q-old", slot="point", text="Refuse it."))
    assert [target.id for target in outcome.targets] == [ACTIONS]


def test_a_second_wish_that_is_not_planned_is_asked_about_and_its_answer_needs_a_new_plan(
    service: Registry,
) -> None:
    wishes = [{"wish": "a limit", "planned": True}, {"wish": "a page for it", "planned": False}]
    made = explored(service, form(wishes=wishes))
    stop = question(made)
    assert [option.id for option in stop.ask.options or ()] == ["as planned", "plan: a page for it"]
    answer = chosen(stop, "plan: a page for it")
    bench = Bench((form(),))
    explored(service, bench=bench, answers=(answer,))
    assert "plan: a page for it" in bench.prompts[0]
    outcome = come_to(made, chosen(stop, "as planned"))
    assert outcome.assumptions == ("Not part of this change: a page for it",)
    assert (stop.ask.text, [option.label for option in stop.ask.options or ()]) == snapshot(
        (
            "The plan leaves out: a page for it. Shall that wait?",
            ["Build it as planned", "Build this first: a page for it"],
        )
    )


def test_what_an_explorer_would_ask_comes_before_what_the_plan_leaves_out(service: Registry) -> None:
    wishes = [{"wish": "a limit", "planned": True}, {"wish": "a page for it", "planned": False}]
    made = explored(service, form(wishes=wishes, open_points=[point(would_ask=True)]), check=NOTHING)
    stop = question(made)
    assert stop.ask.text == "What happens to the eleventh?"
    assert "Not part of this change: a page for it" in come_to(made, chosen(stop, "option-1")).assumptions


def test_a_check_that_cannot_be_had_leaves_the_plans(service: Registry) -> None:
    made = explored(service, form(open_points=[point(**QUOTES)]), check=ModelOverloaded("busy"))
    assert len(made.plans) == 1
    assert made.failure == "busy"
    assert come_to(made).assumptions
