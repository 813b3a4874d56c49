"""`python -m sandbox github` as a person starts it: it prints the settings of an App that serves it, and ends when told."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.process


def test_an_app_with_the_printed_settings_is_as_it_should_be_and_the_sandbox_ends_when_told(
    tmp_path: Path,
) -> None:
    (tmp_path / "README.md").write_text("Orders\n")
    program = Path(sys.executable).parent / "askfirst-app"
    settings = tmp_path / "sandbox.env"
    with (
        settings.open("w") as file,
        subprocess.Popen(
            [sys.executable, "-m", "sandbox", "github", tmp_path],
            cwd=ROOT,
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stderr is not None
        page = re.search(r"http://\S+", process.stderr.readline())
        assert page is not None
        with urllib.request.urlopen(page[0], timeout=60) as answer:
            assert b"acme/orders" in answer.read()
        check = f"set -a; . {settings}; set +a; {program} check --no-ping"
        checked = subprocess.run(["sh", "-c", check], capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
