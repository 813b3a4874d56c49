"""Builds what agents need: the gate they pass, and the workbench on which they work."""

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.agents.agent import Agent
from pipeline.definition.agent_files import AgentFileInvalid, find_agent
from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.domain.errors import DefinitionInvalid, PreconditionFailed, RunDirectoryUnusable
from pipeline.model_wiring import AGENT_STAGES, ModelWorld
from pipeline.run_record.run_directory import RunDirectory
from pipeline.stages.work import AgentChoice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pipeline.agents.delegation import Tell
    from pipeline.code_registry.registry import Registry
    from pipeline.contract.answers import Answers
    from pipeline.contract.decisions import Decision
    from pipeline.contract.run import StageRecord
    from pipeline.contract.wire import CommitSha, RunIdentity
    from pipeline.github_read.reader import GitHubReader
    from pipeline.llm.usage import Ledger
    from pipeline.run_record.summary import AgentWork
    from pipeline.workbench.workbench import Workbench

_TEMPLATES = Path(__file__).parent / "agents" / "templates"
_OWN = "agent"
"""The kind of stage whose agent a definition chooses."""


@dataclass(frozen=True)
class AgentWorld:
    """What the stages with agents work with. `agents` is by stage.

    `bench` is where a change is made; `own_benches`, by stage, are for agents that a definition chooses.
    """

    bench: "Workbench"
    own_benches: Mapping[str, "Workbench"]
    agents: Mapping[str, Agent]

    def digest_of(self, stage: str) -> list[str]:
        """What a stored result of a stage depends on besides its inputs: prompt, tools, model, and who replies."""
        agent = self.agents[stage]
        return [agent.sha256, agent.model or self.bench.rules.model, self.bench.model.origin.value]


class CostPerRound:
    """What a stage has cost since it was last asked about: the engine asks at the end of each of its rounds."""

    def __init__(self, ledger: "Ledger") -> None:
        self._ledger = ledger
        self._told: dict[str, float] = {}

    def __call__(self, stage: str) -> float | None:
        """Dollars; None for a stage that asked no model, or whose model has no known price."""
        spent = self._ledger.spent(stage)
        if spent is None or spent.dollars is None:
            return None
        before = self._told.get(stage, 0.0)
        self._told[stage] = spent.dollars
        return spent.dollars - before


def agent_stages(definition: Definition) -> list[StageDeclaration]:
    """The stages of a definition in which an agent works."""
    return [stage for stage in definition.every_stage if stage.uses in AGENT_STAGES]


def work_of_agents(directory: RunDirectory, records: "Iterable[StageRecord]") -> "tuple[AgentWork, ...]":
    """What agents did in a run, by their transcripts; one that cannot be read says nothing."""
    rounds = dict.fromkeys((record.id, record.round or 1) for record in records)
    folder = directory.path / "transcripts"
    paths = {(stage, round_): folder / f"{stage}-{round_}.jsonl" for stage, round_ in rounds}
    there = {key: path for key, path in paths.items() if path.is_file()}
    if not there:
        return ()
    from pydantic import TypeAdapter

    from pipeline.agents.transcript import Entry, worked
    from pipeline.run_record.line_file import LineFile

    found = []
    for (stage, round_), path in there.items():
        with suppress(RunDirectoryUnusable):
            entries = LineFile(path, TypeAdapter(Entry), directory.redactor).read()
            found.append(worked(entries, stage, round_))
    return tuple(found)


