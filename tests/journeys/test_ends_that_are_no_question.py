"""Everything that is not a question: usage errors, failures with advice, and a 2 that somebody else said."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.cli import run
from pipeline.contract.artifact import NotAnEnding, read_ending
from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import Run, scrubbed
from tests.workflow.act import commit_all

CLEAR = "# Add a dry_run flag to POST /actions\n\nPlease add a `dry_run` flag.\n"


@pytest.mark.smoke
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-command"],
        ["run"],
        ["run", "--repository", "."],
        ["run", "--no-such-option"],
        ["plan", "--mermaid", "--given", "pyproject.toml"],
        ["evaluate"],
    ],
)
def test_a_usage_error_is_64_and_never_2(arguments: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [SCRIPT, *arguments], env=scrubbed(HOME=str(tmp_path)), capture_output=True, cwd=tmp_path
    )
    assert done.returncode == 64
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("made", [False, True], ids=["missing", "no checkout"])
def test_a_folder_that_is_no_checkout_is_a_usage_error(askfirst: Run, tmp_path: Path, made: bool) -> None:
    if made:
        (tmp_path / "nowhere").mkdir()
    ended = askfirst(tmp_path / "nowhere", CLEAR)
    assert ended.exit_code == 64
    assert ended.endings == set()
    assert "nowhere" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_file_that_is_no_ticket_fails_with_a_line_to_copy(orders: Path, askfirst: Run) -> None:
    ended = askfirst(orders, "no title here\n")
    assert ended.exit_code == 1
    assert ended.document("failure.json")["what_to_do"] == snapshot(
        "Begin the file with a line such as: # Add a dry_run flag to the bulk action"
    )


def test_a_changed_tracked_file_stops_the_run_and_an_untracked_one_does_not(
    orders: Path, askfirst: Run
) -> None:
    (orders / "notes.txt").write_text("mine", encoding="utf-8")
    assert askfirst(orders, CLEAR).exit_code == 0
    (orders / "app/settings.py").write_text("x = 1\n", encoding="utf-8")
    ended = askfirst(orders, CLEAR)
    assert ended.exit_code == 1
    failure = ended.document("failure.json")
    assert (failure["kind"], failure["stage"]) == ("PreconditionFailed", "preconditions")
    assert "app/settings.py" in failure["message"]


def test_a_repository_without_tests_is_a_hard_stop(askfirst: Run, tmp_path: Path) -> None:
    root = tmp_path / "bare"
    root.mkdir()
    (root / "app.py").write_text("def f(): ...\n", encoding="utf-8")
    commit_all(root)
    ended = askfirst(root, CLEAR)
    assert ended.exit_code == 1
    assert ended.document("failure.json")["message"] == "The repository has no test files."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"answers": [{}]}',
        '{"answers": [{"question_id": "q", "slot": "s", "choice": "a", "text": "b"}]}',
    ],
)
def test_answers_of_another_shape_are_refused_with_an_example(
    text: str, orders: Path, askfirst: Run, tmp_path: Path
) -> None:
    path = tmp_path / "answers.json"
    path.write_text(text, encoding="utf-8")
    ended = askfirst(orders, CLEAR, "--answers", str(path))
    assert ended.exit_code == 1
    assert ended.document("failure.json")["kind"] == "AnswersInvalid"
    assert '"slot": "entry_route"' in ended.document("failure.json")["what_to_do"]


def test_more_questions_than_a_conversation_may_have_end_it(
    orders: Path, askfirst: Run, tmp_path: Path
) -> None:
    path = tmp_path / "answers.json"
    answers = [{"question_id": f"q-{n}", "slot": "entry_route", "choice": "gone"} for n in range(4)]
    path.write_text(json.dumps({"answers": answers}), encoding="utf-8")
    ended = askfirst(orders, CLEAR, "--answers", str(path))
    assert ended.exit_code == 1
    assert ended.document("failure.json")["kind"] == "RoundsSpent"


def test_a_run_directory_that_holds_a_run_is_not_overwritten(orders: Path, askfirst: Run) -> None:
    first = askfirst(orders, CLEAR)
    before = (first.directory / "ticket.json").read_bytes()
    again = askfirst(orders, CLEAR, "--run-directory", str(first.directory))
    assert again.exit_code == 64
    assert "--resume" in again.stderr
    assert (first.directory / "ticket.json").read_bytes() == before


def test_a_run_directory_in_which_no_run_can_begin_is_a_usage_error(
    orders: Path, askfirst: Run, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    for directory in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ".hidden"):
        ended = askfirst(orders, CLEAR, "--run-directory", directory)
        assert (ended.exit_code, "--run-directory" in ended.stderr) == (64, True)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_bare_2_from_something_else_is_no_question(tmp_path: Path) -> None:
    syntax_error = subprocess.run(["bash", "-c", "if then"], capture_output=True)
    assert syntax_error.returncode == 2
    with pytest.raises(NotAnEnding, match="exactly one of"):
        read_ending(tmp_path, syntax_error.returncode)


def test_a_question_that_another_exit_code_left_behind_is_no_question(orders: Path, askfirst: Run) -> None:
    ended = askfirst(orders, "# Add a dry_run flag to the bulk action\n\nPlease add a `dry_run` flag.\n")
    assert ended.exit_code == 2
    for code in (0, 1, 64, 128 + signal.SIGKILL):
        with pytest.raises(NotAnEnding, match="does not go with"):
            read_ending(ended.directory, code)


def test_json_on_stdout_is_the_document_and_nothing_else(orders: Path, askfirst: Run) -> None:
    ended = askfirst(orders, CLEAR, "--json")
    assert json.loads(ended.stdout) == ended.document("ticket.json")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--issue", "nope.md", "there is no file 'nope.md', and it names no issue"),
        ("--issue", "https://github.com/acme", "is not the address of an issue"),
        ("--definition", "gaet", "Did you mean `gate`?"),
        ("--definition", "nope.yml", "it is neither a file nor a shipped one"),
        ("--repository", "nowhere", "there is no folder 'nowhere'"),
        (
            "--resume",
            "nowhere",
            "'nowhere' holds no earlier run.\nTo start a new run there: --run-directory nowhere",
        ),
        ("--resume", ".", "'.' holds no earlier run"),
    ],
)
def test_an_option_that_names_nothing_is_a_usage_error_and_leaves_no_folder(
    orders: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    value: str,
    said: str,
) -> None:
    monkeypatch.chdir(orders)
    (orders / "ticket.md").write_text(CLEAR)
    before = set(orders.iterdir())
    arguments = {"--issue": "ticket.md", "--definition": "gate", "--repository": "."} | {option: value}
    code = run(["run", *(word for pair in arguments.items() for word in pair)])
    assert code == 64
    assert said in capsys.readouterr().err
    assert set(orders.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        ["decide", "2", "--question", "clarification.json", "--by", "octocat"],
        ["evaluate", "--history", "3"],
        ["explain", "--issue", "ticket.md"],
        ["init"],
        ["mcp"],
        ["plan"],
        ["registry"],
    ],
)
def test_a_repository_that_is_not_there_is_a_usage_error_of_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ticket.md").write_text(CLEAR)
    (tmp_path / "clarification.json").write_text("{}")
    assert run([*words, "--repository", "nowhere"]) == 64
    assert "there is no folder 'nowhere'" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()


def test_there_is_nothing_to_record_without_a_model(orders: Path, askfirst: Run, tmp_path: Path) -> None:
    ended = askfirst(orders, CLEAR, "--record", tmp_path / "replies.jsonl")
    assert (ended.exit_code, ended.endings) == (64, set())
    assert "no model is configured: set ASKFIRST_PROVIDER or ANTHROPIC_API_KEY" in " ".join(
        ended.stderr.split()
    )
    assert not ended.directory.exists()


def test_a_misspelt_run_to_resume_is_told_its_name(
    orders: Path, askfirst: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = askfirst(orders, CLEAR)
    monkeypatch.chdir(ended.directory.parent)
    (ended.directory.parent / "run-0").mkdir()
    code = run(["run", "--repository", str(orders), "--issue", "ticket-1.md", "--resume", "runs-1"])
    assert code == 64
    assert "Did you mean this one? --resume run-1\n" in capsys.readouterr().err
    assert not Path("runs-1").exists()


def test_a_reader_that_goes_away_loses_no_ending(orders: Path, tmp_path: Path) -> None:
    (tmp_path / "ticket.md").write_text(CLEAR)
    directory = tmp_path / "askfirst-run"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from pipeline.cli import main; main()", "run", "--repository", orders),
            *("--issue", tmp_path / "ticket.md", "--run-directory", directory),
        ],
        env=scrubbed(HOME=str(tmp_path), PYTHONPATH=str(Path(__file__).parents[2])),
        stdout=write,
        stderr=write,
    )
    os.close(write)
    assert done.returncode == 0
    assert (directory / "ticket.json").exists()
    assert (directory / "run.json").exists()


def test_git_does_not_offer_a_run_directory_for_a_commit(orders: Path, askfirst: Run) -> None:
    ended = askfirst(orders, CLEAR, "--run-directory", orders / "results")
    assert (ended.exit_code, (orders / "results/ticket.json").exists()) == (0, True)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=orders, capture_output=True, text=True)
    assert "results" not in status.stdout
