"""The stage's declaration: plans become a plan of the ticket with its targets, or stop the run with one question."""

from typing import assert_never

from pipeline.contract.answers import Answer
from pipeline.contract.code_slots import CODE_SLOTS
from pipeline.contract.ticket import CodePlace, TicketPlan
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.existing.stage import SLOT as EXISTING_SLOT
from pipeline.stages.plans.stage import RUNS_IF, SLOTS, Plans
from pipeline.stages.registry import RegistryReady
from pipeline.stages.stage import StageKind, StageValue


class SemanticsInput(StageValue):
    """The plans, and the ticket and code that they are of."""

    registry: RegistryReady
    reading: IssueDocument
    plans: Plans


class Semantics(StageValue):
    """What the plans came to.

    `targets` are what they agree on, or what a person chose. `open` says that they part, and that a person's answer
    selects none of them, or that there is no plan where a person shall see one: then the targets are unknown.
    """

    because: str
    targets: tuple[CodePlace, ...] = ()
    plan: TicketPlan | None = None
    open: bool = False
    assumptions: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()


def _run(inputs: SemanticsInput, context: StageContext) -> Semantics:
    return compare_plans(inputs, context.answers.answers, puts_plan=context.puts_plan)


KIND = StageKind(
    name="semantics",
    input=SemanticsInput,
    output=Semantics,
    run=_run,
    reads=frozenset({RunInput.ANSWERS, RunInput.PLAN_REVIEW}),
    # How many questions were answered before says whether a plan is put to a person again.
    slots=SLOTS | frozenset(CODE_SLOTS) | {EXISTING_SLOT},
    runs_if=RUNS_IF,
    finds_ticket=True,
)


def compare_plans(
    inputs: SemanticsInput, answers: tuple[Answer, ...], *, puts_plan: bool = False
) -> Semantics:
    """Compare the plans, and settle what they leave open. `puts_plan`: a person sees the plan first.

    Raises:
        ClarificationNeeded: they part, or leave something open that the policy puts to a person.
        AnswersInvalid: an answer to the plan names what the plan does not have.
    """
    from pipeline.stages.semantics.decide import (
        Agreement,
        Disagreement,
        assumptions_of,
        criteria_of,
        decide,
        plan_of,
    )

    result = inputs.plans
    if not result.plans:
        return _without_plan(result, puts_plan=puts_plan)
    outcome = decide(result, inputs.reading, answers, puts_plan=puts_plan)
    match outcome:
        case Ask():
            raise ClarificationNeeded(outcome)
        case Disagreement(because):
            return Semantics(because=because, open=True)
        case Agreement():
            return Semantics(
                because=outcome.because,
                targets=outcome.targets,
                plan=plan_of(outcome, result),
                assumptions=tuple(assumptions_of(outcome)),
                acceptance=tuple(criteria_of(outcome)),
            )
        case _:
            assert_never(outcome)


def _without_plan(result: Plans, *, puts_plan: bool) -> Semantics:
    reasons = "; ".join(plan.why for plan in result.dropped)
    because = f"There is no plan: {result.failure or reasons}."
    if puts_plan:
        because = f"{because} Nothing is built without one that a person has seen (`plan: ask`)."
    return Semantics(because=because, open=puts_plan, assumptions=(because,))
