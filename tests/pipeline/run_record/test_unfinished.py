"""A run that breaks unexpectedly still ends."""

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from pipeline.contract.artifact import read_ending
from pipeline.contract.failure import Failure
from pipeline.run_record.events import RunBroke
from pipeline.run_record.journal import read_journal
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import RunDirectory


def test_a_run_that_breaks_leaves_a_failure_and_tells_github(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "askfirst-run", Redactor())
    outputs = tmp_path / "outputs"
    cleanup = ExitStack()
    cleanup.push(partial(directory.keep_defect, {"GITHUB_OUTPUT": str(outputs)}))
    with pytest.raises(ZeroDivisionError) as broken, cleanup:
        raise ZeroDivisionError("division by zero")
    assert broken.value.__notes__[0].startswith("Attach the run directory to the report")
    ending = read_ending(directory.path, exit_code=1)
    assert isinstance(ending, Failure)
    assert ending.message == "Internal error (please report): ZeroDivisionError: division by zero"
    assert "\nerror\n" in outputs.read_text()
    assert (
        "::error title=askfirst%3A UnexpectedError::Internal error (please report): ZeroDivisionError"
        in outputs.read_text()
    )


def test_the_journal_of_a_broken_run_has_the_traceback_without_secrets(tmp_path: Path) -> None:
    secret = "hunter2-and-more"
    directory = RunDirectory.create(tmp_path / "askfirst-run", Redactor((secret,)))
    cleanup = ExitStack()
    cleanup.push(partial(directory.keep_defect, {}))
    with pytest.raises(KeyError), cleanup:
        os.environ[secret]
    [entry] = read_journal(directory.journal_path).entries
    assert isinstance(entry.event, RunBroke)
    assert entry.event.traceback is not None
    assert "test_unfinished.py" in entry.event.traceback
    assert secret not in directory.journal_path.read_text()
