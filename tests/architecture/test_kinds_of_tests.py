"""The kinds of tests are true: their folders exist, a pure test starts nothing, and SIGTERM leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.code_registry.reading import FileReading, ReadRequest, read_apart
from tests.kinds import FOLDERS, Kind, ProcessGuard, kind_of_folder

TESTS = Path(__file__).parents[1]

CONFTEST = """
from tests.termination import end_descendants_on_sigterm

def pytest_configure():
    end_descendants_on_sigterm()
"""
STARTS_PROCESSES = """
import subprocess, sys, time
from pathlib import Path

CHILD = '''
import os, subprocess, sys, time
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(other.pid, os.getpid(), flush=True)
time.sleep(600)
'''

def test_that_waits():
    child = subprocess.Popen([sys.executable, "-c", CHILD], start_new_session=True, stdout=subprocess.PIPE, text=True)
    pids = child.stdout.readline()
    Path("pids.new").write_text(pids)
    Path("pids.new").rename("pids")
    time.sleep(600)
"""


def test_every_folder_with_a_kind_of_its_own_is_there() -> None:
    assert [folder for folder in FOLDERS if not list((TESTS / folder).glob("test_*.py"))] == []


def test_the_longest_entry_that_holds_a_folder_is_its_kind() -> None:
    assert kind_of_folder(Path("journeys/killed")) is Kind.KILL
    assert kind_of_folder(Path("journeys/another")) is Kind.PROCESS
    assert kind_of_folder(Path("pipeline/domain")) is Kind.PURE


def test_a_pure_test_may_start_git_and_the_reader_of_sources_and_nothing_else(tmp_path: Path) -> None:
    guard = ProcessGuard()
    with guard.watch(Kind.PURE):
        subprocess.run(["git", "--version"], check=True, capture_output=True)
        (tmp_path / "a.go").write_text("package a\n")
        ((_, reading),) = read_apart(tmp_path, [ReadRequest("a.go", None)])
        assert isinstance(reading, FileReading)
        with pytest.raises(AssertionError, match="starts a process"):
            subprocess.run([sys.executable, "--version"], check=True)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.process
@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_run_that_sigterm_ends_leaves_no_process(tmp_path: Path, processes: str) -> None:
    (tmp_path / "test_it.py").write_text(STARTS_PROCESSES)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-n", processes, "-p", "no:cacheprovider", "test_it.py"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(TESTS.parent)}
    run = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 120
        while not (tmp_path / "pids").exists():
            assert run.poll() is None, run.communicate()[0]
            assert time.monotonic() < until
            time.sleep(0.05)
        run.send_signal(signal.SIGTERM)
        assert run.wait(timeout=60) == -signal.SIGTERM
    finally:
        run.kill()
        run.communicate()
    started = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(started) == 2
    deadline = (
        time.monotonic() + 30
    )  # a killed process is gone when a busy kernel gets to it; these would sleep longer
    while (running := [pid for pid in started if is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running == []
