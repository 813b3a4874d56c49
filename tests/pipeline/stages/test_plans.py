"""Explorers: how many, what they are told, what is taken from them, and what becomes of one that comes to nothing."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.agents.budget import Budget
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer, Answers
from pipeline.domain.material import material
from pipeline.domain.wanted_changes import FailedCheck, Remark, WantedChanges
from pipeline.gate.tool_names import READING_TOOLS
from pipeline.llm.failures import ModelOverloaded, ModelRequestRejected
from pipeline.settings.repository_settings import ExplorerBudget
from pipeline.stages.semantics.exploring import KIND, SLOTS, PlansOptions
from pipeline.stages.semantics.form import PlanForm, bind, mistakes_in
from pipeline.stages.semantics.policy import Policy
from pipeline.stages.snapshot import HouseRule
from tests.pipeline.stages.plan_world import (
    ACTIONS,
    ENQUEUE,
    EXPLORER,
    Bench,
    bound,
    effect,
    explored,
    form,
    issue,
    point,
)

ROUNDS = 3
"""Of a build: in each a coder and a reviewer work."""


def test_an_explorer_can_change_nothing_and_asks_nobody() -> None:
    assert set(EXPLORER.tools) <= READING_TOOLS
    assert EXPLORER.max_rounds == 0


def test_two_explorers_stay_within_a_tenth_of_what_a_build_may_use() -> None:
    explorer, agent = ExplorerBudget(), Budget()
    for name in ("turns", "tokens", "dollars", "minutes"):
        assert 2 * getattr(explorer, name) <= 2 * ROUNDS * getattr(agent, name) / 10, name


def test_one_explorer_suffices_where_nothing_public_or_stored_is_touched(service: Registry) -> None:
    bench = Bench((form("app/totals.py", None, effects=[effect("message")]),))
    made = explored(service, bench=bench)
    assert [plan.number for plan in made.plans] == [1]
    assert made.check is None


@pytest.mark.parametrize(
    ("first", "reaches"),
    [
        (form(effects=[effect("stored")]), "stored data (429 for the eleventh)"),
        (
            form(open_points=[point("security")]),
            "a decision of the kind security (What happens to the eleventh?)",
        ),
    ],
    ids=["stored", "who may is open"],
)
def test_a_second_one_plans_alone_where_it_cannot_be_taken_back(
    service: Registry, first: dict[str, Any], reaches: str
) -> None:
    bench = Bench((first, form()))
    made = explored(service, bench=bench)
    assert [plan.number for plan in made.plans] == [1, 2]
    assert list(made.remarks) == [
        f"A second explorer plans alone, because this cannot be taken back: {reaches}."
    ]
    first_prompt, second_prompt = bench.prompts
    assert second_prompt.startswith(first_prompt)
    added = second_prompt.removeprefix(first_prompt)
    assert "app/queue.py:1-3" in added
    assert "Limit it." not in added, "the second one must not hear of the first one's plan"


def test_one_explorer_suffices_for_what_others_only_call(service: Registry) -> None:
    bench = Bench((form(effects=[effect("response")], open_points=[point("public_name")]),))
    assert len(explored(service, bench=bench).plans) == 1


def test_a_file_that_waits_for_an_approval_brings_a_second_one(service: Registry) -> None:
    plan, _ = bound(service, form(), form("app/totals.py", None), guarded=lambda _: "migrations")
    assert plan.reaches == "app/api.py (migrations)"


def test_an_explorer_is_told_the_places_the_house_rules_and_what_people_answered(service: Registry) -> None:
    bench = Bench((form(),))
    rules = (HouseRule(path="AGENTS.md", text="Use tabs."), HouseRule(path="web/AGENTS.md", text="No JS."))
    answer = Answer(question_id="q-1", slot="point", text="Refuse it, as the gateway does.")
    explored(service, bench=bench, rules=rules, answers=(answer,))
    assert "Refuse it, as the gateway does." in bench.prompts[0]
    assert "Use tabs." in bench.prompts[0]
    assert "No JS." not in bench.prompts[0]
    assert "You have 12 turns." in bench.prompts[0]


def test_words_and_another_first_wish_need_a_new_plan_and_a_chosen_option_does_not() -> None:
    words = Answer(question_id="q-1", slot="point", text="Refuse it.")
    wish = Answer(question_id="q-2", slot="wish", choice="plan: totals")
    planned = Answer(question_id="q-2", slot="wish", choice="as planned")
    option = Answer(question_id="q-3", slot="point", choice="option-2")
    assert Answers(answers=(words, wish, planned, option)).replanning(SLOTS) == (words, wish)


def test_an_explorer_is_told_what_a_person_said_about_the_code_that_is_meant(service: Registry) -> None:
    place = Answer(question_id="q-1", slot="entry_route", text="The one that the depot calls.")
    exists = Answer(question_id="q-2", slot="existing", text="It does not refuse.")
    chosen = Answer(question_id="q-3", slot="entry_route", choice=ACTIONS)
    answers = Answers(answers=(place, exists, chosen)).replanning(KIND.slots)
    assert answers == (place, exists), "a chosen place is a target, which the explorer is told anyhow"
    bench = Bench((form(),))
    explored(service, bench=bench, answers=answers)
    for answer in answers:
        title = "what a person answered when they were asked about the code that is meant; it decides"
        assert material(title, answer.text or "") in bench.prompts[0]


def test_a_revision_tells_explorers_what_a_person_decided_about_the_plan_before() -> None:
    plan = Answer(question_id="q-1", slot="plan", points={"1": "b"}, label="Who may? Admins.")
    point_answer = Answer(question_id="q-2", slot="point", choice="option-2", label="Who may? Admins.")
    answers = Answers(answers=(plan, point_answer))
    assert answers.replanning(KIND.slots) == ()
    assert answers.replanning(KIND.slots, is_revision=True) == (plan, point_answer)


def test_a_plan_is_bound_to_the_code_and_what_is_not_there_is_left_out(service: Registry) -> None:
    said = form(
        changes=[
            {"path": "app/queue.py", "entry": ENQUEUE, "what": "Count."},
            {"path": "app/api.py", "entry": "symbol:app/api.py::nowhere", "what": "Refuse."},
            {"path": "tests/test_api.py", "is_new": True, "what": "Ten and eleven."},
        ],
        effects=[
            effect(surface=ACTIONS),
            effect(surface="page Settings"),
            effect(surface=f"new:{ACTIONS}"),
        ],
        open_points=[
            point(words="handle  BURSTS gracefully"),
            point(words="“ten in a minute”"),
            point(words="without any limit"),
        ],
    )
    (plan,) = bound(service, said)
    assert [target.id for target in plan.targets] == [ENQUEUE, "file:app/api.py"]
    assert [effect.surface for effect in plan.effects] == [
        "POST /actions",
        "page Settings",
        "new in POST /actions",
    ]
    assert [plan_point.words for plan_point in plan.points] == [
        "handle BURSTS gracefully",
        "ten in a minute",
        None,
    ]
    assert plan.left_out == snapshot(
        (
            "“symbol:app/api.py::nowhere”, which app/api.py does not have",
            "“without any limit”, which the ticket does not say",
        )
    )


def test_a_quote_keeps_the_marks_that_the_ticket_has(service: Registry) -> None:
    """Cut off, the second one of a pair would leave a name half quoted."""
    written = issue(body="Add the setting `BURSTS`").prose
    words = "setting `BURSTS`"
    plan = bind(
        1, PlanForm.model_validate(form(open_points=[point(words=words)])), written, service, lambda _: None
    )
    assert plan.points[0].words == words


@pytest.mark.parametrize(
    ("completion", "mistake"),
    [
        (
            form("app/nowhere.py"),
            "`app/nowhere.py` is no file of the repository (mark one to be made with `is_new`)",
        ),
        (
            form("../etc/passwd"),
            "`../etc/passwd` is no file of the repository (mark one to be made with `is_new`)",
        ),
        (
            form(open_points=[point(taken=3)]),
            "open point 1: `taken`, `plainest` and `safest` are numbers of its options",
        ),
        (
            form(
                open_points=[point(options=[{"label": "A", "effect": "x"}, {"label": "a ", "effect": "y"}])]
            ),
            "open point 1: two options have the same label",
        ),
        (form(summary=" \n"), "a text is blank"),
        (
            form(wishes=[{"wish": "a", "planned": True}, {"wish": "A ", "planned": False}]),
            "two wishes are the same",
        ),
        (form(changes=[{"path": "app/limits.py", "is_new": True, "what": "Count."}]), None),
    ],
    ids=["no file", "outside", "no option", "one label", "blank", "one wish twice", "a new file"],
)
def test_what_cannot_be_used_goes_back_to_the_explorer(
    completion: dict[str, Any], mistake: str | None
) -> None:
    bench = Bench(())
    assert mistakes_in(PlanForm.model_validate(completion), bench.line_count) == mistake


def test_new_files_and_tests_are_targets_only_where_there_is_nothing_else(service: Registry) -> None:
    new = {"path": "app/limits.py", "is_new": True, "what": "Count."}
    test = {"path": "tests/test_api.py", "what": "Ten."}
    beside, alone = bound(service, form(changes=[new, *form()["changes"]]), form(changes=[new, test]))
    assert [target.id for target in beside.targets] == [ACTIONS]
    assert [target.id for target in alone.targets] == ["file:app/limits.py"]


def test_an_explorer_that_comes_to_nothing_leaves_a_ticket_without_a_plan(service: Registry) -> None:
    made = explored(service, "12 of 12 turns are used")
    assert made.plans == ()
    assert list(made.remarks) == snapshot(["Plan 1 was dropped: 12 of 12 turns are used"])


def test_what_was_read_is_handed_on_once(service: Registry) -> None:
    made = explored(service, form(effects=[effect()]), form())
    assert [(place.path, place.end_line) for place in made.read] == [("app/queue.py", 3)]


class Failing(Bench):
    """The model fails when the second explorer asks it."""

    def run_explorer(self, agent: Any, stage: str, number: int, prompt: str, wrong: Any) -> Any:
        if number == 2:
            raise ModelOverloaded("it is overloaded")
        return super().run_explorer(agent, stage, number, prompt, wrong)


def test_a_model_that_fails_leaves_the_plans_that_there_are(service: Registry) -> None:
    made = explored(service, bench=Failing((form(effects=[effect()]),)))
    assert [plan.number for plan in made.plans] == [1]
    assert made.failure == "it is overloaded"


class Refused(Bench):
    """The provider does not accept the key."""

    def run_explorer(self, agent: Any, stage: str, number: int, prompt: str, wrong: Any) -> Any:
        raise ModelRequestRejected("the key is unknown")


def test_a_key_that_is_refused_ends_the_run(service: Registry) -> None:
    with pytest.raises(ModelRequestRejected):
        explored(service, bench=Refused(()))


def test_off_is_a_policy_although_yaml_takes_it_for_false() -> None:
    assert PlansOptions.model_validate({"policy": False}).policy is Policy.OFF


def test_an_explorer_of_a_revision_sees_the_pull_request_the_review_and_what_failed(
    service: Registry,
) -> None:
    bench = Bench((form("app/totals.py", None, effects=[effect("message")]),))
    remark = Remark(path="app/queue.py", line=3, text="Name the limit.")
    check = FailedCheck(name="lint", log="line 4 is too long")
    wanted = WantedChanges(
        pull_request=7, base_commit="c" * 40, asked_by="octocat", remarks=(remark,), failed_checks=(check,)
    )
    explored(service, bench=bench, wanted_changes=wanted)
    [prompt] = bench.prompts
    parts = (
        "what is new since ccccccc",
        "app/queue.py:3: Name the limit.",
        "line 4 is too long",
        "Plan what is asked for now",
    )
    assert all(part in prompt for part in parts)
