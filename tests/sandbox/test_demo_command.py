"""`make demo` as a person starts it: a whole conversation is printed, and nothing is left behind."""

import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SECONDS = 240


def members(group: int) -> list[str]:
    """The commands of the processes that are alive in a process group."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and os.getpgid(int(folder.name)) == group:
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    found.append((folder / "cmdline").read_text().replace("\0", " "))
        except (ProcessLookupError, FileNotFoundError):
            continue
    return found


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment in which the demo's files lie below the test's folder."""
    (tmp_path / "tmp").mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path / "tmp"),
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture
def started(home: dict[str, str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes to be ended whatever happens."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def start(home: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sandbox", "demo", *arguments], cwd=ROOT, env=home, text=True,
        start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_the_demo_prints_a_conversation_and_leaves_nothing_running(
    home: dict[str, str], started: list[subprocess.Popen[str]]
) -> None:
    process = start(home)
    started.append(process)
    said, complained = process.communicate(timeout=SECONDS)
    assert (process.returncode, complained) == (0, "")
    told = [
        "octocat    opens #1 “Add a dry_run flag to the bulk action” at http://127.0.0.1:",
        "octocat    labels it askfirst",
        "ends with exit code 2",
        "askfirst   **@octocat, which route should get `dry_run`?**",
        "octocat    2",
        "askfirst   edits its question:",
        "ends with exit code 0",
        "askfirst   opens draft pull request #2 “Add a dry_run flag to the bulk action”:",
        "Closes #1",
        "**The model's replies were scripted:** no model wrote this change.",
        "| `python3 -m pytest -q` | passed | 4 passed |",
        "parcels/actions.py  +2 −1",
        "askfirst   **The change is there: [#2](",
        "octocat    reviews #2 and requests changes:",
        "askfirst   I am working on the changes that `octocat` requested",
        "askfirst   makes commit",
        "README.md  +2 −0",
        "askfirst   **I have changed it again:**",
    ]
    places = [said.find(words) for words in told]
    assert -1 not in places, said
    at = dict(zip(told, places, strict=True))
    assert (
        at[told[0]] < at[told[1]] < at[told[3]] < at[told[4]] < at["Closes #1"] < at[told[13]] < at[told[15]]
    ), said
    assert members(process.pid) == []
    assert list(Path(home["TMPDIR"]).iterdir()) == []


def test_the_page_of_the_demo_answers_until_it_is_interrupted(
    home: dict[str, str], started: list[subprocess.Popen[str]]
) -> None:
    process = start(home, "--page")
    started.append(process)
    assert process.stdout is not None
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    try:
        said = ""
        while "Look at it and reply: " not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        address = re.search(r"Look at it and reply: (\S+)", said)
        assert address is not None
        with urllib.request.urlopen(address[1], timeout=60) as answer:
            assert "Add a dry_run flag to the bulk action" in answer.read().decode()
        process.send_signal(signal.SIGINT)
        _, complained = process.communicate(timeout=SECONDS)
    finally:
        timer.cancel()
    assert (process.returncode, complained) == (0, "")
    assert members(process.pid) == []
    assert list(Path(home["TMPDIR"]).iterdir()) == []
