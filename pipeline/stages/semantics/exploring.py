"""Stage `plans`: explorers read the code and plan; it ends with plans, and `semantics` asks about what they leave open."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, field_validator

from pipeline.contract.code_slots import CODE_SLOTS
from pipeline.contract.wire import Location
from pipeline.domain.issue import IssueDocument
from pipeline.domain.models import ClosedModel
from pipeline.reading.for_models import issue_for_model
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import SLOT as EXISTING_SLOT
from pipeline.stages.existing.stage import Existing
from pipeline.stages.places import Places
from pipeline.stages.registry import RegistryReady
from pipeline.stages.semantics.check import PointCheck
from pipeline.stages.semantics.plan import DroppedPlan, Plan
from pipeline.stages.semantics.policy import Policy
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.agents.agent import Agent
    from pipeline.agents.task import AgentCompleted

STAGE = "plans"
WISH = "wish"
PREMISE = "premise"
POINT = "point"
TARGET = "target"
PLAN = "plan"
SLOTS = frozenset({WISH, POINT, TARGET, PLAN, PREMISE})
"""What is asked about plans: which wish comes first, open points, which of two places, the plan itself, and a wrong premise."""

SLOTS_BEFORE_WORK = SLOTS | frozenset(CODE_SLOTS) | {EXISTING_SLOT}
"""Everything that is asked before the code is written."""

_MOST_READ = 60


class PlansInput(StageValue):
    """The ticket to explore, once no question about names or existing code is open."""

    snapshot: Snapshot
    registry: RegistryReady
    reading: IssueDocument
    places: Places
    existing: Existing
    decomposition: Decomposition

    @property
    def issue(self) -> str:
        """The issue as explorers read it."""
        return issue_for_model(self.snapshot.ticket, self.reading)


class PlansOptions(ClosedModel):
    """`with:` of the stage: how readily a person is asked about what a plan leaves open."""

    policy: Policy = Policy.BALANCED

    @field_validator("policy", mode="before")
    @classmethod
    def _read_off(cls, value: object) -> object:
        """YAML reads a plain `off` as false."""
        return Policy.OFF if value is False else value


class Plans(StageValue):
    """The plans of one or two explorers, and the second look at their open points.

    `read` are the lines that they read, which the coder is given. `failure` says which reply could not be had.
    """

    policy: Policy
    plans: tuple[Plan, ...]
    dropped: tuple[DroppedPlan, ...] = ()
    check: PointCheck | None = None
    read: tuple[Location, ...] = ()
    failure: str | None = None

    @property
    def remarks(self) -> Iterator[str]:
        """What the journal should know, a line each."""
        yield from (f"Plan {plan.number} was dropped: {plan.why}" for plan in self.dropped)
        yield from (
            f"Plan {plan.number}, left out: {remark}" for plan in self.plans for remark in plan.left_out
        )
        first = next(iter(self.plans), None)
        if first is not None and first.reaches is not None:
            yield f"A second explorer plans alone, because this cannot be taken back: {first.reaches}."
        if self.failure is not None:
            yield f"Exploring ended: {self.failure}"


RUNS_IF = "a language model is configured and the policy of `plans` is not `off`"


class ExplorerBench(Protocol):
    """Where explorers work: a tree that they read, with a budget of its own."""

    def run_explorer(
        self, agent: "Agent", stage: str, number: int, prompt: str, wrong: Callable[[BaseModel], str | None]
    ) -> "AgentCompleted | str":
        """Run an explorer: what it completed with, or why it did not end with a plan.

        Raises:
            ModelFailed: the model gives no whole reply.
        """

    def line_count(self, path: str) -> int | None:
        """How many lines a file has; None if there is no such text file."""

    def lines_read(self, stage: str, round_: int) -> tuple[Location, ...]:
        """The lines that an explorer has read."""

    def diff_since(self, base: str) -> str:
        """What the code has that an earlier commit has not, as a unified diff."""

    @property
    def turns(self) -> int:
        """How often an explorer may take its turn."""


@dataclass(frozen=True)
class Explorers:
    """The explorers of one stage: who they are, and where they work."""

    bench: ExplorerBench
    agent: "Agent"


def _run(inputs: PlansInput, context: StageContext) -> Plans:
    """Explore once; a second time, alone, where what the plan does cannot be taken back: data, access, a guarded file.

    A model that fails ends it, and the result says so.

    Raises:
        ModelRequestRejected: the provider does not accept the key, the model's name or the account.
        RepliesUnusable: the file of replies was made for other questions.
    """
    from pipeline.llm.failures import NoUsableReply
    from pipeline.stages.semantics.check import check_points, decided_in_words

    if context.model is None:
        raise AssertionError("without a model the stage does not run")
    explorers = context.tool(RunInput.EXPLORER, Explorers)
    results: list[Plan | DroppedPlan] = []
    check: PointCheck | None = None
    failure = None
    try:
        results.append(_explore(1, inputs, explorers, context))
        if isinstance(results[0], Plan) and results[0].reaches is not None:
            results.append(_explore(2, inputs, explorers, context, explorers.bench.lines_read(STAGE, 1)))
        plans = [result for result in results if isinstance(result, Plan)]
        check = check_points(context.model, inputs.issue, plans, decided_in_words(context.replanning))
    except NoUsableReply as error:
        failure = error.in_words
    read = [place for result in results for place in explorers.bench.lines_read(STAGE, result.number)]
    outcome = Plans(
        policy=context.options(PlansOptions).policy,
        plans=tuple(result for result in results if isinstance(result, Plan)),
        dropped=tuple(result for result in results if isinstance(result, DroppedPlan)),
        check=check,
        read=tuple(dict.fromkeys(read))[:_MOST_READ],
        failure=failure,
    )
    for text in outcome.remarks:
        context.note(text)
    return outcome


def _explore(
    number: int,
    inputs: PlansInput,
    explorers: Explorers,
    context: StageContext,
    lines_read_before: Sequence[Location] = (),
) -> Plan | DroppedPlan:
    from pipeline.stages.semantics.form import PlanForm, bind, mistakes_in
    from pipeline.stages.semantics.prompt import prompt_for
    from pipeline.stages.snapshot import house_rules_as_prompt

    bench, changes = explorers.bench, context.wanted_changes
    prompt = prompt_for(
        inputs.issue,
        None if changes is None else changes.as_prompt(bench.diff_since(changes.base_commit)),
        inputs.places,
        inputs.decomposition,
        inputs.existing,
        context.replanning,
        house_rules_as_prompt(inputs.snapshot.house_rules, [place.path for place in inputs.places.places]),
        bench.turns,
        lines_read_before,
    )

    def wrong(output: BaseModel) -> str | None:
        return mistakes_in(PlanForm.model_validate(output.model_dump(exclude_none=True)), bench.line_count)

    ending = bench.run_explorer(explorers.agent, STAGE, number, prompt, wrong)
    if isinstance(ending, str):
        return DroppedPlan(number=number, why=ending)
    form = PlanForm.model_validate(ending.output.model_dump(exclude_none=True))
    if form.no_plan is not None and not form.changes:
        return DroppedPlan(number=number, why=form.no_plan.why, no_plan=form.no_plan)
    guard = context.waits_for_approval
    return bind(number, form, inputs.issue, context.registry(), guard, dollars=ending.spend.dollars)


def _why_skipped(context: StageContext) -> str | None:
    if context.options(PlansOptions).policy is Policy.OFF:
        return "its policy is `off`"
    if not context.has_model:
        return "no model is configured: set ANTHROPIC_API_KEY or ASKFIRST_PROVIDER, or use --replay FILE"
    return None if context.model is not None else "the file of replies has none for `plans`"


KIND = StageKind(
    name=STAGE,
    input=PlansInput,
    output=Plans,
    run=_run,
    options=PlansOptions,
    reads=frozenset({RunInput.TREE, RunInput.INDEX, RunInput.MODEL, RunInput.EXPLORER, RunInput.REPLANNING})
    | {RunInput.CHECKOUT, RunInput.WANTED_CHANGES},
    # Words about a place or about what exists already say more than the target that they select.
    slots=SLOTS_BEFORE_WORK,
    runs_if=RUNS_IF,
    why_skipped=_why_skipped,
    finds_ticket=True,
)
