"""Processes under the supervisor live as long as it does, and not a moment longer."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]

SUPERVISOR = """
import json, logging, signal, sys, threading
from github_app.serving.supervisor import supervise
logging.basicConfig()
until = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: until.set())
sys.exit(0 if supervise(json.loads(sys.argv[1]), until) else 1)
"""

CHILD = """
import os, sys, time
with open(sys.argv[1], "a") as log:
    log.write(f"{os.getpid()}\\n")
if sys.argv[2] != "live":
    sys.exit({"die": 3, "refuse": 1}[sys.argv[2]])
time.sleep(60)
"""


class Supervised:
    """A supervisor as a process of its own, and the processes it started so far."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, **children: str) -> None:
        commands = {
            name: [sys.executable, "-c", CHILD, str(self._directory / name), how]
            for name, how in children.items()
        }
        command = [sys.executable, "-c", SUPERVISOR, json.dumps(commands)]
        self.process = subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)

    def started(self, name: str) -> list[int]:
        path = self._directory / name
        return [int(line) for line in path.read_text().splitlines()] if path.exists() else []

    def end(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(timeout=180)


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Supervised]:
    supervised = Supervised(tmp_path)
    yield supervised
    if supervised.process is not None:
        supervised.process.kill()
        supervised.process.communicate()


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def eventually(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_a_process_that_dies_is_started_again(supervised: Supervised) -> None:
    supervised.start(web="live", worker="live")
    assert eventually(lambda: bool(supervised.started("web") and supervised.started("worker")))
    os.kill(supervised.started("worker")[0], signal.SIGKILL)
    assert eventually(lambda: len(supervised.started("worker")) == 2)
    assert len(supervised.started("web")) == 1
    assert supervised.end() == 0
    assert not any(is_running(pid) for name in ("web", "worker") for pid in supervised.started(name))


def test_a_process_that_keeps_dying_is_started_less_and_less_often(supervised: Supervised) -> None:
    supervised.start(worker="die")
    time.sleep(5.0)
    assert 2 <= len(supervised.started("worker")) <= 4
    assert supervised.end() == 0


def test_a_process_that_cannot_start_ends_all_of_them(supervised: Supervised) -> None:
    supervised.start(web="live", worker="refuse")
    assert supervised.process is not None
    assert supervised.process.wait(timeout=180) == 1
    assert not any(is_running(pid) for name in ("web", "worker") for pid in supervised.started(name))


def test_when_the_supervisor_is_killed_its_processes_end_too(supervised: Supervised) -> None:
    supervised.start(web="live")
    assert eventually(lambda: bool(supervised.started("web")))
    supervised.end(signal.SIGKILL)
    assert eventually(lambda: not is_running(supervised.started("web")[0]))


ORPHAN = """
import os, sys, time
from pathlib import Path
from github_app.serving.supervisor import end_with_parent
parent = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    time.sleep(0.01)
end_with_parent(parent)
Path(sys.argv[1]).write_text("The orphan goes on and keeps the port.")
"""


def test_a_process_whose_parent_died_before_it_asked_for_the_signal_ends_by_itself(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    reading, writing = os.pipe()
    subprocess.run(
        [sys.executable, "-c", ORPHAN, str(trace)],
        env={"PYTHONPATH": str(ROOT)},
        pass_fds=[writing],
        timeout=60,
    )
    os.close(writing)
    assert os.read(reading, 1) == b""  # the last process that held the other end is gone
    os.close(reading)
    assert not trace.exists()
