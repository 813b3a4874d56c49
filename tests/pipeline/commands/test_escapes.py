"""Colours, bold text and moving lines are for terminals of people who want them, and go nowhere else."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.small_repository import SmallRepository

ROOT = Path(__file__).parents[3]
PROGRAM = [sys.executable, "-c", "from pipeline.cli import main; main()"]
ISSUE = "# Add a dry_run flag to the bulk action\n"


def on_a_terminal(arguments: list[str], environment: dict[str, str], directory: Path) -> str:
    """Everything that the program writes, with a terminal as its output and its log."""
    here, there = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        stdin=subprocess.PIPE,
        stdout=there,
        stderr=there,
        cwd=directory,
        env=environment,
    )
    os.close(there)
    assert process.stdin is not None
    process.stdin.write(ISSUE.encode())
    process.stdin.close()
    written = b""
    while True:
        try:
            written += os.read(here, 65_536)
        except OSError:  # the other end is closed: the program has ended
            break
    os.close(here)
    process.wait(60)
    return written.decode()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }  # fmt: skip


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    repository = SmallRepository(tmp_path / "orders")
    repository.commit(
        "Add the actions",
        {"actions.py": "def bulk_action():\n    return 1\n", "test_actions.py": "def test_it(): ...\n"},
    )
    return repository.root


COMMANDS = [["explain", "--issue", "-"], ["run", "--issue", "-"]]


def test_a_run_writes_escapes_on_a_terminal(environment: dict[str, str], checkout: Path) -> None:
    assert "\x1b" in on_a_terminal(["run", "--issue", "-"], environment, checkout)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_with_no_color_a_terminal_gets_no_escape(
    arguments: list[str], environment: dict[str, str], checkout: Path
) -> None:
    plain = on_a_terminal(arguments, {**environment, "NO_COLOR": "1"}, checkout)
    assert plain
    assert "\x1b" not in plain


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("choice", "coloured_log"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
    ids=["plain", "forced", "refused"],
)
def test_a_file_gets_escapes_only_in_a_log_for_which_they_are_forced(
    arguments: list[str],
    choice: dict[str, str],
    coloured_log: bool,
    environment: dict[str, str],
    checkout: Path,
) -> None:
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=ISSUE,
        capture_output=True,
        text=True,
        cwd=checkout,
        env=environment | choice,
    )
    assert done.returncode in {0, 2}, done.stderr
    assert "\x1b" not in done.stdout
    assert ("\x1b" in done.stderr) is (coloured_log and arguments[0] == "run")


@pytest.mark.parametrize(
    "arguments", [["--version"], ["plan"], ["registry", "--symbols"], ["run", "--issue", "-"]], ids=" ".join
)
@pytest.mark.parametrize("output", ["a full disk", "a pipe without a reader"])
def test_output_that_cannot_be_written_ends_without_a_traceback(
    arguments: list[str], output: str, environment: dict[str, str], checkout: Path
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    if output == "a full disk":
        os.dup2(os.open("/dev/full", os.O_WRONLY), writer)
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=ISSUE,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        cwd=checkout,
        env=environment,
    )
    os.close(writer)
    last_line = done.stderr.rstrip().rpartition("\n")[2]
    if output == "a full disk":
        assert (done.returncode, last_line) == (
            1,
            "askfirst: the output cannot be written: No space left on device. Free some space, then run the command again.",
        )
    else:
        assert done.returncode == 0
        assert "Error" not in done.stderr
