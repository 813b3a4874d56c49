"""How many plans are asked for, with which words, and what becomes of a model that gives none."""

from typing import Any

import pytest
import yaml
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.llm.failures import ModelFailed, ModelOverloaded, ModelRequestRejected
from pipeline.llm.replay import digest
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.plans.policy import Policy
from pipeline.stages.plans.stage import Plans, PlansOptions, make_plans
from pipeline.stages.semantics.stage import SemanticsInput, compare_plans
from tests.pipeline.conftest import Built
from tests.pipeline.llm.scripted_model import ScriptedModel
from tests.pipeline.stages.plan_world import (
    ACTIONS,
    ADD_UP,
    ENQUEUE,
    NO_RANKING,
    SERVICE,
    TOTALS,
    form,
    free,
    issue,
    needed,
    ranking_of,
    status,
)

FILES = ranking_of("app/api.py", "app/totals.py")
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
    read: IssueDocument | None = None,
    decision: Decomposition | None = None,
    ranking: Ranking = FILES,
) -> Plans:
    return make_plans(
        needed(read or issue("Run actions and totals better", ""), decision, ranking=ranking),
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
    told = plan(service, model, read=issue("Answer too many actions with a 429", ""))
    assert told.made == 2


def test_every_plan_is_the_same_question_so_that_the_prompt_cache_answers_for_it(service: Registry) -> None:
    model = model_of(REFUSED, QUEUED, REFUSED)
    plan(service, model)
    assert len({digest(asked.model_copy(update={"purpose": "plans"})) for asked in model.asked}) == 1


def targets_and_surfaces(model: ScriptedModel) -> tuple[list[str], list[str]]:
    """What the schema of the first question allows a plan to name."""
    schema: Any = model.asked[0].output_schema
    effect = schema["$defs"]["EffectForm"]["properties"]["surface"]
    return schema["properties"]["target"]["enum"], effect["enum"]


def test_ids_of_what_the_likely_files_hold_stand_in_the_schema(service: Registry) -> None:
    model = model_of(REFUSED, REFUSED)
    plan(service, model)
    targets, surfaces = targets_and_surfaces(model)
    assert {ACTIONS, TOTALS, ADD_UP} <= set(targets)
    assert ENQUEUE not in targets
    assert {ACTIONS, TOTALS} <= set(surfaces)


def test_what_the_issue_names_stands_first_and_a_plan_may_still_see_it_otherwise(service: Registry) -> None:
    model = model_of(REFUSED, REFUSED)
    document = issue("Limit GET /totals", "It needs a new field, as running an action has.")
    decision, _ = decide(document, FILES, service, ())
    assert isinstance(decision, Decomposition)
    plan(service, model, read=document, decision=decision)
    targets, _ = targets_and_surfaces(model)
    assert targets[0] == TOTALS
    assert ACTIONS in targets


def test_without_a_likely_file_and_a_citation_nothing_is_planned(service: Registry) -> None:
    model = model_of()
    plans = plan(service, model, ranking=NO_RANKING)
    assert (plans.made, model.asked) == (0, [])
    assert plans.ended_because == snapshot(
        "the words of the ticket fit nothing in the code, so there is nothing to bind a plan to"
    )


def test_a_model_that_fails_ends_the_planning_and_the_ticket_says_so(service: Registry) -> None:
    told = plan(service, model_of(REFUSED, ModelOverloaded("no capacity")))
    assert (told.made, told.failure) == (1, "ModelOverloaded: no capacity")
    given = SemanticsInput(registry=needed(issue()).registry, reading=issue(), plans=told)
    read = compare_plans(given, service, ())
    assert read.assumptions == snapshot(("Readings were not compared: ModelOverloaded: no capacity.",))


def test_plans_that_were_all_dropped_are_named_in_the_ticket(service: Registry) -> None:
    told = plan(service, model_of(*(form("route:GET /nowhere") for _ in range(3))))
    given = SemanticsInput(registry=needed(issue()).registry, reading=issue(), plans=told)
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
    given = SemanticsInput(registry=needed(issue()).registry, reading=issue(), plans=told)
    assert compare_plans(given, service, ()).assumptions == ()


def test_a_wrong_key_ends_the_run(service: Registry) -> None:
    with pytest.raises(ModelRequestRejected):
        plan(service, model_of(ModelRequestRejected("wrong key")))


@pytest.mark.parametrize("written", ["off", "'off'"])
def test_a_policy_that_yaml_takes_for_a_truth_value_is_read_as_meant(written: str) -> None:
    options = PlansOptions.model_validate(yaml.safe_load(f"policy: {written}"))
    assert options.policy is Policy.OFF
