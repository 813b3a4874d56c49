"""Builds what agents need: the gate they pass, and the workbench on which they work.

Explorers are agents that only read, ask no person, and have a small budget of their own.
"""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pipeline.agents.agent import Agent
from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.definition.plan_review import explores, refuse_unplanned
from pipeline.domain.errors import DefinitionInvalid, PreconditionFailed, RunDirectoryUnusable
from pipeline.gate.tool_names import READING_TOOLS
from pipeline.run.indexes import Indexes
from pipeline.run.models import RunModel
from pipeline.run.run import Run
from pipeline.run_inputs.inputs import issue_reader, notes_reader
from pipeline.run_record.run_directory import RunDirectory
from pipeline.settings.agent_files import SHIPPED_AGENTS, AgentFileInvalid, AgentFiles
from pipeline.settings.repository_settings import RepositorySettings
from pipeline.stages.context import RunInput
from pipeline.stages.semantics.exploring import Explorers
from pipeline.stages.work import AgentChoice
from pipeline.workbench.agent_sources import AgentSources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pipeline.agents.budget import Budget
    from pipeline.contract.run import StageRecord
    from pipeline.llm.usage import Ledger
    from pipeline.run_record.summary import AgentWork
    from pipeline.workbench.bench_tree import Rules
    from pipeline.workbench.workbench import Workbench

_EXPLORER = "explorer"

_Amount = TypeVar("_Amount", int, float)


@dataclass(frozen=True)
class RunAgents:
    """What the stages with agents work with. `agents` is by stage.

    `bench` is where a change is made; `own_benches`, by stage, are for agents that a definition chooses, and
    `explorers` for those that only read.
    """

    bench: "Workbench"
    own_benches: Mapping[str, "Workbench"]
    explorers: Mapping[str, "Workbench"]
    agents: Mapping[str, Agent]

    @property
    def tools(self) -> "Mapping[RunInput, Callable[[str], object]]":
        """Where agents work, by the id of a stage. A workbench is there only for an agent that may do more than read."""
        tools: dict[RunInput, Callable[[str], object]] = {}
        if self.agents.keys() - self.explorers.keys():
            tools[RunInput.WORKBENCH] = lambda stage: self.own_benches.get(stage, self.bench)
        if self.explorers:
            tools[RunInput.EXPLORER] = lambda stage: Explorers(self.explorers[stage], self.agents[stage])
        return tools

    def digest_of(self, stage: str) -> list[str] | None:
        """What a stored result of a stage depends on besides its inputs: prompt, tools, model, and who replies.

        None for a stage in which no agent works.
        """
        agent = self.agents.get(stage)
        if agent is None:
            return None
        rules = self.bench.rules
        command = [rules.coder.command] if rules.coder is not None and stage == "coder" else []
        return [agent.sha256, agent.model or rules.model, self.bench.model.origin.value, *command]


class CostPerRound:
    """What a stage has cost since it was last asked about: the engine asks at the end of each of its rounds."""

    def __init__(self, ledger: "Ledger") -> None:
        self._ledger = ledger
        self._told: dict[str, float] = {}

    def __call__(self, stage: str) -> float | None:
        """Dollars; None for a stage that asked no model, or whose model has no known price."""
        spend = self._ledger.spend_of(stage)
        if spend is None or spend.dollars is None:
            return None
        before = self._told.get(stage, 0.0)
        self._told[stage] = spend.dollars
        return spend.dollars - before


def work_of_agents(directory: RunDirectory, records: "Iterable[StageRecord]") -> "tuple[AgentWork, ...]":
    """What agents did in a run, by their transcripts; one that cannot be read says nothing."""
    # A stage without rounds may have had two explorers, one after the other.
    rounds = dict.fromkeys(
        (record.id, number) for record in records for number in ((record.round,) if record.round else (1, 2))
    )
    folder = directory.path / "transcripts"
    paths = {(stage, round_): folder / f"{stage}-{round_}.jsonl" for stage, round_ in rounds}
    there = {key: path for key, path in paths.items() if path.is_file()}
    if not there:
        return ()
    from pydantic import TypeAdapter

    from pipeline.agents.transcript import Entry, agent_work
    from pipeline.run_record.line_file import LineFile

    works = []
    for (stage, round_), path in there.items():
        with suppress(RunDirectoryUnusable):
            entries = LineFile(path, TypeAdapter(Entry), directory.redactor).read()
            works.append(agent_work(entries, stage, round_))
    return tuple(works)


