"""How many plans are asked for, with which words, and what becomes of a model that gives none."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Intent
from pipeline.llm.failures import ModelFailed, ModelOverloaded, ModelRequestRejected
from pipeline.llm.replay import digest
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.plans.policy import Policy
from pipeline.stages.plans.stage import Plans, make_plans
from pipeline.stages.semantics.stage import SemanticsInput, compare_plans
from tests.pipeline.conftest import Built
from tests.pipeline.llm.scripted_model import ScriptedModel
from tests.pipeline.stages.plan_world import (
    ACTIONS,
    ADD_UP,
    SERVICE,
    TOTALS,
    form,
    free,
    intent,
    needed,
    status,
)

REFUSED, QUEUED, INSIDE = form(effects=[status(429)]), form(effects=[status(202)]), form(ADD_UP)


@pytest.fixture
def service(built: Built) -> Registry:
    return built(SERVICE)


def model_of(*said: dict[str, Any] | str | ModelFailed) -> ScriptedModel:
    return ScriptedModel(**{f"plans__{number}": one for number, one in enumerate(said, start=1)})


def plan(
    service: Registry,
    model: ScriptedModel,
    *,
    policy: Policy = Policy.BALANCED,
    read: Intent | None = None,
    found: Decomposition | None = None,
) -> Plans:
    return make_plans(
        needed(read or intent("Run actions and totals better", ""), found),
        service,
        (model, "claude-sonnet-5-5"),
        policy,
        free,
    )


@pytest.mark.parametrize(
    ("policy", "said", "made"),
    [
        (Policy.BALANCED, (REFUSED, REFUSED), 2),
        (Policy.BALANCED, (REFUSED, QUEUED, REFUSED), 3),
        (Policy.QUIET, (REFUSED, QUEUED, REFUSED), 3),
        (Policy.EAGER, (REFUSED, REFUSED, REFUSED), 3),
        (Policy.BALANCED, (INSIDE,), 1),
        (Policy.EAGER, (INSIDE, INSIDE, INSIDE), 3),
        (Policy.BALANCED, (form("route:GET /nowhere"), REFUSED, REFUSED), 3),
        (Policy.BALANCED, ("no form", REFUSED, REFUSED), 3),
    ],
)
def test_there_are_as_many_plans_as_the_policy_wants(
    service: Registry, policy: Policy, said: tuple[dict[str, Any], ...], made: int
) -> None:
    model = model_of(*said)
    assert plan(service, model, policy=policy).made == made
    assert sorted(model.purposes) == [f"plans/{number}" for number in range(1, made + 1)]


def test_a_difference_that_a_probe_settles_needs_no_third_plan(service: Registry) -> None:
    model = model_of(REFUSED, QUEUED)
    told = plan(service, model, read=intent("Answer too many actions with a 429", ""))
    assert told.made == 2


def test_every_plan_is_the_same_question_so_that_the_prompt_cache_answers_for_it(service: Registry) -> None:
    model = model_of(REFUSED, QUEUED, REFUSED)
    plan(service, model)
    assert len({digest(asked.model_copy(update={"purpose": "plans"})) for asked in model.asked}) == 1


def test_ids_of_the_code_stand_in_the_schema_and_what_is_selected_already_is_not_opened_again(
    service: Registry,
) -> None:
    model = model_of(REFUSED, REFUSED)
    found, _ = decide(intent("Limit POST /actions", "It needs a new field."), service, ())
    assert isinstance(found, Decomposition)
    plan(service, model, found=found)
    schema: Any = model.asked[0].output_schema
    assert schema["properties"]["target"]["enum"] == [ACTIONS]
    open_ = model_of(REFUSED, REFUSED)
    plan(service, open_)
    schema = open_.asked[0].output_schema
    assert {ACTIONS, TOTALS, ADD_UP} <= set(schema["properties"]["target"]["enum"])
    assert set(schema["$defs"]["EffectForm"]["properties"]["surface"]["enum"]) >= {ACTIONS, TOTALS}


def test_a_ticket_whose_words_fit_nothing_is_not_planned(service: Registry) -> None:
    model = model_of()
    told = plan(service, model, read=intent("Zzz", ""))
    assert (told.made, model.asked) == (0, [])
    assert told.ended_because == snapshot(
        "the words of the ticket fit nothing in the code, so there is nothing to bind a plan to"
    )


def test_a_model_that_fails_ends_the_planning_and_the_ticket_says_so(service: Registry) -> None:
    told = plan(service, model_of(REFUSED, ModelOverloaded("no capacity")))
    assert (told.made, told.failure) == (1, "ModelOverloaded: no capacity")
    given = SemanticsInput(registry=needed(intent()).registry, intent=intent(), plans=told)
    read = compare_plans(given, service, ())
    assert read.assumptions == snapshot(("Readings were not compared: ModelOverloaded: no capacity.",))


def test_plans_that_were_all_dropped_are_named_in_the_ticket(service: Registry) -> None:
    told = plan(service, model_of(*(form("route:GET /nowhere") for _ in range(3))))
    given = SemanticsInput(registry=needed(intent()).registry, intent=intent(), plans=told)
    assert compare_plans(given, service, ()).assumptions == snapshot(
        (
            "Readings were not compared: plan 1 was dropped: it names “route:GET /nowhere”, which the code does not have; plan 2 was dropped: it names “route:GET /nowhere”, which the code does not have; plan 3 was dropped: it names “route:GET /nowhere”, which the code does not have.",
        )
    )


def test_a_plan_that_reaches_nothing_public_is_no_lack(service: Registry) -> None:
    told = plan(service, model_of(INSIDE))
    assert told.ended_because == snapshot(
        "the plan reaches no public surface, no stored data and no file whose edit waits for an approval"
    )
    given = SemanticsInput(registry=needed(intent()).registry, intent=intent(), plans=told)
    assert compare_plans(given, service, ()).assumptions == ()


def test_a_wrong_key_ends_the_run(service: Registry) -> None:
    with pytest.raises(ModelRequestRejected):
        plan(service, model_of(ModelRequestRejected("wrong key")))
