"""The stage's declaration: plans become a plan of the ticket with its targets, or stop the run with one question."""

from pipeline.domain.issue import IssueDocument
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.registry import RegistryReady
from pipeline.stages.semantics.decide import Semantics, compare_plans
from pipeline.stages.semantics.exploring import RUNS_IF, SLOTS_BEFORE_WORK, Plans
from pipeline.stages.stage import StageKind, StageValue


class SemanticsInput(StageValue):
    """The plans, and the ticket and code that they are of."""

    registry: RegistryReady
    reading: IssueDocument
    plans: Plans


def _run(inputs: SemanticsInput, context: StageContext) -> Semantics:
    answers, puts_plan = context.answers.answers, context.puts_plan
    return compare_plans(inputs.plans, inputs.reading, answers, puts_plan=puts_plan)


KIND = StageKind(
    name="semantics",
    input=SemanticsInput,
    output=Semantics,
    run=_run,
    reads=frozenset({RunInput.ANSWERS, RunInput.PLAN_REVIEW}),
    # How many questions were answered before says whether a plan is put to a person again.
    slots=SLOTS_BEFORE_WORK,
    runs_if=RUNS_IF,
    finds_ticket=True,
)
