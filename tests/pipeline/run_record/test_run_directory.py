"""A run directory holds one run with one ending, each file whole, and none with a secret."""

from pathlib import Path

import pytest

from pipeline.contract.artifact import read_ending
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.failure import Failure
from pipeline.domain.errors import RunDirectoryUnusable
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import REDACTION_MARK, Redactor
from pipeline.run_record.run_directory import RunDirectory
from tests.pipeline.run_record.finished_runs import a_failure, a_question, a_run, a_ticket

SECRET = "correct-horse-battery-staple"


@pytest.mark.parametrize(
    ("ending", "name", "code"),
    [
        (a_question(), "clarification.json", ExitCode.PERSON_ASKED),
        (a_failure(), "failure.json", ExitCode.PIPELINE_ERROR),
        (a_ticket(), "ticket.json", ExitCode.DONE),
    ],
    ids=["question", "failure", "ticket"],
)
def test_an_ending_is_written_under_its_name_and_read_back(
    tmp_path: Path, ending, name: str, code: ExitCode
) -> None:
    directory = RunDirectory.create(tmp_path / "run", Redactor())
    directory.write_ending(ending)
    assert {path.name for path in directory.path.iterdir()} == {name, ".gitignore"}
    assert read_ending(directory.path, code) == ending


def test_a_second_ending_is_an_error_and_the_first_one_stays(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "run", Redactor())
    directory.write_ending(a_question())
    with pytest.raises(RunDirectoryUnusable, match=r"ended already, with clarification\.json"):
        directory.write_ending(a_failure())
    assert read_ending(directory.path) == a_question()


def test_a_directory_that_holds_another_run_is_refused(tmp_path: Path) -> None:
    RunDirectory.create(tmp_path / "run", Redactor()).write_ending(a_ticket())
    with pytest.raises(RunDirectoryUnusable) as refused:
        RunDirectory.create(tmp_path / "run", Redactor())
    assert f"--resume {tmp_path / 'run'}" in refused.value.what_to_do


def test_a_directory_of_a_run_that_did_not_finish_is_refused_too(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "run", Redactor())
    Journal(directory.journal_path, Redactor()).close()
    with pytest.raises(RunDirectoryUnusable, match="did not finish"):
        RunDirectory.create(tmp_path / "run", Redactor())


def test_a_resumed_run_keeps_what_the_first_part_ended_with_and_has_an_ending_of_its_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run"
    first = RunDirectory.create(path, Redactor())
    first.write_ending(a_question())
    first.write_document("run.json", a_run())
    first.write_stage_output("reading", b"{}")
    second = RunDirectory.create(path, Redactor(), resume=True)
    second.write_ending(a_question())
    third = RunDirectory.create(path, Redactor(), resume=True)
    third.write_ending(a_ticket())
    assert read_ending(path) == a_ticket()
    assert read_ending(path / "earlier" / "1") == read_ending(path / "earlier" / "2") == a_question()
    assert (path / "earlier" / "1" / "run.json").exists()
    assert (path / "stages" / "reading" / "output.json").read_bytes() == b"{}"


@pytest.mark.parametrize("hidden", [".askfirst", "out/.run", ".cache/run"])
def test_a_hidden_directory_is_refused_because_the_upload_would_drop_it(hidden: str) -> None:
    with pytest.raises(RunDirectoryUnusable, match="hidden name"):
        RunDirectory.create(Path(hidden), Redactor())


def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(RunDirectoryUnusable, match="cannot be used"):
        RunDirectory.create(tmp_path / "run", Redactor())


def test_nothing_that_is_written_holds_a_secret(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "run", Redactor([SECRET]))
    failure = Failure(
        kind="StageFailed", stage="reading", message=f"no {SECRET}", why=SECRET, what_to_do="", run=None
    )
    directory.write_ending(failure)
    directory.write_document("run.json", a_run().model_copy(update={"definition": SECRET}))
    directory.write_text("summary.md", f"summary {SECRET[7:]}")
    for path in directory.path.iterdir():
        assert "battery" not in path.read_text()
    assert read_ending(directory.path, ExitCode.PIPELINE_ERROR) == failure.model_copy(
        update={"message": f"no {REDACTION_MARK}", "why": REDACTION_MARK}
    )


def test_a_write_that_fails_leaves_the_old_file_and_says_why(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "run", Redactor())
    directory.write_text("summary.md", "old")
    (directory.path / "summary.md.partial").mkdir()
    with pytest.raises(RunDirectoryUnusable, match="cannot be used"):
        directory.write_text("summary.md", "new")
    assert (directory.path / "summary.md").read_text() == "old"
