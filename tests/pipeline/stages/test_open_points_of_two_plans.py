"""Two plans of one ticket: what both decide alike, what they decide differently, and the targets that follow."""

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import AskedOf
from pipeline.contract.wire import NO_COMMIT
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.stages.semantics.policy import Policy, decisions_of
from tests.pipeline.stages.open_points import NOTHING, QUOTES, chosen, come_to, question
from tests.pipeline.stages.plan_world import (
    ACTIONS,
    ADD_UP,
    TOTALS,
    effect,
    explored,
    form,
    point,
)


def test_plans_that_agree_make_the_targets_that_both_have(service: Registry) -> None:
    queue = {"path": "app/queue.py", "what": "Count."}
    first = form(effects=[effect()], changes=[*form()["changes"], queue])
    outcome = come_to(explored(service, first, form()))
    assert [target.id for target in outcome.targets] == [ACTIONS]
    assert outcome.because == snapshot("Limit it. Two plans, each made alone, have these files in common.")
    assert outcome.plan is not None
    assert [change.path for change in outcome.plan.changes] == ["app/api.py", "app/queue.py"]
    assert [place.path for place in outcome.plan.read] == ["app/queue.py"]


OTHER = {"excluded": [], "same": [{"first": "1.1", "second": "2.1", "same_choice": False, "option": 2}]}


REFUSING = form(
    summary="Refuse the eleventh.", open_points=[point(taken=2)], acceptance=["The eleventh gets 429."]
)


def test_where_two_plans_decide_differently_nobody_says_that_they_agree(service: Registry) -> None:
    made = explored(service, form(effects=[effect()], open_points=[point()]), REFUSING, check=OTHER)
    outcome = come_to(made)
    assert (outcome.because, outcome.assumptions) == snapshot(
        (
            "Limit it. Two plans, each made alone, have these files in common. Decided otherwise by the other: What happens to the eleventh?",
            (
                "What happens to the eleventh? It waits, instead of: It is refused. A second plan takes “It is refused”.",
            ),
        )
    )


def test_the_plan_that_fits_what_a_person_chose_is_built(service: Registry) -> None:
    """Each plan takes another option; the point that was not asked about is seen from the plan that stands."""
    who = point("security", question="Who may?")
    first = form(effects=[effect()], open_points=[point(would_ask=True), who])
    second = {**REFUSING, "open_points": [*REFUSING["open_points"], {**who, "taken": 2}]}
    pairs = [*OTHER["same"], {"first": "1.2", "second": "2.2", "same_choice": False, "option": 2}]
    made = explored(service, first, second, check={"excluded": [], "same": pairs})
    stop = question(made)
    assert stop.ask.default_reason == snapshot(
        "One plan would build “It waits”, the other one “It is refused”."
    )
    kept, other = (come_to(made, chosen(stop, option)) for option in ("option-1", "option-2"))
    assert kept.plan is not None
    assert other.plan is not None
    assert (kept.plan.summary, other.plan.summary) == ("Limit it.", "Refuse the eleventh.")
    assert other.acceptance[1:] == ("The eleventh gets 429.",)
    assert other.assumptions == snapshot(
        ("Who may? It is refused, instead of: It waits. A second plan takes “It waits”.",)
    )
    assert not other.plan.decisions[0].overrules_plan


def test_an_option_that_only_the_second_plan_has_can_be_chosen(service: Registry) -> None:
    queue = [
        {"label": "Another queue", "effect": "It goes there."},
        {"label": "A page", "effect": "It says so."},
    ]
    second = form(summary="Add a queue.", open_points=[point(options=queue)])
    none_alike = {"excluded": [], "same": [{"first": "1.1", "second": "2.1", "same_choice": False}]}
    made = explored(
        service, form(effects=[effect()], open_points=[point(would_ask=True)]), second, check=none_alike
    )
    stop = question(made)
    assert [option.label for option in stop.ask.options or ()] == [
        "It waits",
        "It is refused",
        "Another queue",
    ]
    outcome = come_to(made, chosen(stop, "option-3"))
    assert outcome.plan is not None
    assert outcome.plan.summary == "Add a queue."


