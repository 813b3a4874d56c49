"""A whole run: from its directory to its ending, whatever happens in between."""

import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from pipeline.contract.answers import Answers
from pipeline.contract.artifact import exit_code_of
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.run import Outcome, RunRecord
from pipeline.contract.ticket import Ticket
from pipeline.contract.version import VERSION
from pipeline.contract.wire import RunIdentity
from pipeline.definition.definition import Definition
from pipeline.definition.draw import as_mermaid
from pipeline.definition.loader import load
from pipeline.domain.errors import PipelineError, PreconditionFailed, RoundsSpent, TicketUnreadable
from pipeline.engine.executor import RunResult, execute
from pipeline.engine.memo import Memo
from pipeline.run.agents import CostPerRound, RunAgents, open_agents, work_of_agents
from pipeline.run.checkouts import Checkouts, note_on_settings, open_checkouts
from pipeline.run.explorers import puts_plan
from pipeline.run.indexes import Indexes
from pipeline.run.models import Replies, RunModel, open_model
from pipeline.run.result import change_of, ending_of, failure, outcome_of, round_of
from pipeline.run.stage_graph import build_graph
from pipeline.run_inputs.given_ticket import read_given_ticket, refuse_another_ticket
from pipeline.run_inputs.inputs import Start, issue_reader, notes_reader, read_start
from pipeline.run_inputs.issue_source import STANDARD_INPUT
from pipeline.run_inputs.memo import unpack_memo
from pipeline.run_record.events import ConfinementChosen, Note, RunFinished, RunStarted
from pipeline.run_record.github_outputs import report_to_github
from pipeline.run_record.journal import Journal, asked_by_agents
from pipeline.run_record.parts import earlier_parts
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import Ending, RunDirectory
from pipeline.run_record.summary import render_summary
from pipeline.run_record.unfinished import UnfinishedRun
from pipeline.stages.context import RunContext, RunInput
from pipeline.terminal.progress import Progress, is_watched
from pipeline.workbench.agent_sources import AgentSources

MAX_ROUNDS = 3
"""Questions in one conversation."""

_PROCESS_TOOLS = frozenset({RunInput.WORKBENCH, RunInput.PROGRAMS})
"""What starts processes of the repository's choice: the run says how they are confined."""


@dataclass(frozen=True)
class RunRequest:
    """What a run shall do, and where."""

    repository: Path
    issue: str
    definition: str
    answers: Path | None
    directory: Path
    resume: Path | None
    replies: Replies


def run_pipeline(request: RunRequest, unfinished_run: UnfinishedRun) -> Ending:
    """Run, and leave everything in the run directory. The ending is the one that is written there, without secrets.

    Raises:
        RunDirectoryUnusable: the directory cannot hold this run. Every other error is an ending.
    """
    start_time = datetime.now(UTC)
    redactor = Redactor.from_environment(os.environ)
    given_ticket = _given_ticket(request.resume)
    directory = RunDirectory.create(request.directory, redactor, resume=request.resume is not None)
    unfinished_run.begin(directory)
    if isinstance(given_ticket, Ticket):
        directory.write_given_ticket(given_ticket)
    with ExitStack() as cleanup:
        progress = cleanup.enter_context(Progress(sys.stderr, live=is_watched(sys.stderr, os.environ)))
        journal = cleanup.enter_context(Journal(directory.journal_path, redactor, listeners=[progress]))
        attempt = _Attempt(request, given_ticket, directory, journal, progress, cleanup, start_time)
        ending, result = attempt.run()
        outcome = outcome_of(ending)
        journal.write(RunFinished(outcome=outcome, exit_code=exit_code_of(ending)))
    directory.write_ending(ending)
    record = attempt.record(outcome, exit_code_of(ending), result)
    directory.write_run(record)
    agents = work_of_agents(directory, record.stages)
    child_questions = asked_by_agents(directory.journal_path)
    earlier = earlier_parts(directory.journal_path) if request.resume is not None else ()
    drawing = attempt.drawing(result)
    summary = render_summary(record, ending, child_questions, earlier=earlier, mermaid=drawing, agents=agents)
    directory.write_summary(summary)
    unfinished_run.end()
    report_to_github(directory.path, exit_code_of(ending), os.environ)
    return directory.without_secrets(ending)


