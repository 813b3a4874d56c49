"""The stage's declaration: it ends with plans and never with a question, so that a resumed run compares the same ones."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, field_validator

from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import IssueDocument
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import Existing
from pipeline.stages.places.stage import Places
from pipeline.stages.plans.plan import DroppedPlan, Guarded, Plan
from pipeline.stages.plans.policy import Policy, is_in_scope, plans_wanted
from pipeline.stages.registry import RegistryReady
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.llm.port import Model
    from pipeline.stages.plans.by_model import Planner


class PlansInput(StageValue):
    """What is planned, once no question about names or existing code is open."""

    snapshot: Snapshot
    registry: RegistryReady
    reading: IssueDocument
    places: Places
    existing: Existing
    decomposition: Decomposition


class PlansOptions(BaseModel):
    """`with:` of the stage: how readily a ticket is asked about whose plans differ."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: Policy = Policy.BALANCED

    @field_validator("policy", mode="before")
    @classmethod
    def _read_off(cls, value: object) -> object:
        """YAML reads a plain `off` as false."""
        return Policy.OFF if value is False else value


class Plans(StageValue):
    """All plans that were made.

    `ended_because` says why no more were, where that is not that there were enough; `failure` which reply could not be
    had.
    """

    policy: Policy
    plans: tuple[Plan, ...]
    dropped: tuple[DroppedPlan, ...] = ()
    ended_because: str | None = None
    failure: str | None = None

    @property
    def made(self) -> int:
        """All of them, those that cannot be compared too."""
        return len(self.plans) + len(self.dropped)

    @property
    def told(self) -> Iterator[str]:
        """What the journal should know, a line each: what was dropped, and why there are no more."""
        yield from (f"Plan {one.number} was dropped: {one.why}" for one in self.dropped)
        yield from (f"Plan {one.number}, left out: {what}" for one in self.plans for what in one.left_out)
        if (why := self.failure or self.ended_because) is not None:
            yield f"No more plans: {why}"


RUNS_IF = "a language model is configured and the policy of `plans` is not `off`"

KIND = StageKind(
    name="plans",
    input=PlansInput,
    output=Plans,
    version="2",
    options=PlansOptions,
    reads=frozenset({RunInput.TREE, RunInput.MODEL}),
    runs_if=RUNS_IF,
)


def make_plans(
    needed: PlansInput, registry: Registry, asked: "tuple[Model, str]", policy: Policy, guarded: Guarded
) -> Plans:
    """Plan until there are as many plans as the policy wants. A model that fails ends that, and the result says so.

    Raises:
        ModelRequestRejected: the provider does not accept the key, the model's name or the account.
        RepliesUnusable: the file of replies was made for other questions.
    """
    from pipeline.llm.failures import ModelFailed, ModelRequestRejected, RepliesUnusable
    from pipeline.stages.plans.by_model import Planner
    from pipeline.stages.plans.shortlist import surfaces_for, targets_for

    targets = targets_for(needed.reading, needed.places, needed.decomposition, registry)
    if not targets:
        because = "the words of the ticket fit nothing in the code, so there is nothing to bind a plan to"
        return Plans(policy=policy, plans=(), ended_because=because)
    surfaces = surfaces_for(targets, needed.decomposition, registry)
    planner = Planner(
        asked, needed.reading, targets=targets, surfaces=surfaces, registry=registry, guarded=guarded
    )
    made: list[Plan | DroppedPlan] = []
    ended, failed = None, None
    try:
        ended = _plan(planner, policy, needed.reading, registry, made)
    except (ModelRequestRejected, RepliesUnusable):
        raise
    except ModelFailed as failure:
        failed = f"{failure.kind}: {failure.message}"
    return Plans(
        policy=policy,
        plans=tuple(one for one in made if isinstance(one, Plan)),
        dropped=tuple(one for one in made if isinstance(one, DroppedPlan)),
        ended_because=ended,
        failure=failed,
    )


def _plan(
    planner: "Planner",
    policy: Policy,
    document: IssueDocument,
    registry: Registry,
    made: list[Plan | DroppedPlan],
) -> str | None:
    """Fill `made`; why it ended early, or None."""
    from pipeline.stages.plans.compare import grouped
    from pipeline.stages.plans.probes import probe

    while True:
        plans = [one for one in made if isinstance(one, Plan)]
        groups = probe(grouped(plans), document, registry).groups
        wanted = plans_wanted(policy, made=len(made), compared=len(plans), groups=groups)
        if not wanted:
            return None
        if len(made) == len(plans) == 1 and not is_in_scope(policy, plans[0].reaches):
            return "the plan reaches no public surface, no stored data and no file whose edit waits for an approval"
        made += planner.plans(range(len(made) + 1, len(made) + 1 + wanted))