def open_agents(run: Run, models: RunModel | None, base: Indexes) -> RunAgents | None:
    """What the agents of a definition need; None for a definition without agents. `base` indexes the ticket's code.

    Configuration, rules and agents are read from the base of the checkouts; the repository has the commits of both.

    Raises:
        PreconditionFailed: agents are to run, and there is neither a key nor a file of replies.
        PipelineError: the repository's own configuration, rules or agents have mistakes.
    """
    stages = [stage for stage in run.definition.every_stage if RunInput.AGENT in stage.kind.reads]
    exploring = exploring_stages(run, models)
    if not stages and not exploring:
        return None
    if models is None:
        raise _no_model(run.definition, stages)
    from pipeline.gate.decision_log import GateLog
    from pipeline.workbench.workbench import Workbench
    from pipeline.workspace.setup import Setup, default_folder

    repository, settings = run.request.repository, run.settings
    base_commit, commands = run.checkouts.tree.commit, settings.configuration.setup
    folder = Path(
        run.cleanup.enter_context(
            tempfile.TemporaryDirectory(prefix="askfirst-work-", ignore_cleanup_errors=True)
        )
    )
    setup = (
        Setup(repository, base_commit, commands, default_folder(), run.environment, run.identity.repository)
        if commands
        else None
    )
    bench = Workbench(
        repository=repository,
        commit=run.identity.commit,
        folder=folder / "change",
        record=run.directory.path,
        sources=_sources(run, base),
        model=models.model,
        rules=_rules(models, settings),
        answers=run.start.answers,
        redactor=run.directory.redactor,
        gate_lines=GateLog(run.directory.path, run.directory.redactor, run.identity),
        setup=setup,
    )
    own_benches = {
        stage.id: _own_bench(bench, stage, folder / "agents" / stage.id)
        for stage in stages
        if stage.agent is not None
    }
    agents = {stage.id: stage.agent or _agent_of(stage, settings.agents) for stage in stages}
    exploring_bench = replace(bench, folder=folder / "explorers")
    explorer = find_explorer(settings.agents) if exploring else None
    explorers = _explorers(exploring, exploring_bench, settings)
    if explorer is not None:
        agents |= dict.fromkeys(explorers, explorer)
    for workbench in (bench, *own_benches.values(), *explorers.values()):
        run.cleanup.callback(workbench.close)
    return RunAgents(bench, own_benches, explorers, agents)


def _sources(run: Run, base: Indexes) -> AgentSources:
    """The sources in which agents look things up. Those that change a pull request again know the code of its head."""
    notes = notes_reader(run.start, run.directory.path, run.start_time, run.environment)
    is_revision = run.start.wanted_changes is not None
    return AgentSources(
        registry=Indexes(run.checkouts.checkout_root).registry if is_revision else base.registry,
        find_places=base.places_of,
        issues=issue_reader(run.start, run.request.repository, run.environment),
        notes_of_people=notes.for_round if notes is not None else lambda _: (),
        note=run.note,
        tell=run.journal.write,
        environment=run.environment,
    )


def _rules(models: RunModel, settings: RepositorySettings) -> "Rules":
    """What every agent of the run is held to."""
    from pipeline.workbench.bench_tree import Rules

    configuration = settings.configuration
    return Rules(
        gate=settings.gate,
        limits=configuration.budget,
        prices=models.ledger.prices,
        model=models.name,
        testing=configuration.testing,
        coder=configuration.coder,
        decisions=settings.decisions,
    )


