"""Plans of one ticket are compared by slots and never by words, and what they differ in is asked on the highest level."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.stages.plans.binding import bind
from pipeline.stages.plans.compare import grouped
from pipeline.stages.plans.form import PlanForm
from pipeline.stages.plans.plan import DroppedPlan, Level, literal
from pipeline.stages.plans.policy import Policy
from pipeline.stages.semantics.decide import Open, Read, Said, Verdict, decide
from pipeline.stages.semantics.questions import question
from tests.pipeline.conftest import Built
from tests.pipeline.stages.plan_world import (
    ACTIONS,
    ADD_UP,
    ENQUEUE,
    MIGRATE,
    RUN_ACTION,
    SERVICE,
    TOTALS,
    bound,
    field,
    form,
    free,
    issue,
    status,
)


@pytest.fixture
def service(built: Built) -> Registry:
    return built(SERVICE)


def verdict(
    service: Registry,
    *forms: dict[str, Any],
    policy: Policy = Policy.BALANCED,
    title: str | None = None,
    answers: tuple[Answer, ...] = (),
) -> Verdict:
    read = issue() if title is None else issue(title, "")
    return decide(policy, bound(service, *forms), read, service, answers)


def answer(slot: str, **said: str) -> Answer:
    return Answer(question_id="q-1", slot=slot, answered_by="octocat", **said)


def test_plans_that_differ_in_their_words_alone_are_one(service: Registry) -> None:
    told = verdict(
        service,
        form(effects=[status(429)], summary="Refuse what is too much."),
        form(effects=[status("429")], summary="Answer `429 Too Many Requests`.", also_touches=[ENQUEUE]),
    )
    assert isinstance(told, Read)
    assert told.group.numbers == (1, 2)


def test_a_route_its_handler_and_the_order_of_effects_make_no_difference(service: Registry) -> None:
    both = [status(429), field("retry_after", 60)]
    other = [field("retryAfter", "60", RUN_ACTION), status(429, RUN_ACTION)]
    assert len(grouped(bound(service, form(effects=both), form(RUN_ACTION, effects=other)))) == 1


@pytest.mark.parametrize(
    ("forms", "level"),
    [
        ((form(), form(operation="remove")), Level.OPERATION),
        ((form(), form(operation="remove", target=TOTALS, effects=[status(429)])), Level.OPERATION),
        ((form(), form(TOTALS, effects=[status(429)])), Level.TARGET),
        ((form(), form(creates_inside=True)), Level.TARGET),
        ((form(effects=[status(429)]), form(effects=[status(202)])), Level.EFFECTS),
        ((form(effects=[status(429)]), form()), Level.EFFECTS),
        (
            (
                form(checks=[{"given": "the 11th request", "expected": 429}]),
                form(checks=[{"given": "the 11th request", "expected": 202}]),
            ),
            Level.CHECKS,
        ),
    ],
)
def test_the_question_is_on_the_highest_level_on_which_they_differ(
    service: Registry, forms: tuple[dict[str, Any], ...], level: Level
) -> None:
    told = verdict(service, *forms)
    assert isinstance(told, Open)
    assert told.level is level


def test_examples_that_do_not_contradict_each_other_make_no_difference(service: Registry) -> None:
    told = verdict(
        service,
        form(checks=[{"given": "the 11th request", "expected": 429}]),
        form(checks=[{"given": "the 10th request", "expected": 200}]),
    )
    assert isinstance(told, Read)
    assert told.group.checks == {"the 11th request": 429, "the 10th request": 200}


def test_what_else_is_touched_is_assumed_and_never_asked(service: Registry) -> None:
    assert isinstance(verdict(service, form(also_touches=[ENQUEUE]), form(also_touches=[ADD_UP])), Read)


def test_one_diff_under_three_verbs_is_one(service: Registry) -> None:
    told = verdict(service, form(operation="add"), form(operation="fix"), form(operation="change"))
    assert isinstance(told, Read)
    assert told.group.numbers == (1, 2, 3)


@pytest.mark.parametrize("title", ["The limit, please", "Remove the limit"])
def test_no_verb_of_the_ticket_settles_the_operation(service: Registry, title: str) -> None:
    told = verdict(service, form(operation="remove"), form(operation="add"), title=title)
    assert isinstance(told, Open)
    assert told.level is Level.OPERATION


def test_a_word_of_the_ticket_that_fits_one_target_settles_it(service: Registry) -> None:
    told = verdict(service, form(), form(TOTALS), title="Round the totals better")
    assert isinstance(told, Read)
    assert told.group.first.target.id == TOTALS
    assert told.fired == snapshot(("“totals” in the ticket fits one target and no other",))


def test_a_value_that_the_ticket_writes_settles_the_effects(service: Registry) -> None:
    told = verdict(
        service, form(effects=[status(429)]), form(effects=[status(503)]), title="Answer bursts with a 429"
    )
    assert isinstance(told, Read)
    assert told.fired == snapshot(("“429” in the ticket fits one behaviour and no other",))


def test_a_reading_that_the_code_satisfies_already_is_no_reading(service: Registry) -> None:
    there = form(operation="add", effects=[field("verbose")])
    told = verdict(service, there, form(operation="add", effects=[field("quiet")]))
    assert isinstance(told, Read)
    assert told.group.numbers == (2,)
    assert told.fired == snapshot(("POST /actions: field verbose string: that is there already",))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (
            {"target": "route:DELETE /everything"},
            "it names “route:DELETE /everything”, which the code does not have",
        ),
        ({"target": TOTALS}, "it names “route:GET /totals”, which was not to choose from"),
    ],
)
def test_a_plan_whose_target_the_code_does_not_have_is_dropped_with_a_reason(
    service: Registry, changed: dict[str, Any], why: str
) -> None:
    told = bind(1, PlanForm.model_validate({**form(), **changed}), [ACTIONS], service, free)
    assert told == DroppedPlan(number=1, why=why)


def test_effects_on_what_is_not_there_and_sentences_for_values_are_left_out_and_named(
    service: Registry,
) -> None:
    (plan,) = bound(
        service,
        form(
            effects=[status(429, "route:GET /nowhere"), status("refuses it politely"), status(429, ADD_UP)],
            also_touches=["symbol:nowhere.py::nothing", ENQUEUE],
            checks=[{"given": "a burst", "expected": "a friendly message"}],
        ),
    )
    assert plan.effects == ()
    assert plan.checks == ()
    assert [place.id for place in plan.also_touches] == [ENQUEUE]
    assert plan.left_out == snapshot(
        (
            "effect on “route:GET /nowhere”, which is no public surface of the code",
            "effect on POST /actions: “refuses it politely” is no value",
            "effect on “symbol:app/totals.py::add_up”, which is no public surface of the code",
            "example “a burst”: “a friendly message” is no value",
        )
    )


def test_a_plan_says_which_public_surface_or_guarded_file_it_reaches(service: Registry) -> None:
    def guarded(path: str) -> str | None:
        return "migrations" if "migrations" in path else None

    plans = bound(
        service,
        form(),
        form(RUN_ACTION),
        form(ADD_UP),
        form(ADD_UP, also_touches=[MIGRATE]),
        form(ADD_UP, effects=[status(429)]),
        guarded=guarded,
    )
    assert [plan.reaches for plan in plans] == snapshot(
        ["POST /actions", "POST /actions", None, "app/migrations/first.py (migrations)", "POST /actions"]
    )


REFUSED, QUEUED, SILENT = form(effects=[status(429)]), form(effects=[status(202)]), form()


@pytest.mark.parametrize(
    ("policy", "forms", "asks"),
    [
        (Policy.QUIET, (REFUSED, QUEUED, REFUSED), False),
        (Policy.QUIET, (REFUSED, QUEUED, SILENT), True),
        (Policy.BALANCED, (REFUSED, QUEUED, REFUSED), True),
        (Policy.BALANCED, (REFUSED, REFUSED), False),
        (Policy.EAGER, (REFUSED, REFUSED, QUEUED), True),
        (Policy.EAGER, (REFUSED, REFUSED, REFUSED), False),
        (Policy.OFF, (REFUSED, QUEUED, SILENT), False),
    ],
)
def test_the_policy_says_which_differences_are_asked_about(
    service: Registry, policy: Policy, forms: tuple[dict[str, Any], ...], asks: bool
) -> None:
    assert isinstance(verdict(service, *forms, policy=policy), Open) is asks


def test_what_is_not_asked_about_is_read_as_most_plans_read_it(service: Registry) -> None:
    told = verdict(service, QUEUED, REFUSED, REFUSED, policy=Policy.QUIET)
    assert isinstance(told, Read)
    assert told.group.numbers == (2, 3)
    assert told.because == "2 of 3 plans read it so."


def test_the_question_names_both_readings_the_default_first_and_how_it_was_found(service: Registry) -> None:
    told = verdict(service, QUEUED, REFUSED, form(effects=[status(429)], summary="Refuse it."))
    assert isinstance(told, Open)
    asked = question(told.level, told.groups, issue(), told.probe)
    assert asked.text == "Which behaviour is meant?"
    assert asked.reason == snapshot(
        "3 plans were made from the same text, and they differ in what callers see afterwards: POST /actions: status 429 (2 of 3); POST /actions: status 202 (1 of 3)."
    )
    assert [(one.label, one.facts) for one in asked.candidates] == snapshot(
        [
            ("POST /actions: status 429", {"plans": "2 of 3"}),
            ("POST /actions: status 202", {"plans": "1 of 3"}),
        ]
    )
    assert asked.default == asked.candidates[0].id
    assert asked.default_reason == "2 of 3 plans read it so."
    assert asked.quotes == snapshot(("Keep bursts under control",))
    assert told.probe.model_dump(mode="json") == snapshot(
        {"policy": "balanced", "k": 3, "groups": [[1], [2, 3]], "slots": ["effects"], "fired": []}
    )


def test_a_tie_goes_to_the_smaller_public_effect(service: Registry) -> None:
    told = verdict(service, form(effects=[status(429), field("retry_after")]), REFUSED)
    assert isinstance(told, Open)
    asked = question(told.level, told.groups, issue(), told.probe)
    assert asked.candidates[0].label == "POST /actions: status 429"
    assert asked.default_reason == snapshot(
        "As many plans read it otherwise; this changes least of what callers and data see."
    )


def test_on_a_level_the_plans_of_all_readings_below_it_count_together(service: Registry) -> None:
    told = verdict(service, form(TOTALS), REFUSED, QUEUED, title="Make it better")
    assert isinstance(told, Open)
    assert told.level is Level.TARGET
    asked = question(told.level, told.groups, issue(), told.probe)
    assert [one.id for one in asked.candidates] == [RUN_ACTION, "symbol:app/api.py::read_totals"]
    assert asked.default_reason == "2 of 3 plans read it so."


def test_an_answer_selects_its_reading_and_the_next_level_is_asked(service: Registry) -> None:
    forms = (form(TOTALS), REFUSED, QUEUED)
    here = answer("target", choice=RUN_ACTION)
    told = verdict(service, *forms, title="Make it better", answers=(here,))
    assert isinstance(told, Open)
    assert told.level is Level.EFFECTS
    queued = next(group for group in told.groups if group.numbers == (3,)).value(Level.EFFECTS)
    both = (here, answer("effects", choice=queued))
    done = verdict(service, *forms, title="Make it better", answers=both)
    assert isinstance(done, Read)
    assert (done.group.numbers, done.because) == ((3,), "octocat chose this reading.")


def test_an_answer_that_no_reading_has_any_more_is_asked_anew(service: Registry) -> None:
    gone = (answer("effects", choice="effects:000000000000"),)
    assert isinstance(verdict(service, REFUSED, QUEUED, answers=gone), Open)


@pytest.mark.parametrize(
    ("text", "number"),
    [("The totals, please", 1), (f"{ACTIONS} or rather run_action in api", 2), ("something else", None)],
)
def test_an_answer_in_words_selects_a_target_or_leaves_it_open(
    service: Registry, text: str, number: int | None
) -> None:
    told = verdict(
        service, form(TOTALS), form(), title="Make it better", answers=(answer("target", text=text),)
    )
    if number is None:
        assert told == Said(text)
    else:
        assert isinstance(told, Read)
        assert told.group.numbers == (number,)


@given(st.permutations([REFUSED, QUEUED, SILENT, form(ADD_UP), form(operation="remove")]))
def test_the_question_is_the_same_whatever_order_the_plans_came_in(
    shared_service: Registry, forms: list[dict[str, Any]]
) -> None:
    told = verdict(shared_service, *forms)
    assert isinstance(told, Open)
    asked = question(told.level, told.groups, issue(), told.probe)
    assert {one.id for one in asked.candidates} == {"operation:build", "operation:remove"}
    assert asked.default == "operation:build"


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    from textwrap import dedent

    from pipeline.code_registry.builder import build_registry

    root = tmp_path_factory.mktemp("service")
    for name, text in SERVICE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(dedent(text))
    return build_registry(root, cache=None)


@given(st.text())
def test_a_literal_never_holds_a_blank(value: str) -> None:
    is_literal, read = literal(value)
    if is_literal and isinstance(read, str):
        assert read.split() == [read]
        assert literal(read) == (True, read)
