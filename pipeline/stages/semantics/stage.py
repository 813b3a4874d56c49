"""The stage's declaration: plans become a plan of the ticket with its targets, or stop the run with one question."""

from typing import assert_never

from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace, TicketPlan
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.context import RunInput, StageContext
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
    selects none of them: then the targets are unknown.
    """

    because: str
    targets: tuple[CodePlace, ...] = ()
    plan: TicketPlan | None = None
    open: bool = False
    assumptions: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()


def _run(inputs: SemanticsInput, context: StageContext) -> Semantics:
    return compare_plans(inputs, context.answers.answers)


KIND = StageKind(
    name="semantics",
    input=SemanticsInput,
    output=Semantics,
    run=_run,
    reads=frozenset({RunInput.ANSWERS}),
    slots=SLOTS,
    runs_if=RUNS_IF,
    finds_ticket=True,
)


def compare_plans(inputs: SemanticsInput, answers: tuple[Answer, ...]) -> Semantics:
    """Compare the plans, and settle what they leave open.

    Raises:
        ClarificationNeeded: they part, or leave something open that the policy puts to a person.
    """
    from pipeline.stages.semantics.decide import Agreement, Disagreement, assumptions_of, criteria_of, decide

    result = inputs.plans
    if not result.plans:
        return _without_plan(result)
    outcome = decide(result, inputs.reading, answers)
    match outcome:
        case Ask():
            raise ClarificationNeeded(outcome)
        case Disagreement(because):
            return Semantics(because=because, open=True)
        case Agreement():
            return Semantics(
                because=outcome.because,
                targets=outcome.targets,
                plan=TicketPlan(
                    summary=outcome.plan.summary,
                    changes=outcome.plan.changes,
                    effects=()
                    if outcome.is_overruled
                    else tuple(effect.what for effect in outcome.plan.effects),
                    read=result.read,
                ),
                assumptions=tuple(assumptions_of(outcome)),
                acceptance=tuple(criteria_of(outcome)),
            )
        case _:
            assert_never(outcome)


def _without_plan(result: Plans) -> Semantics:
    reasons = "; ".join(plan.why for plan in result.dropped)
    because = f"There is no plan: {result.failure or reasons}."
    return Semantics(because=because, assumptions=(because,))
