"""A whole run: from its directory to its ending, whatever happens in between."""

import os
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pipeline.contract.answers import MAX_ROUNDS, Answers
from pipeline.contract.artifact import CHANGE_FILE, RUN_FILE, SUMMARY_FILE, exit_code_of
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
from pipeline.run.agents import CostPerRound, open_agents, puts_plan, work_of_agents
from pipeline.run.checkouts import note_on_settings, open_checkouts
from pipeline.run.indexes import Indexes
from pipeline.run.models import RunModel, open_model
from pipeline.run.result import change_of, ending_of, failure, outcome_of, without_labels
from pipeline.run.run import Run, RunPlace, RunRequest
from pipeline.run.stage_graph import build_graph
from pipeline.run_inputs.inputs import (
    Start,
    read_given_ticket,
    read_start,
    reader_of_ticket,
    refuse_another_ticket,
)
from pipeline.run_inputs.issue_source import STANDARD_INPUT
from pipeline.run_inputs.memo import unpack_memo
from pipeline.run_record.events import ConfinementChosen, RunFinished, RunStarted
from pipeline.run_record.github_outputs import report_to_github
from pipeline.run_record.journal import Journal, asked_by_agents, earlier_parts
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import (
    GIVEN_TICKET_FILE,
    PIPED_ANSWERS_FILE,
    TYPED_TICKET_FILE,
    Ending,
    RunDirectory,
)
from pipeline.run_record.summary import render_summary
from pipeline.stages.context import RunContext, RunInput
from pipeline.terminal.progress import Progress, is_watched

_PROCESS_TOOLS = frozenset({RunInput.WORKBENCH, RunInput.PROGRAMS})
"""Run inputs that start processes of the repository's choice: the run says how they are confined."""


def run_pipeline(request: RunRequest) -> Ending:
    """Run, and leave everything in the run directory. The ending is the one that is written there, without secrets.

    Raises:
        RunDirectoryUnusable: the directory cannot hold this run. Every other error is an ending.
    """
    start_time = datetime.now(UTC)
    redactor = Redactor.from_environment(os.environ)
    given_ticket = _given_ticket(request.resume)
    directory = RunDirectory.create(request.directory, redactor, resume=request.resume is not None)
    if isinstance(given_ticket, Ticket):
        directory.write_document(GIVEN_TICKET_FILE, given_ticket)
    with ExitStack() as cleanup:
        cleanup.push(partial(directory.keep_defect, os.environ))
        progress = cleanup.enter_context(Progress(sys.stderr, live=is_watched(sys.stderr, os.environ)))
        journal = cleanup.enter_context(Journal(directory.journal_path, redactor, listeners=[progress]))
        place = RunPlace(
            request=request,
            directory=directory,
            journal=journal,
            progress=progress,
            start_time=start_time,
            environment=os.environ,
            cleanup=cleanup,
        )
        attempt = _Attempt(place, given_ticket)
        ending, result = attempt.run()
        ending = ending if attempt.is_labelled else without_labels(ending)
        outcome = outcome_of(ending)
        journal.write(RunFinished(outcome=outcome, exit_code=exit_code_of(ending)))
    directory.write_ending(ending)
    record = attempt.record(outcome, exit_code_of(ending), result)
    directory.write_document(RUN_FILE, record)
    agents = work_of_agents(directory, record.stages)
    child_questions = asked_by_agents(directory.journal_path)
    earlier = earlier_parts(directory.journal_path) if request.resume is not None else ()
    drawing = attempt.drawing(result)
    summary = render_summary(record, ending, child_questions, earlier=earlier, mermaid=drawing, agents=agents)
    directory.write_text(SUMMARY_FILE, summary)
    report_to_github(directory.path, exit_code_of(ending), os.environ)
    return directory.without_secrets(ending)


