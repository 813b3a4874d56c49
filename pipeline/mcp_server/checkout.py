"""The checkout that a server works on: its explanations, and the runs of its gate.

A client waits for the server to start, so what reads code and runs stages is imported with the first call that needs it.
"""

import gc
import hashlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.contract.answers import Answer, Answers
from pipeline.contract.artifact import CLARIFICATION_FILE
from pipeline.contract.clarification import Clarification
from pipeline.contract.point_reply import answer_in_words
from pipeline.domain.errors import TicketUnreadable
from pipeline.mcp_server.form import PersonsAnswer
from pipeline.run_inputs.issue_source import issue_name, repository_of_origin

if TYPE_CHECKING:
    from pipeline.explanation.explanation import Explanation
    from pipeline.run_record.run_directory import Ending


@dataclass(frozen=True)
class Checkout:
    """A checkout, and the runs of this server on it.

    `folder` holds the directories of the runs, one for each ticket: an answered one goes on where it stopped.
    """

    repository: Path
    folder: Path
    environment: Mapping[str, str]
    _one_run_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def explain(self, ticket: str) -> "Explanation":
        """Why a run on this ticket would ask, or would not.

        Raises:
            PipelineError: the ticket or the checkout cannot be read.
        """
        from pipeline.explanation.explanation import explain
        from pipeline.reading.document import read_issue
        from pipeline.reading.templates import parse_templates
        from pipeline.run.indexes import Indexes
        from pipeline.run_inputs.inputs import read_start
        from pipeline.run_record.redaction import Redactor
        from pipeline.settings.repository_settings import RepositorySettings
        from pipeline.stages.reading.template_files import read_template_files
        from pipeline.terminal.progress import Progress

        source = self._source(ticket)
        start = read_start(source, root=self.repository, answers=None, environment=self.environment)
        templates = parse_templates(read_template_files(self.repository)).templates
        document = read_issue(start.ticket, templates, start.ticket.labels)
        with self._in_turn(), Progress(sys.stderr) as progress:
            indexes = Indexes(self.repository, on_progress=progress.indexing)
            ranking = indexes.rank(document)
            decisions = RepositorySettings(self.repository).decisions
            explanation = explain(document, ranking, indexes.registry(), Answers(), decisions)
        return Redactor.from_environment(self.environment).redact_model(explanation)

    def with_labels(self, ticket: str, answers: tuple[PersonsAnswer, ...]) -> tuple[PersonsAnswer, ...]:
        """The same answers, with the words of the plan added to one that answers the plan of the last run: a run that makes its
        plan anew does not know it.
        """
        document = self.folder / _key(ticket) / CLARIFICATION_FILE
        if not document.is_file():
            return answers
        question = Clarification.model_validate_json(document.read_bytes()).question
        return tuple(
            answer.model_copy(update={"label": answer_in_words(question, answer.points, answer.words)})
            if question.has_points and answer.question_id == question.id and answer.label is None
            else answer
            for answer in answers
        )

    def run(self, ticket: str, answers: tuple[PersonsAnswer, ...]) -> "Ending":
        """How the gate ends for a ticket, with these answers.

        Raises:
            RunDirectoryUnusable: the disk refuses. Every other error is an ending.
            TicketUnreadable: the name of the issue is none, or an answer is none.
        """
        from pipeline.run.pipeline_run import run_pipeline
        from pipeline.run.run import Replies, RunRequest

        directory = self.folder / _key(ticket)
        source = self._source(ticket)
        with self._in_turn():
            answers_path = self._write_answers(ticket, answers)
            resume = directory if directory.is_dir() else None
            request = RunRequest(self.repository, source, "gate", answers_path, directory, resume, Replies())
            return run_pipeline(request)

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Use the indexes, one call after another, and let go of them afterwards.

        A registry is frozen (`gc.freeze`), because it lives as long as the process of a run. Here many come and go: what is
        frozen and refers to itself would never be collected.
        """
        with self._one_run_at_a_time:
            try:
                yield
            finally:
                gc.unfreeze()

    def _write_answers(self, ticket: str, answers: tuple[PersonsAnswer, ...]) -> Path:
        try:
            all_answers = Answers(
                answers=tuple(Answer.model_validate(answer.model_dump()) for answer in answers)
            )
        except ValueError as error:
            raise TicketUnreadable(
                "An answer is not usable.",
                why="It holds one of `choice` (the id of an option), `choices` (several), `points` (of several) and `text` (words of "
                "the person).",
                what_to_do='{"question_id": "q-…", "slot": "…", "choice": "…"}',
            ) from error
        path = self.folder / f"{_key(ticket)}.answers.json"
        path.write_text(all_answers.model_dump_json(), encoding="utf-8")
        return path

    def _source(self, ticket: str) -> str:
        """What stands for the ticket on a command line: the name of an issue, or a file of ours with the text.

        A text is never taken for a path: the agent may have it from an issue that somebody else wrote.

        Raises:
            TicketUnreadable: it is an address, and not that of an issue, or it is an issue of another repository.
        """
        name = ticket.strip()
        if name.isdecimal():
            return name
        issue = issue_name(name) if "\n" not in name else None
        if issue is not None:
            origin = repository_of_origin(self.repository, self.environment, issue.host)
            if (origin or "").lower() == issue.repository.lower():
                return name
            raise TicketUnreadable(
                f"{name} is not read.",
                why="It is not of this checkout's repository, and an agent may have it from a text that somebody else wrote.",
                what_to_do="Pass the text of the issue.",
            )
        path = self.folder / f"{_key(ticket)}.md"
        path.write_text(ticket if name.startswith("#") else f"# {name}", encoding="utf-8")
        return os.fspath(path)


def _key(ticket: str) -> str:
    return hashlib.sha256(ticket.encode()).hexdigest()[:16]