@dataclass
class _Attempt:
    """What a run finds out on its way; what it has found when it fails belongs into its record."""

    request: RunRequest
    given_ticket: Ticket | PipelineError | None
    directory: RunDirectory
    journal: Journal
    progress: Progress
    cleanup: ExitStack
    start_time: datetime
    definition: Definition | None = None
    identity: RunIdentity | None = None
    model: str | None = None
    confinement: str | None = None
    replies: Literal["model", "recorded", "scripted"] = "model"

    def run(self) -> tuple[Ending, RunResult | None]:
        """The ending, and what the stages came to if they were reached."""
        try:
            result, start = self._run_stages()
        except PipelineError as error:
            return failure(error, None, self.identity), None
        ending = ending_of(result, start, self.identity, self.definition, self.replies)
        change = change_of(result, ending)
        if change is not None:
            self.directory.write_change(change)
        return ending, result

    def _run_stages(self) -> tuple[RunResult, Start]:
        request = self.request
        start = read_start(
            request.issue, root=request.repository, answers=request.answers, environment=os.environ
        )
        if request.issue == STANDARD_INPUT:
            self.directory.write_typed_ticket(start.ticket.as_markdown)
        if request.answers is not None and not request.answers.is_file():
            self.directory.write_piped_answers(start.answers)
        checkouts = open_checkouts(
            request.repository, start.wanted_changes, start.expected_commit, self.cleanup
        )
        self.identity = start.identity(checkouts.checkout.commit)
        if (note := note_on_settings(checkouts, os.environ)) is not None:
            self._note(None, note)
        self.definition = load(request.definition, agents=checkouts.settings.agents)
        _refuse_another_commit(start, checkouts.checkout.commit)
        _refuse_more_rounds(start.answers)
        sources = self._memo_sources(start)
        self.journal.write(
            RunStarted(
                run_id=start.run_id,
                definition=self.definition.name,
                resumed_from=str(sources[0]) if sources else None,
            )
        )
        if start.wanted_changes is not None:
            changes = start.wanted_changes
            self._note(None, f"Pull request #{changes.pull_request} is changed again, {changes.reason}.")
        context, models = self._context(self.definition, start, checkouts)
        graph = build_graph(self.definition, context, _ticket_for(self.given_ticket, start, checkouts))
        dollars = CostPerRound(models.ledger) if models else None
        return execute(graph, self.journal, memo=Memo(self.directory, sources), dollars=dollars), start

    def _context(
        self, definition: Definition, start: Start, checkouts: Checkouts
    ) -> tuple[RunContext, RunModel | None]:
        """Everything that stages may use, and the model; what agents need only where there are agents."""
        request = self.request
        indexes = Indexes(checkouts.base, on_progress=self.progress.indexing)
        decisions = checkouts.settings.decisions
        model = open_model(
            definition,
            request.replies,
            settings=checkouts.settings,
            directory=self.directory,
            environment=os.environ,
            note=partial(self._note, None),
            on_progress=self.progress.reply,
            cleanup=self.cleanup,
        )
        notes = notes_reader(start, self.directory.path, self.start_time, os.environ)
        changed_code = indexes if start.wanted_changes is None else Indexes(checkouts.checkout_root)
        sources = AgentSources(
            registry=changed_code.registry,
            base_registry=indexes.registry,
            find_places=indexes.places_of,
            issues=issue_reader(start, request.repository, os.environ),
            notes_of_people=notes.for_round if notes is not None else lambda _: (),
            note=self._note,
            tell=self.journal.write,
            environment=os.environ,
        )
        agents = open_agents(
            definition, model, request.repository, checkouts, start, sources, self.directory, self.cleanup
        )
        if any(stage.kind.reads & _PROCESS_TOOLS for stage in definition.every_stage):
            self._say_confinement()
        if model is not None:
            self._say_model(model, agents)

        def programs(_stage: str) -> object:
            from pipeline.workbench.own_command import OwnCommands

            return OwnCommands(checkouts.base, checkouts.tree.commit, os.environ)

        context = RunContext(
            ticket=start.ticket,
            identity=start.identity,
            tree=checkouts.tree,
            checkout=checkouts.checkout,
            indexes=indexes,
            answers=start.answers,
            wanted_changes=start.wanted_changes,
            decisions=decisions,
            puts_plan=puts_plan(definition, model, start, checkouts.settings),
            model=model,
            agents=agents,
            tools={RunInput.PROGRAMS: programs, **(agents.tools if agents is not None else {})},
            waits_for_approval=checkouts.settings.approval_rule,
            holds_secret=self.directory.redactor.knows,
            note=self._note,
        )
        return context, model

    def _say_model(self, model: RunModel, agents: RunAgents | None) -> None:
        self.model = model.in_words
        if agents is not None:
            self.replies = agents.bench.model.origin.value
        if model.is_a_file:
            self._note(None, f"The replies of the models come from a file: {model.in_words}.")

    def _say_confinement(self) -> None:
        from pipeline.confinement.confinement import Confinement

        confinement = Confinement.of_this_machine()
        self.confinement = confinement.in_words
        self.journal.write(
            ConfinementChosen(
                namespaces=confinement.namespaces,
                landlock=confinement.landlock,
                sockets=confinement.sockets,
                text=confinement.in_words,
            )
        )

    def _note(self, stage: str | None, text: str) -> None:
        """Something that the run says, or a stage beside its result."""
        self.journal.write(Note(stage=stage, text=text))

    def _memo_sources(self, start: Start) -> list[Path]:
        for note in ((start.memo_note,) if start.memo_note else ()) + start.ticket.notes:
            self._note(None, note)
        if self.request.resume is not None:
            return [self.request.resume]
        if start.memo is None:
            return []
        folder = Path(self.cleanup.enter_context(tempfile.TemporaryDirectory(prefix="askfirst-memo-")))
        return [unpack_memo(start.memo, folder)]

    def drawing(self, result: RunResult | None) -> str | None:
        """The definition as Mermaid text, each stage coloured by how it ended."""
        if self.definition is None or result is None:
            return None
        return as_mermaid(self.definition, {record.id: record.status for record in result.records})

    def record(self, outcome: Outcome, code: ExitCode, result: RunResult | None) -> RunRecord:
        """`run.json`."""
        return RunRecord(
            askfirst=VERSION,
            definition=self.definition.name if self.definition else self.request.definition,
            definition_sha256=self.definition.sha256 if self.definition else "0" * 64,
            identity=self.identity,
            model=self.model,
            resumed_from=str(self.request.resume) if self.request.resume else None,
            confinement=self.confinement,
            started_at=self.start_time,
            finished_at=datetime.now(UTC),
            outcome=outcome,
            exit_code=code,
            stages=result.records if result else (),
        )


def _ticket_for(
    given_ticket: Ticket | PipelineError | None, start: Start, checkouts: Checkouts
) -> Ticket | None:
    """The ticket that was prepared elsewhere, if it is one of this run.

    Raises:
        PipelineError: it cannot be read, or is about something else.
    """
    if isinstance(given_ticket, PipelineError):
        raise given_ticket
    if given_ticket is not None:
        refuse_another_ticket(given_ticket, start.identity(checkouts.tree.commit))
    return given_ticket


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