@dataclass
class _Attempt:
    """What a run finds out on its way; what it has found when it fails belongs into its record."""

    place: RunPlace
    given_ticket: Ticket | PipelineError | None
    definition: Definition | None = None
    identity: RunIdentity | None = None
    model: RunModel | None = None
    confinement: str | None = None
    is_labelled: bool = False

    def run(self) -> tuple[Ending, RunResult | None]:
        """The ending, and what the stages came to if they were reached."""
        try:
            run = self._begin()
            memo = self._memo(run)
            context = self._context(run)
            graph = build_graph(run.definition, context, _ticket_for(self.given_ticket, run))
            dollars = CostPerRound(self.model.ledger) if self.model else None
            result = execute(graph, self.place.journal, memo=memo, dollars=dollars)
        except PipelineError as error:
            return failure(error, None, self.identity), None
        ending = ending_of(
            result,
            run.start,
            run.identity,
            run.definition,
            self.model.model.origin.value if self.model is not None else "model",
        )
        change = change_of(result, ending)
        if change is not None:
            self.place.directory.write_document(CHANGE_FILE, change)
        return ending, result

    def _begin(self) -> Run:
        """Read and check everything that the run is started with."""
        place, request = self.place, self.place.request
        start = read_start(
            request.issue, root=request.repository, answers=request.answers, environment=os.environ
        )
        if request.issue == STANDARD_INPUT:
            place.directory.write_text(TYPED_TICKET_FILE, start.ticket.as_markdown)
        if request.answers is not None and not request.answers.is_file():
            place.directory.write_document(PIPED_ANSWERS_FILE, start.answers)
        checkouts = open_checkouts(
            request.repository, start.wanted_changes, start.expected_commit, place.cleanup
        )
        self.identity = start.identity(checkouts.checkout.commit)
        self.is_labelled = start.nonce is not None or start.ticket.labelled_by is not None
        note = note_on_settings(checkouts, os.environ)
        self.definition = load(request.definition, agents=checkouts.settings.agents)
        _refuse_another_commit(start, checkouts.checkout.commit)
        _refuse_more_rounds(start.answers)
        run = Run(**vars(self.place), start=start, checkouts=checkouts, definition=self.definition)
        for sentence in (note, start.memo_note, *start.ticket.notes):
            if sentence is not None:
                run.note(None, sentence)
        return run

    def _memo(self, run: Run) -> Memo:
        """Results of earlier runs: of the directory that is resumed, else of the memo that this run was started with."""
        resumed_from = run.request.resume
        if resumed_from is None and run.start.memo is not None:
            folder = run.cleanup.enter_context(tempfile.TemporaryDirectory(prefix="askfirst-memo-"))
            resumed_from = unpack_memo(run.start.memo, Path(folder))
        run.journal.write(
            RunStarted(
                run_id=run.start.run_id,
                definition=run.definition.name,
                resumed_from=None if resumed_from is None else str(resumed_from),
            )
        )
        changes = run.start.wanted_changes
        if changes is not None:
            run.note(None, f"Pull request #{changes.pull_request} is changed again, {changes.reason}.")
        return Memo(run.directory, () if resumed_from is None else (resumed_from,))

    def _context(self, run: Run) -> RunContext:
        """Everything that stages may use; what agents need only where there are agents."""
        start, checkouts = run.start, run.checkouts
        indexes = Indexes(checkouts.base, on_progress=run.progress.indexing)
        self.model = open_model(run)
        agents = open_agents(run, self.model, indexes)
        if any(stage.kind.reads & _PROCESS_TOOLS for stage in run.definition.every_stage):
            self._say_confinement()
        if self.model is not None and self.model.is_a_file:
            run.note(None, f"The replies of the models come from a file: {self.model.in_words}.")

        def programs(_stage: str) -> object:
            from pipeline.workbench.programs import OwnCommands

            return OwnCommands(checkouts.base, checkouts.tree.commit, os.environ)

        def linked_work(stage: str) -> object:
            from pipeline.run.linked_work import finder

            reader = reader_of_ticket(start.ticket, os.environ)
            return finder(checkouts.base, reader, partial(run.note, stage))

        def waits_for_approval(path: str) -> str | None:
            return run.settings.gate.approval_rule(path)  # read only where something is edited

        return RunContext(
            ticket=start.ticket,
            identity=start.identity,
            tree=checkouts.tree,
            checkout=checkouts.checkout,
            indexes=indexes,
            answers=start.answers,
            wanted_changes=start.wanted_changes,
            decisions=run.settings.decisions,
            testing=run.settings.configuration.testing,
            puts_plan=puts_plan(run, self.model),
            model=self.model,
            agents=agents,
            tools={
                RunInput.PROGRAMS: programs,
                RunInput.LINKED_WORK: linked_work,
                **(agents.tools if agents is not None else {}),
            },
            waits_for_approval=waits_for_approval,
            holds_secret=run.directory.redactor.knows,
            note=run.note,
        )

    def _say_confinement(self) -> None:
        from pipeline.confinement.confinement import Confinement

        confinement = Confinement.of_this_machine()
        self.confinement = confinement.in_words
        self.place.journal.write(
            ConfinementChosen(
                namespaces=confinement.namespaces,
                landlock=confinement.landlock,
                sockets=confinement.sockets,
                text=confinement.in_words,
            )
        )

    def drawing(self, result: RunResult | None) -> str | None:
        """The definition as Mermaid text, each stage coloured by how it ended."""
        if self.definition is None or result is None:
            return None
        return as_mermaid(self.definition, {record.id: record.status for record in result.records})

    def record(self, outcome: Outcome, code: ExitCode, result: RunResult | None) -> RunRecord:
        """`run.json`."""
        return RunRecord(
            askfirst=VERSION,
            definition=self.definition.name if self.definition else self.place.request.definition,
            definition_sha256=self.definition.sha256 if self.definition else "0" * 64,
            identity=self.identity,
            model=self.model.in_words if self.model else None,
            resumed_from=str(self.place.request.resume) if self.place.request.resume else None,
            confinement=self.confinement,
            started_at=self.place.start_time,
            finished_at=datetime.now(UTC),
            outcome=outcome,
            exit_code=code,
            stages=result.records if result else (),
        )


def _ticket_for(given_ticket: Ticket | PipelineError | None, run: Run) -> Ticket | None:
    """The ticket that was prepared elsewhere, if it is one of this run.

    Raises:
        PipelineError: it cannot be read, or is about something else.
    """
    if isinstance(given_ticket, PipelineError):
        raise given_ticket
    if given_ticket is not None:
        refuse_another_ticket(given_ticket, run.start.identity(run.checkouts.tree.commit))
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
    if answers.round > MAX_ROUNDS + 1:
        raise RoundsSpent(
            f"{MAX_ROUNDS} questions were answered on this ticket already.",
            why="A conversation that needs more is a ticket that has to be written anew.",
            what_to_do="Put what was answered into the issue's text and set the label again.",
        )
