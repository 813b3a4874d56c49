"""Remembers the run directory of a run that is under way, so that even an unexpected end leaves a `failure.json`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.contract.exit_codes import ExitCode

if TYPE_CHECKING:
    from pipeline.contract.failure import Failure
    from pipeline.run_record.run_directory import RunDirectory

ADVICE = "Attach the run directory to the report: its journal has the traceback, and it holds no secrets."


class UnfinishedRun:
    """At most one run that has begun and has no ending yet."""

    def __init__(self) -> None:
        self._directory: RunDirectory | None = None

    def begin(self, directory: "RunDirectory") -> None:
        """A run has begun in that directory."""
        self._directory = directory

    def end(self) -> None:
        """The run has its ending."""
        self._directory = None

    def fail(self, error: BaseException, environment: Mapping[str, str]) -> bool:
        """Give the run that is under way an ending that says what broke it, and tell GitHub Actions. False if there is none.

        The journal gets the traceback, without secrets.

        Raises:
            RunDirectoryUnusable: the disk refuses, or the run had written its ending already.
        """
        if self._directory is None:
            return False
        from pipeline.run_record.events import RunBroke, traceback_of
        from pipeline.run_record.github_outputs import report_to_github
        from pipeline.run_record.journal import Journal

        directory, self._directory = self._directory, None
        ending = unexpected_failure(error)
        directory.write_ending(ending)
        with Journal(directory.journal_path, directory.redactor) as journal:
            journal.write(RunBroke(message=ending.message, traceback=traceback_of(error)))
        report_to_github(directory.path, ExitCode.PIPELINE_ERROR, environment)
        return True


def unexpected_failure(error: BaseException) -> "Failure":
    """The document for an unexpected error."""
    from pipeline.contract.failure import Failure

    return Failure(
        kind="UnexpectedError",
        stage=None,
        message=f"Internal error (please report): {type(error).__name__}: {error}",
        why="This is a defect of askfirst, not of the ticket or the repository.",
        what_to_do=ADVICE,
        run=None,
    )
