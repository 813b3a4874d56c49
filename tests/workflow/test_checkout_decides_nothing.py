"""A repository that contains modules and settings of the Action's own names changes nothing about which code runs."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workflow import act, hostile
from tests.workflow.events import labelled


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def hostile_repository(new_repository: Callable[..., Path], canary: Path, tmp_path: Path) -> Path:
    files = tmp_path / "files"
    files.mkdir()
    hostile.plant(files, canary)
    return new_repository(files, definition="writes down what it sees")


def test_the_installed_program_runs_and_nothing_of_the_checkout_does(
    runner: act.Runner, action_with_stand_in: Path, hostile_repository: Path, canary: Path
) -> None:
    workflow = hostile_repository / ".github" / "workflows" / "askfirst.yml"
    workflow.write_text(workflow.read_text() + hostile.job_environment())
    # A cache of its own, so that the installation takes place in this job too.
    fresh = replace(runner, action=action_with_stand_in, cache=runner.scratch / "cache")
    finished = fresh.run("issues", labelled(), hostile_repository)
    assert finished.green, finished.text
    seen = finished.document("run-1-1", "run.json")
    assert not canary.exists(), canary.read_text()
    assert seen["imports from the checkout"] == []
    assert not seen["runs in the checkout"]
    assert seen["variables"] == ["PYTHONSAFEPATH"]


@pytest.mark.parametrize("module", ["sitecustomize", "pipeline", "pydantic"])
def test_the_canary_sings_where_python_is_started_in_the_checkout(
    hostile_repository: Path, canary: Path, module: str
) -> None:
    subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        cwd=hostile_repository,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(hostile_repository)},
        check=False,
        capture_output=True,
    )
    assert module in canary.read_text()
