"""Opens the explorers of a run: agents that only read, ask nobody, and have a small budget of their own."""

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pipeline.agents.agent import Agent
from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.domain.errors import DefinitionInvalid
from pipeline.gate.tool_names import READING_TOOLS
from pipeline.run.models import RunModel
from pipeline.settings.agent_files import SHIPPED_AGENTS, AgentFileInvalid, AgentFiles
from pipeline.stages.context import RunInput
from pipeline.stages.plans.policy import Policy
from pipeline.stages.plans.stage import PlansOptions

if TYPE_CHECKING:
    from pipeline.agents.budget import Limits
    from pipeline.workbench.workbench import Workbench

_EXPLORER = "explorer"

_Amount = TypeVar("_Amount", int, float)


def exploring_stages(definition: Definition, models: RunModel | None) -> list[StageDeclaration]:
    """The stages that explore the code in this run."""
    if models is None:
        return []
    return [
        stage
        for stage in definition.every_stage
        if RunInput.EXPLORER in stage.kind.reads and not _is_off(stage) and models.holds(stage.uses)
    ]


def find_explorer(agents: AgentFiles) -> Agent:
    """The explorer: the repository's own file, else the shipped one, whose output both have.

    Raises:
        DefinitionInvalid: the file has mistakes, or names a tool that changes something.
    """
    template = SHIPPED_AGENTS.find(_EXPLORER)
    try:
        explorer = agents.find(_EXPLORER)
    except AgentFileInvalid as error:
        raise _unusable(str(error)) from error
    if not set(explorer.tools) <= READING_TOOLS:
        raise _unusable(
            f"It may only read, and names {', '.join(sorted(set(explorer.tools) - READING_TOOLS))}."
        )
    return replace(explorer, output_schema=template.output_schema, output=template.output, max_rounds=0)


def explorer_bench(bench: "Workbench", limits: "Limits", model: str, *, seconds: float | None) -> "Workbench":
    """A workbench for explorers: a budget of their own within that of agents, and no call waits for a person.

    Where the price of the model is unknown, its tokens are limited instead of dollars. The minutes end with the stage.
    """
    whole = bench.rules.limits
    budget = replace(
        limits,
        failures=min(limits.failures, whole.failures),
        failed_calls=min(limits.failed_calls, whole.failed_calls),
        turns=min(limits.turns, whole.turns),
        tokens=_smaller(limits.tokens, whole.tokens),
        dollars=_smaller(limits.dollars, whole.dollars) if model in bench.rules.prices else None,
        minutes=min(limits.minutes, whole.minutes, whole.minutes if seconds is None else seconds / 60),
    )
    return replace(
        bench, rules=replace(bench.rules, limits=budget, gate=bench.rules.gate.without_confirmations())
    )


def _is_off(stage: StageDeclaration) -> bool:
    return isinstance(stage.options, PlansOptions) and stage.options.policy is Policy.OFF


def _smaller(first: _Amount | None, second: _Amount | None) -> _Amount | None:
    """The stricter of two limits of one kind; None is no limit."""
    return first if second is None else second if first is None else min(first, second)


def _unusable(why: str) -> DefinitionInvalid:
    return DefinitionInvalid(
        "The explorer cannot be used.",
        why=why,
        what_to_do="Correct .github/askfirst/agents/explorer.md, or start from the shipped one: "
        f"pipeline/agents/templates/{_EXPLORER}.md\nIt may name these tools: {', '.join(sorted(READING_TOOLS))}",
    )
