"""`askfirst-app sandbox` as a person starts it: a process that prints where it is and ends when told."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def test_the_command_prints_its_addresses_answers_and_ends_cleanly(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Orders\n")
    program = Path(sys.executable).parent / "askfirst-app"
    with subprocess.Popen([program, "sandbox", tmp_path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        page = re.search(r"http://\S+", process.stdout.readline())
        assert page is not None
        with urllib.request.urlopen(page[0], timeout=60) as answer:
            assert b"acme/orders" in answer.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


def test_a_wrong_call_is_told_apart_from_a_question() -> None:
    program = Path(sys.executable).parent / "askfirst-app"
    wrong = subprocess.run([program, "sandbox", "--colour"], capture_output=True, text=True)
    assert wrong.returncode == 64
    assert "No such option" in wrong.stderr