def test_a_point_that_only_the_second_plan_has_is_not_shown_as_if_the_first_took_it(
    service: Registry,
) -> None:
    made = explored(service, form(effects=[effect()]), form(open_points=[point()]))
    assert come_to(made).assumptions == snapshot(
        ("What happens to the eleventh? It waits, instead of: It is refused. Only a second plan names this.",)
    )


def test_words_that_the_second_plan_quotes_decide_for_its_option(service: Registry) -> None:
    """The first plan quotes nothing and takes another option: the ticket's words go before it."""
    refusing = {**REFUSING, "open_points": [point(taken=2, **QUOTES)]}
    judgement = {**OTHER, "excluded": [{"point": "2.1", "options": [1]}]}
    made = explored(service, form(effects=[effect()], open_points=[point()]), refusing, check=judgement)
    outcome = come_to(made)
    assert outcome.plan is not None
    assert outcome.plan.summary == "Refuse the eleventh."
    assert outcome.assumptions == snapshot(
        (
            "What happens to the eleventh? It is refused, instead of: It waits. The ticket says “ten in a minute”.",
        )
    )


def test_words_that_are_said_to_decide_both_ways_decide_nothing(service: Registry) -> None:
    refusing = {**REFUSING, "open_points": [point(taken=2, **QUOTES)]}
    both = [{"point": "1.1", "options": [2]}, {"point": "2.1", "options": [1]}]
    made = explored(
        service,
        form(effects=[effect()], open_points=[point(**QUOTES)]),
        refusing,
        check={**OTHER, "excluded": both},
    )
    (decision,) = decisions_of(made.plans, made.check)
    assert not decision.is_settled


@pytest.mark.parametrize("option", [2, None], ids=["an option of the point", "none of them"])
def test_a_plan_made_anew_does_not_assume_the_opposite_of_what_a_person_decided(
    service: Registry, option: int | None
) -> None:
    """As when a pull request is changed again: another explorer words the point in another way."""
    decided = Answer(
        question_id="q-old",
        slot="point",
        choice="option-1",
        label="Shall it wait? No, refuse it.",
        answered_by="octocat",
    )
    who = point("public_name", question="Who may?", taken=2)
    made = explored(
        service,
        form(open_points=[point(would_ask=True), who], acceptance=["The eleventh waits."]),
        form(),
        check={**NOTHING, "decided": [{"point": "1.1", "option": option}, {"point": "7.7"}]},
        answers=(decided,),
        wanted_changes=WantedChanges(pull_request=7, base_commit=NO_COMMIT),
    )
    outcome = come_to(made, decided)
    assert [text for text in outcome.assumptions if "instead of" in text] == [
        "Who may? It is refused, instead of: It waits."
    ]
    criterion = (
        "octocat decided: It is refused. The caller gets 429. (The question: What happens to the eleventh?)"
    )
    assert outcome.acceptance == (() if option is None else (criterion,))


def test_plans_without_a_place_in_common_ask_which_is_meant_and_the_smaller_one_is_the_default(
    service: Registry,
) -> None:
    other = form("app/totals.py", ADD_UP, summary="Round.")
    made = explored(service, form(effects=[effect()]), other, policy=Policy.QUIET)
    stop = question(made)
    assert [(candidate.id, candidate.facts) for candidate in stop.ask.candidates] == snapshot(
        [
            ("symbol:app/totals.py::add_up", {"would do": "Round."}),
            ("route:POST /actions", {"would do": "Limit it."}),
        ]
    )
    assert (stop.ask.default, stop.ask.asked_of) == (ADD_UP, AskedOf.AUTHOR)
    outcome = come_to(made, chosen(stop, ACTIONS))
    assert [target.id for target in outcome.targets] == [ACTIONS]
    assert outcome.because == snapshot("octocat chose this plan: Limit it.")


def test_plans_that_part_even_after_an_answer_in_words_leave_no_target(service: Registry) -> None:
    made = explored(service, form(effects=[effect()]), form("app/totals.py", TOTALS))
    outcome = come_to(made, Answer(question_id="q-old", slot="target", text="The depot."))
    assert outcome.open
    assert outcome.targets == ()
