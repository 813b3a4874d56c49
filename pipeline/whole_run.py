"""A whole run: from its directory to its ending, whatever happens in between."""

import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pipeline.agents_wiring import CostPerRound, open_agent_world, work_of_agents
from pipeline.contract.answers import Answers
from pipeline.contract.artifact import exit_code_of
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.run import Outcome, Run
from pipeline.contract.ticket import Ticket
from pipeline.contract.version import VERSION
from pipeline.contract.wire import RunIdentity
from pipeline.definition.decisions_file import read_decisions
from pipeline.definition.definition import Definition
from pipeline.definition.draw import as_mermaid
from pipeline.definition.loader import load
from pipeline.domain.errors import PipelineError, PreconditionFailed, RoundsSpent, TicketUnreadable
from pipeline.engine.executor import RunResult, execute
from pipeline.engine.memo import Memo
from pipeline.ground import Ground, prepare_ground
from pipeline.indexes import Indexes
from pipeline.model_wiring import Replies, open_models
from pipeline.run_ending import change_of, ending_of, failure, outcome_of, round_of
from pipeline.run_inputs.given_ticket import read_given_ticket, refuse_another_ticket
from pipeline.run_inputs.inputs import Start, issue_reader, notes_reader, read_start
from pipeline.run_inputs.memo import unpack_memo
from pipeline.run_record.events import Confined, Note, RunFinished, RunStarted
from pipeline.run_record.github_outputs import report_to_github
from pipeline.run_record.journal import Journal, asked_by_agents
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import Ending, RunDirectory
from pipeline.run_record.summary import render_summary
from pipeline.run_record.unfinished import Unfinished
from pipeline.terminal import Progress, is_watched
from pipeline.wiring import World, build_graph

MAX_ROUNDS = 3
"""Questions in one conversation."""


@dataclass(frozen=True)
class Order:
    """What a run is asked to do."""

    repository: Path
    issue: str
    definition: str
    answers: Path | None
    directory: Path
    resume: Path | None
    replies: Replies


def carry_out(asked: Order, unfinished: Unfinished) -> Ending:
    """Run, and leave everything in the run directory. The ending is the one that is written there, without secrets.

    Raises:
        RunDirectoryUnusable: the directory cannot hold this run. Every other error is an ending.
    """
    started = datetime.now(UTC)
    redactor = Redactor.from_environment(os.environ)
    given = _given_ticket(asked.resume)
    directory = RunDirectory.create(asked.directory, redactor, resume=asked.resume is not None)
    unfinished.begin(directory)
    if isinstance(given, Ticket):
        directory.write_given_ticket(given)
    with ExitStack() as cleanup:
        progress = cleanup.enter_context(Progress(sys.stderr, live=is_watched(sys.stderr, os.environ)))
        journal = cleanup.enter_context(Journal(directory.journal_path, redactor, listeners=[progress]))
        attempt = _Attempt(asked, given, directory, journal, progress, cleanup, started)
        ending, result = attempt.run()
        outcome = outcome_of(ending)
        journal.write(RunFinished(outcome=outcome, exit_code=exit_code_of(ending)))
    directory.write_ending(ending)
    record = attempt.record(started, outcome, exit_code_of(ending), result)
    directory.write_run(record)
    agents = work_of_agents(directory, record.stages)
    clarified = asked_by_agents(directory.journal_path)
    drawn = attempt.drawing(result)
    directory.write_summary(render_summary(record, ending, clarified, mermaid=drawn, agents=agents))
    unfinished.end()
    report_to_github(directory.path, exit_code_of(ending), os.environ)
    return directory.without_secrets(ending)


