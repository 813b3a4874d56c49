"""The run directory: where everything lies that a run leaves behind, each file whole or absent, none with a secret in it."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson
from pydantic import BaseModel, JsonValue

from pipeline.contract.artifact import (
    CHANGE_FILE,
    CLARIFICATION_FILE,
    ENDINGS,
    FAILURE_FILE,
    RUN_FILE,
    SUMMARY_FILE,
    TICKET_FILE,
)
from pipeline.contract.clarification import Clarification
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket
from pipeline.domain.errors import PipelineError, RunDirectoryRefused, RunDirectoryUnusable
from pipeline.run_record.redaction import Redactor

JOURNAL_FILE = "journal.jsonl"
GIVEN_TICKET_FILE = "given-ticket.json"
"""The ticket that a run was given, where it did not find one out itself."""
TYPED_TICKET_FILE = "typed-ticket.md"
"""The text that came on standard input, which cannot be read a second time."""
PIPED_ANSWERS_FILE = "piped-answers.json"
"""The answers that came through a pipe, which cannot be read a second time either."""
STAGES = "stages"
OUTPUT_FILE = "output.json"
EARLIER = "earlier"
"""Folder for the endings of runs that were resumed in the same directory, numbered from 1."""

Ending = Clarification | Failure | Ticket
"""The documents of which a finished run has exactly one."""


class RunDirectory:
    """One run's directory, laid out as design says: `run.json`, `journal.jsonl`, `stages/<id>/output.json`, one ending."""

    def __init__(self, path: Path, redactor: Redactor) -> None:
        """Use a directory that exists. `create` makes one and looks whether it may be used."""
        self.path = path
        self.redactor = redactor

    @classmethod
    def create(cls, path: Path, redactor: Redactor, *, resume: bool = False) -> Self:
        """Make a directory for a new run, or take the one of the run that is being resumed.

        What a resumed run's first part ended with is moved to `earlier/<n>/`, so that the directory has one ending. A new
        one has a `.gitignore`, so that git does not offer it for a commit.

        Raises:
            RunDirectoryRefused: the name is hidden, the directory holds a run that is not being resumed, or it
                cannot be written.
        """
        _refuse_hidden(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if not any(path.iterdir()):
                (path / ".gitignore").write_text("*\n", encoding="utf-8")
            present_files = [
                name for name in (*ENDINGS, CHANGE_FILE, RUN_FILE, SUMMARY_FILE) if (path / name).exists()
            ]
            inputs = [name for name in (TYPED_TICKET_FILE, PIPED_ANSWERS_FILE) if (path / name).exists()]
            if not resume and (present_files or inputs or (path / JOURNAL_FILE).exists()):
                raise RunDirectoryRefused(
                    f"{path} holds a run already",
                    why=f"it has {', '.join([*present_files, *inputs])}"
                    if present_files or inputs
                    else "it has a journal of a run that did not finish",
                    what_to_do=f"Go on with that run: --resume {path}\nOr start in another place: --run-directory DIR",
                )
            if present_files:
                _set_aside(path, present_files)
            if not os.access(path, os.W_OK | os.X_OK):
                raise PermissionError(13, "Permission denied")
        except OSError as error:
            raise _unusable(path, error, RunDirectoryRefused) from error
        return cls(path, redactor)

    @property
    def journal_path(self) -> Path:
        """Where the journal lies."""
        return self.path / JOURNAL_FILE

    def write_ending(self, ending: Ending) -> None:
        """Write the one document that says how the run ended.

        Raises:
            RunDirectoryUnusable: there is an ending already, or the disk refuses.
        """
        there = [name for name in ENDINGS if (self.path / name).exists()]
        if there:
            raise RunDirectoryUnusable(
                f"the run has ended already, with {there[0]}",
                why="a run directory holds exactly one ending, and a second one would contradict it",
                what_to_do="Report this as a defect of askfirst, with the journal.",
            )
        match ending:
            case Clarification():
                self.write_document(CLARIFICATION_FILE, ending)
            case Failure():
                self.write_document(FAILURE_FILE, ending)
            case Ticket():
                self.write_document(TICKET_FILE, ending)

    def keep_defect(
        self,
        environment: Mapping[str, str],
        _type: type[BaseException] | None,
        error: BaseException | None,
        _where: TracebackType | None,
    ) -> None:
        """Give a run that something unexpected breaks an ending that says so, and tell GitHub Actions: an exit of a context.

        The journal gets the traceback, without secrets.
        """
        if not isinstance(error, Exception) or isinstance(error, PipelineError):
            return
        from pipeline.run_record.events import RunBroke, traceback_of
        from pipeline.run_record.github_outputs import report_to_github
        from pipeline.run_record.journal import Journal

        advice = (
            "Attach the run directory to the report: its journal has the traceback, and it holds no secrets."
        )
        ending = Failure(
            kind="UnexpectedError",
            stage=None,
            message=f"Internal error (please report): {type(error).__name__}: {error}",
            why="This is a defect of askfirst, not of the ticket or the repository.",
            what_to_do=advice,
            run=None,
        )
        self.write_ending(ending)
        with Journal(self.journal_path, self.redactor) as journal:
            journal.write(RunBroke(message=ending.message, traceback=traceback_of(error)))
        report_to_github(self.path, ExitCode.PIPELINE_ERROR, environment)
        error.add_note(advice)

    def without_secrets(self, ending: Ending) -> Ending:
        """The ending as the directory stores it, without secrets, to be shown."""
        data: dict[str, JsonValue] = ending.model_dump(mode="json")
        clean = self.redactor.redact_object(data)
        return ending if clean is data else type(ending).model_validate(clean)

    def write_document(self, name: str, document: BaseModel) -> None:
        """Write `run.json`, `change.json`, or what a later resumption needs: the ticket or the answers that were given.

        Raises:
            RunDirectoryUnusable: the disk refuses.
        """
        data: dict[str, JsonValue] = document.model_dump(mode="json")
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        self._write(self.path / name, orjson.dumps(self.redactor.redact_object(data), option=options))

    def write_text(self, name: str, text: str) -> None:
        """Write `summary.md`, or the ticket that came on standard input, to resume the run.

        Raises:
            RunDirectoryUnusable: the disk refuses.
        """
        self._write(self.path / name, self.redactor.redact(text).encode("utf-8", "replace"))

    def write_stage_output(self, stage: str, envelope: bytes, *, round_: int | None = None) -> None:
        """Write `stages/<id>/output.json`, or `stages/<id>/round-<n>/output.json`, whole or not at all.

        The caller has made sure that it holds no secret: a changed result must not be stored. It is not forced to the
        disk as endings are, because a result that a power cut damages is computed again.

        Raises:
            RunDirectoryUnusable: the disk refuses.
        """
        self._write(stage_output_path(self.path / STAGES, stage, round_), envelope, sync=False)

    def _write(self, path: Path, data: bytes, *, sync: bool = True) -> None:
        partial = path.with_name(f"{path.name}.partial")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                file.write(data)
                if sync:
                    file.flush()
                    os.fsync(file.fileno())
            partial.replace(path)
        except OSError as error:
            raise _unusable(self.path, error) from error


def holds_earlier_run(path: Path) -> bool:
    """Whether a run can be resumed from here: a run directory, a prepared ticket, or an unpacked memo."""
    patterns = (
        *(JOURNAL_FILE, RUN_FILE, GIVEN_TICKET_FILE, *ENDINGS, STAGES),
        *(f"*/{OUTPUT_FILE}", f"*/round-*/{OUTPUT_FILE}"),
    )
    return any(True for pattern in patterns for _ in path.glob(pattern))


def stage_output_path(stages: Path, stage: str, round_: int | None) -> Path:
    """Where a stage's result lies in a folder `stages`."""
    folder = stages / stage
    return (folder if round_ is None else folder / f"round-{round_}") / OUTPUT_FILE


def _refuse_hidden(path: Path) -> None:
    names = [path.name] if path.is_absolute() else path.parts
    hidden_names = [name for name in names if name.startswith(".") and name not in {".", ".."}]
    if hidden_names:
        raise RunDirectoryRefused(
            f"{path} cannot be the run directory, because {hidden_names[0]} is a hidden name",
            why="GitHub's artifact upload leaves hidden files out, so the result of the run would never arrive",
            what_to_do="Choose a name without a dot in front, such as: --run-directory askfirst-run",
        )


def _set_aside(path: Path, names: list[str]) -> None:
    number = 1
    while (aside := path / EARLIER / str(number)).exists():
        number += 1
    aside.mkdir(parents=True)
    for name in names:
        (path / name).replace(aside / name)


def _unusable(
    path: Path, error: OSError, kind: type[RunDirectoryUnusable] = RunDirectoryUnusable
) -> RunDirectoryUnusable:
    return kind(
        f"{path} cannot be used as the run directory",
        why=error.strerror or str(error),
        what_to_do="Choose a directory that can be written: --run-directory DIR",
    )
