"""A repeat whose process is killed goes on in the round that it was in."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.contract.run import Outcome
from tests.pipeline.engine.build_stages import Build
from tests.pipeline.engine.declared_stages import RunIn

KILLED = """
import sys, time
from pathlib import Path
from tests.pipeline.engine.declared_stages import RunIn
from tests.pipeline.engine.build_stages import Build
class Slow(Build):
    def _note(self, stage, number):
        print(stage, number, flush=True)
        if (stage, number) == ("tests", 2):
            time.sleep(600)
RunIn(Path(sys.argv[1])).run(Slow(good_at=3).stages, memo_from=())
"""


@pytest.mark.kill
def test_killed_in_the_second_round_it_goes_on_in_the_second_round(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, tmp_path / "run"],
        cwd=root,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert process.stdout is not None
    deadline = time.monotonic() + 60
    while process.stdout.readline() != "tests 2\n":
        assert time.monotonic() < deadline
    process.send_signal(signal.SIGKILL)
    process.communicate()
    again = Build(good_at=3)
    result = RunIn(tmp_path / "run").run(again.stages, memo_from=(tmp_path / "run",))
    assert result.outcome is Outcome.DONE
    assert again.ran == ["tests 2", "coder 3", "tests 3"]