class _Attempt:
    """What a run finds out on its way; what it has found when it fails belongs into its record."""

    def __init__(
        self,
        asked: Order,
        given: Ticket | PipelineError | None,
        directory: RunDirectory,
        journal: Journal,
        progress: Progress,
        cleanup: ExitStack,
        started: datetime,
    ) -> None:
        self._asked = asked
        self._given = given
        self._directory = directory
        self._journal = journal
        self._progress = progress
        self._cleanup = cleanup
        self._started = started
        self.definition: Definition | None = None
        self.identity: RunIdentity | None = None
        self.model: str | None = None
        self.confinement: str | None = None
        self._replies: Literal["model", "recorded", "scripted"] = "model"

    def run(self) -> tuple[Ending, RunResult | None]:
        """The ending, and what the stages came to if they were reached."""
        try:
            result, start = self._run_stages()
        except PipelineError as error:
            return failure(error, None, self.identity), None
        ending = ending_of(result, start, self.identity, self.definition, self._replies)
        change = change_of(result, ending)
        if change is not None:
            self._directory.write_change(change)
        return ending, result

    def _run_stages(self) -> tuple[RunResult, Start]:
        asked = self._asked
        start = read_start(asked.issue, root=asked.repository, answers=asked.answers, environment=os.environ)
        ground = prepare_ground(asked.repository, start.wanted, self._cleanup)
        self.identity = start.identity(ground.checkout.commit)
        self.definition = load(ground.definition(asked.definition), own_agents=ground.own_agents)
        _refuse_another_commit(start, ground.checkout.commit)
        _refuse_more_rounds(start.answers)
        sources = self._memo_sources(start)
        self._journal.write(
            RunStarted(
                run_id=start.run_id,
                definition=self.definition.name,
                resumed_from=str(sources[0]) if sources else None,
            )
        )
        if start.wanted is not None:
            self._journal.write(
                Note(
                    text=f"Pull request #{start.wanted.pull_request} is changed again, as {start.wanted.asked_by} asked."
                )
            )
        world = self._world(self.definition, start, ground)
        graph = build_graph(self.definition, world)
        dollars = CostPerRound(world.models.ledger) if world.models else None
        return execute(graph, self._journal, memo=Memo(self._directory, sources), dollars=dollars), start

    def _world(self, definition: Definition, start: Start, ground: Ground) -> World:
        """Everything that stages may touch; what agents need only where there are agents."""
        asked, given = self._asked, self._given
        if isinstance(given, PipelineError):
            raise given
        if given is not None:
            refuse_another_ticket(given, start.identity(ground.tree.commit))
        indexes = Indexes(ground.base, on_progress=self._progress.indexing)
        changed = indexes if start.wanted is None else Indexes(asked.repository)
        decisions = read_decisions(ground.base)
        models = open_models(
            definition,
            asked.replies,
            configured=ground.base,
            directory=self._directory,
            environment=os.environ,
            note=lambda text: self._journal.write(Note(text=text)),
            told=self._progress.reply,
            cleanup=self._cleanup,
        )
        notes = notes_reader(start, self._directory.path, self._started, os.environ)
        agents = open_agent_world(
            definition,
            models,
            repository=asked.repository,
            configured=ground.base,
            identity=start.identity(ground.checkout.commit),
            base_commit=ground.tree.commit,
            answers=start.answers,
            decisions=decisions,
            registry=changed.registry,
            issues=issue_reader(start, asked.repository, os.environ),
            directory=self._directory,
            note=self._note,
            notes_of_people=notes.for_round if notes is not None else lambda _: (),
            tell=self._journal.write,
            environment=os.environ,
            cleanup=self._cleanup,
        )
        if agents is not None or any(stage.uses == "command" for stage in definition.every_stage):
            self._say_confinement()
        if models is not None:
            self.model = models.in_words
            if agents is not None:
                self._replies = agents.bench.model.origin.value
            if models.is_a_file:
                self._journal.write(
                    Note(text=f"The replies of the models come from a file: {models.in_words}.")
                )
        knows = self._directory.redactor.knows
        return World(
            start,
            ground.tree,
            ground.checkout,
            indexes,
            decisions=decisions,
            models=models,
            agents=agents,
            given=given,
            holds_secret=knows,
            note=self._note,
        )

    def _say_confinement(self) -> None:
        from pipeline.workspace.confinement import Confinement

        found = Confinement.of_this_machine()
        self.confinement = found.in_words
        self._journal.write(
            Confined(
                namespaces=found.namespaces,
                landlock=found.landlock,
                sockets=found.sockets,
                text=found.in_words,
            )
        )

    def _note(self, stage: str, text: str) -> None:
        """Something that a stage says beside its result."""
        self._journal.write(Note(stage=stage, text=text))

    def _memo_sources(self, start: Start) -> list[Path]:
        if start.memo_note:
            self._journal.write(Note(text=start.memo_note))
        for note in start.ticket.notes:
            self._journal.write(Note(text=note))
        if self._asked.resume is not None:
            return [self._asked.resume]
        if start.memo is None:
            return []
        folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="askfirst-memo-")))
        return [unpack_memo(start.memo, folder)]

    def drawing(self, result: RunResult | None) -> str | None:
        """The definition as Mermaid text, each stage coloured by how it ended."""
        if self.definition is None or result is None:
            return None
        return as_mermaid(self.definition, {record.id: record.status for record in result.records})

    def record(self, started: datetime, outcome: Outcome, code: ExitCode, result: RunResult | None) -> Run:
        """`run.json`."""
        return Run(
            askfirst=VERSION,
            definition=self.definition.name if self.definition else self._asked.definition,
            definition_sha256=self.definition.sha256 if self.definition else "0" * 64,
            identity=self.identity,
            model=self.model,
            resumed_from=str(self._asked.resume) if self._asked.resume else None,
            confinement=self.confinement,
            started_at=started,
            finished_at=datetime.now(UTC),
            outcome=outcome,
            exit_code=code,
            stages=result.records if result else (),
        )


def _given_ticket(resume: Path | None) -> Ticket | PipelineError | None:
    """What was prepared in the directory, read before the run makes it its own. A mistake is told as the run's ending."""
    try:
        return read_given_ticket(resume)
    except TicketUnreadable as error:
        return error


def _refuse_another_commit(start: Start, commit: str) -> None:
    if start.expected_commit is not None and start.expected_commit != commit:
        raise PreconditionFailed(
            f"The checkout is at {commit[:7]}, and the run was started for {start.expected_commit[:7]}.",
            why="An answer holds for the commit on which its question was asked.",
            what_to_do="Check that commit out: actions/checkout with `ref: ${{ inputs.commit || github.sha }}`",
        )


def _refuse_more_rounds(answers: Answers) -> None:
    if round_of(answers) > MAX_ROUNDS + 1:
        raise RoundsSpent(
            f"{MAX_ROUNDS} questions were answered on this ticket already.",
            why="A conversation that needs more is a ticket that has to be written anew.",
            what_to_do="Put what was answered into the issue's text and set the label `askfirst` again.",
        )