def _explorers(
    exploring: "list[StageDeclaration]",
    bench: "Workbench",
    settings: RepositorySettings,
) -> "Mapping[str, Workbench]":
    """A workbench for each stage that explores, with a budget of its own."""
    limits = settings.configuration.explorer
    return {
        stage.id: explorer_bench(
            replace(bench, folder=bench.folder / stage.id), limits, seconds=stage.timeout
        )
        for stage in exploring
    }


def _own_bench(bench: "Workbench", stage: StageDeclaration, folder: Path) -> "Workbench":
    """A workbench for one agent. Its minutes end with the stage's time: an agent whose stage is over spends nothing."""
    limits = bench.rules.limits
    if stage.timeout is not None:
        limits = limits.model_copy(update={"minutes": min(limits.minutes, stage.timeout / 60)})
    return replace(bench, folder=folder, rules=replace(bench.rules, limits=limits))


def _no_model(definition: Definition, stages: list[StageDeclaration]) -> PreconditionFailed:
    stage_names = ", ".join(f"`{stage.id}`" for stage in stages)
    return PreconditionFailed(
        f"`{definition.name}` asks a language model, and there is none.",
        why=f"The stages {stage_names} ask one. Neither ANTHROPIC_API_KEY nor ASKFIRST_PROVIDER is set, and no file of replies is given.",
        what_to_do="Set ANTHROPIC_API_KEY (in a workflow: a repository secret), or replay replies: --replay FILE\n"
        "Without a model: --definition gate ends with the ticket, from which any other coder can start.",
    )


def _agent_of(stage: StageDeclaration, agents: AgentFiles) -> Agent:
    """The agent of a stage: the repository's own file, else the shipped one. What it completes with, the stage says."""
    shipped_agent = SHIPPED_AGENTS.find(stage.uses)
    agent_name = stage.options.agent if isinstance(stage.options, AgentChoice) else None
    try:
        agent_file = agents.find(agent_name or stage.uses)
    except AgentFileInvalid as error:
        raise DefinitionInvalid(
            f"The agent of stage `{stage.id}` cannot be used.",
            why=str(error),
            what_to_do=f"Correct the file, or start from the shipped one: pipeline/agents/templates/{stage.uses}.md",
        ) from error
    return replace(agent_file, output_schema=shipped_agent.output_schema, output=shipped_agent.output)


def exploring_stages(run: Run, models: RunModel | None) -> list[StageDeclaration]:
    """The stages that explore the code in this run."""
    if models is None:
        return []
    return [stage for stage in run.definition.every_stage if explores(stage) and models.holds(stage.uses)]


def puts_plan(run: Run, models: RunModel | None) -> bool:
    """Whether a person sees the plan of this run before anything is built.

    A pull request that is changed again has had its plan.

    Raises:
        ConfigurationInvalid: the configuration has mistakes.
        DefinitionInvalid: the definition builds something without a plan.
        PreconditionFailed: the file of replies has none for explorers.
    """
    if models is None or run.start.wanted_changes is not None:
        return False
    if run.settings.configuration.plan == "go":
        return False
    refuse_unplanned(run.definition)
    is_planned = any(map(explores, run.definition.every_stage))
    if is_planned and not exploring_stages(run, models):
        raise PreconditionFailed(
            "`plan: ask` in .github/askfirst/config.yml needs a plan, and the file of replies has none.",
            why="A person must see the plan before anything is built.",
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


def explorer_bench(bench: "Workbench", limits: "Budget", *, seconds: float | None) -> "Workbench":
    """A workbench for explorers: a budget of their own within that of agents, and no call waits for a person.

    The minutes end with the stage.
    """
    whole = bench.rules.limits
    minutes = (limits.minutes, whole.minutes, *(() if seconds is None else (seconds / 60,)))
    amounts = {
        "failures": min(limits.failures, whole.failures),
        "failed_calls": min(limits.failed_calls, whole.failed_calls),
        "turns": min(limits.turns, whole.turns),
        "tokens": _smaller(limits.tokens, whole.tokens),
        "dollars": _smaller(limits.dollars, whole.dollars),
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