def open_agent_world(
    definition: Definition,
    models: ModelWorld | None,
    *,
    repository: Path,
    configured: Path,
    identity: "RunIdentity",
    base_commit: "CommitSha",
    answers: "Answers",
    decisions: "tuple[Decision, ...]",
    registry: "Callable[[], Registry]",
    issues: "GitHubReader | None",
    directory: RunDirectory,
    note: "Callable[[str, str], None]",
    notes_of_people: "Callable[[int], tuple[str, ...]]",
    tell: "Tell",
    environment: Mapping[str, str],
    cleanup: ExitStack,
) -> AgentWorld | None:
    """What the agents of a definition need; None for a definition without agents. `cleanup` takes the worktree away.

    `configured` is the tree that configuration, rules and agents are read from, `base_commit` the commit of it, and
    `repository` the checkout to change, of which agents change `commit`.
    `tell` writes into the journal what happens to agents that agents start.

    Raises:
        PreconditionFailed: agents are to run, and there is neither a key nor a file of replies.
        PipelineError: the repository's own configuration, rules or agents have mistakes.
    """
    stages = agent_stages(definition)
    if not stages:
        return None
    if models is None:
        raise _no_model(definition, stages)
    from pipeline.agents.budget import Limits
    from pipeline.definition.gate_file import load_gate
    from pipeline.definition.repository_configuration import FOLDER, read_configuration
    from pipeline.workbench.gate_log import GateLog
    from pipeline.workbench.workbench import Rules, Workbench
    from pipeline.workspace.setup import Setup, default_folder

    own = configured / FOLDER
    configuration = read_configuration(configured)
    rules = Rules(
        gate=load_gate(own / "gate.yml" if (own / "gate.yml").is_file() else None),
        limits=Limits(**configuration.budget.model_dump()),
        prices=models.ledger.prices,
        model=models.name,
        test_command=configuration.test_command,
        decisions=decisions,
    )
    folder = cleanup.enter_context(
        tempfile.TemporaryDirectory(prefix="askfirst-work-", ignore_cleanup_errors=True)
    )
    bench = Workbench(
        repository=repository,
        commit=identity.commit,
        folder=Path(folder) / "change",
        record=directory.path,
        registry=registry,
        model=models.model,
        rules=rules,
        answers=answers,
        redactor=directory.redactor,
        gate_lines=GateLog(directory.path / "gate.jsonl", directory.redactor, identity),
        issues=issues,
        note=note,
        notes_of_people=notes_of_people,
        tell=tell,
        environment=environment,
        setup=Setup(repository, base_commit, configuration.setup, default_folder(), environment)
        if configuration.setup
        else None,
    )
    own_benches = {
        stage.id: _own_bench(bench, stage, Path(folder) / "agents" / stage.id)
        for stage in stages
        if stage.uses == _OWN
    }
    for each in (bench, *own_benches.values()):
        cleanup.callback(each.close)
    agents = {stage.id: stage.agent or _agent_of(stage, own / "agents") for stage in stages}
    return AgentWorld(bench, own_benches, agents)


def _own_bench(bench: "Workbench", stage: StageDeclaration, folder: Path) -> "Workbench":
    """A workbench for one agent. Its minutes end with the stage's time: what nobody waits for any more spends nothing."""
    limits = bench.rules.limits
    if stage.timeout is not None:
        limits = replace(limits, minutes=min(limits.minutes, stage.timeout / 60))
    return replace(bench, folder=folder, rules=replace(bench.rules, limits=limits))


def _no_model(definition: Definition, stages: list[StageDeclaration]) -> PreconditionFailed:
    named = ", ".join(f"`{stage.id}`" for stage in stages)
    return PreconditionFailed(
        f"`{definition.name}` asks a language model, and there is none.",
        why=f"The stages {named} ask one. Neither ANTHROPIC_API_KEY nor ASKFIRST_PROVIDER is set, and no file of replies is given.",
        what_to_do="Set ANTHROPIC_API_KEY (in a workflow: a repository secret), or replay replies: --replay FILE\n"
        "Without a model: --definition gate ends with the ticket, from which any other coder can start.",
    )


def _agent_of(stage: StageDeclaration, own: Path) -> Agent:
    """The agent of a stage: the repository's own file, else the shipped one. What it completes with, the stage says."""
    shipped = find_agent(stage.uses, [_TEMPLATES])
    chosen = stage.options.agent if isinstance(stage.options, AgentChoice) else None
    try:
        found = find_agent(chosen or stage.uses, [own, _TEMPLATES])
    except AgentFileInvalid as error:
        raise DefinitionInvalid(
            f"The agent of stage `{stage.id}` cannot be used.",
            why=str(error),
            what_to_do=f"Correct the file, or start from the shipped one: pipeline/agents/templates/{stage.uses}.md",
        ) from error
    return replace(found, output_schema=shipped.output_schema, output=shipped.output)
