"""The stage's declaration: explorers read the code and plan; it ends with plans, and `semantics` asks about them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, field_validator

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
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
from pipeline.stages.plans.check import PointCheck
from pipeline.stages.plans.plan import DroppedPlan, GuardRuleOf, Plan
from pipeline.stages.plans.policy import Policy
from pipeline.stages.registry import RegistryReady
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.agents.agent import Agent
    from pipeline.agents.task import AgentCompleted
    from pipeline.llm.port import Model

STAGE = "plans"
WISH = "wish"
POINT = "point"
TARGET = "target"
PLAN = "plan"
SLOTS = frozenset({WISH, POINT, TARGET, PLAN})
"""What is asked about plans: which wish comes first, one open point, which of two places, the plan itself."""

_MOST_READ = 60


class PlansInput(StageValue):
    """What is explored, once no question about names or existing code is open."""

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
            yield f"A second explorer plans alone, because the first plan touches {first.reaches}."
        if self.failure is not None:
            yield f"Exploring ended: {self.failure}"


RUNS_IF = "a language model is configured and the policy of `plans` is not `off`"


class ExplorerBench(Protocol):
    """Where explorers work: a tree that they read, with a budget of its own."""

    def run_explorer(
        self,
        agent: "Agent",
        stage: str,
        number: int,
        prompt: str,
        wrong: Callable[[BaseModel], str | None],
    ) -> "AgentCompleted | str":
        """Run an explorer: what it completed with, or why it did not end with a plan.

        Raises:
            ModelFailed: the model gives no whole reply.
        """

    def line_count(self, path: str) -> int | None:
        """How many lines a file has; None if there is no such text file."""

    def lines_read(self, stage: str, round_: int) -> tuple[Location, ...]:
        """The lines that an explorer has read."""

    @property
    def turns(self) -> int:
        """How often an explorer may take its turn."""


@dataclass(frozen=True)
class Explorers:
    """The explorers of one stage: who they are, and where they work."""

    bench: ExplorerBench
    agent: "Agent"


@dataclass(frozen=True)
class Exploration:
    """Everything that exploring needs besides the results of other stages.

    `check` is who takes the second look at open points, `answers` what people said that a new plan has to follow.
    """

    explorers: Explorers
    registry: Registry
    guard_rule_of: GuardRuleOf
    check: "tuple[Model, str]"
    answers: tuple[Answer, ...] = ()


def _run(inputs: PlansInput, context: StageContext) -> Plans:
    check = context.model
    if check is None:
        raise AssertionError("without a model the stage does not run")
    exploration = Exploration(
        explorers=context.tool(RunInput.EXPLORER, Explorers),
        registry=context.registry(),
        guard_rule_of=context.waits_for_approval,
        check=check,
        answers=context.replanning,
    )
    plans = make_plans(inputs, context.options(PlansOptions).policy, exploration)
    for text in plans.remarks:
        context.note(text)
    return plans


def _why_skipped(context: StageContext) -> str | None:
    if context.options(PlansOptions).policy is Policy.OFF:
        return "its policy is `off`"
    if not context.has_model:
        return "no model is configured: set ANTHROPIC_API_KEY, or use --replay FILE"
    return None if context.model is not None else "the file of replies has none for `plans`"


KIND = StageKind(
    name=STAGE,
    input=PlansInput,
    output=Plans,
    run=_run,
    options=PlansOptions,
    reads=frozenset({RunInput.TREE, RunInput.INDEX, RunInput.MODEL, RunInput.EXPLORER, RunInput.REPLANNING}),
    # Words about a place or about what exists already say more than the target that they select.
    slots=SLOTS | frozenset(CODE_SLOTS) | {EXISTING_SLOT},
    runs_if=RUNS_IF,
    why_skipped=_why_skipped,
    finds_ticket=True,
)


def make_plans(inputs: PlansInput, policy: Policy, exploration: Exploration) -> Plans:
    """Explore once; a second time, alone, where the plan touches something public, stored or guarded.

    A model that fails ends it, and the result says so.

    Raises:
        ModelRequestRejected: the provider does not accept the key, the model's name or the account.
        RepliesUnusable: the file of replies was made for other questions.
    """
    from pipeline.llm.failures import NoUsableReply
    from pipeline.stages.plans.check import check_points, decided_in_words

    results: list[Plan | DroppedPlan] = []
    check: PointCheck | None = None
    failure = None
    try:
        results.append(_explore(1, inputs, exploration))
        if isinstance(results[0], Plan) and results[0].reaches is not None:
            results.append(_explore(2, inputs, exploration))
        plans = [result for result in results if isinstance(result, Plan)]
        check = check_points(exploration.check, inputs.issue, plans, decided_in_words(exploration.answers))
    except NoUsableReply as error:
        failure = f"{error.kind}: {error.message}"
    numbers = [result.number for result in results]
    read = [place for number in numbers for place in exploration.explorers.bench.lines_read(STAGE, number)]
    return Plans(
        policy=policy,
        plans=tuple(result for result in results if isinstance(result, Plan)),
        dropped=tuple(result for result in results if isinstance(result, DroppedPlan)),
        check=check,
        read=tuple(dict.fromkeys(read))[:_MOST_READ],
        failure=failure,
    )


def _explore(number: int, inputs: PlansInput, exploration: Exploration) -> Plan | DroppedPlan:
    from pipeline.stages.plans.form import PlanForm, bind, mistakes_in
    from pipeline.stages.plans.prompt import prompt_for
    from pipeline.stages.snapshot.house_rules import house_rules_as_prompt

    bench = exploration.explorers.bench
    prompt = prompt_for(
        inputs.issue,
        inputs.places,
        inputs.decomposition,
        inputs.existing,
        exploration.answers,
        house_rules_as_prompt(inputs.snapshot.house_rules, [place.path for place in inputs.places.places]),
        bench.turns,
    )

    def wrong(output: BaseModel) -> str | None:
        return mistakes_in(PlanForm.model_validate(output.model_dump()), bench.line_count)

    ending = bench.run_explorer(exploration.explorers.agent, STAGE, number, prompt, wrong)
    if isinstance(ending, str):
        return DroppedPlan(number=number, why=ending)
    form = PlanForm.model_validate(ending.output.model_dump())
    return bind(
        number,
        form,
        inputs.issue,
        exploration.registry,
        exploration.guard_rule_of,
        dollars=ending.spend.dollars,
    )
