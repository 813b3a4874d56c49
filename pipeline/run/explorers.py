"""Opens the explorers of a run: agents that only read, ask nobody, and have a small budget of their own."""

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pipeline.agents.agent import Agent
from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.definition.plan_review import explores, refuse_unplanned
from pipeline.domain.errors import DefinitionInvalid, PreconditionFailed
from pipeline.gate.tool_names import READING_TOOLS
from pipeline.run.models import RunModel
from pipeline.settings.agent_files import SHIPPED_AGENTS, AgentFileInvalid, AgentFiles

if TYPE_CHECKING:
    from pipeline.agents.budget import Budget
    from pipeline.run_inputs.inputs import Start
    from pipeline.settings.repository_settings import RepositorySettings
    from pipeline.workbench.workbench import Workbench

_EXPLORER = "explorer"

_Amount = TypeVar("_Amount", int, float)


def exploring_stages(definition: Definition, models: RunModel | None) -> list[StageDeclaration]:
    """The stages that explore the code in this run."""
    if models is None:
        return []
    return [stage for stage in definition.every_stage if explores(stage) and models.holds(stage.uses)]


def puts_plan(
    definition: Definition, models: RunModel | None, start: "Start", settings: "RepositorySettings"
) -> bool:
    """Whether a person sees the plan of this run before anything is built.

    A pull request that is changed again has had its plan.

    Raises:
        ConfigurationInvalid: the configuration has mistakes.
        DefinitionInvalid: the definition builds something that nobody plans.
        PreconditionFailed: the file of replies has none for explorers.
    """
    if models is None or start.wanted_changes is not None:
        return False
    if settings.configuration.plan == "go":
        return False
    refuse_unplanned(definition)
    is_planned = any(map(explores, definition.every_stage))
    if is_planned and not exploring_stages(definition, models):
        raise PreconditionFailed(
            "`plan: ask` in .github/askfirst/config.yml needs a plan, and the file of replies has none.",
            why="A person shall see the plan before anything is built.",
            what_to_do="Add replies for `plans/1` to the file, or set `plan: go`.",
        )
    return is_planned


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


def explorer_bench(bench: "Workbench", limits: "Budget", model: str, *, seconds: float | None) -> "Workbench":
    """A workbench for explorers: a budget of their own within that of agents, and no call waits for a person.

    Where the price of the model is unknown, its tokens are limited instead of dollars. The minutes end with the stage.
    """
    whole = bench.rules.limits
    minutes = (limits.minutes, whole.minutes, *(() if seconds is None else (seconds / 60,)))
    amounts = {
        "failures": min(limits.failures, whole.failures),
        "failed_calls": min(limits.failed_calls, whole.failed_calls),
        "turns": min(limits.turns, whole.turns),
        "tokens": _smaller(limits.tokens, whole.tokens),
        "dollars": _smaller(limits.dollars, whole.dollars) if model in bench.rules.prices else None,
        "minutes": min(minutes),
    }
    budget = limits.model_copy(update=amounts)
    return replace(
        bench, rules=replace(bench.rules, limits=budget, gate=bench.rules.gate.without_confirmations())
    )


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
