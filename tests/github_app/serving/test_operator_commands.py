"""What an operator asks of the engine from the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from github_app.storage.database import prepare
from github_app.storage.deliveries import Deliveries, Delivery

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]


def askfirst_app(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(directory), "ASKFIRST_DATA_DIRECTORY": str(directory)}
    command = [sys.executable, "-m", "github_app.cli", *arguments]
    return subprocess.run(command, env={**environment, "PATH": os.defpath}, capture_output=True, text=True)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    url = f"sqlite:///{tmp_path / 'askfirst.sqlite'}"
    prepare(url)
    deliveries = Deliveries(url)
    deliveries.accept(Delivery("waiting", "issues", "7#418", {}))
    deliveries.close()
    return tmp_path


def test_where_nothing_is_stuck_it_says_so(database: Path) -> None:
    result = askfirst_app(database, "stuck")
    assert (result.returncode, result.stdout) == (0, "Nothing is stuck.\n")
    assert json.loads(askfirst_app(database, "stuck", "--json").stdout) == []


def test_what_has_not_ended_is_not_replayed(database: Path) -> None:
    result = askfirst_app(database, "replay", "waiting")
    assert result.returncode == 1
    assert "has not ended yet" in result.stderr


def test_a_database_that_is_not_there_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    result = askfirst_app(tmp_path / "elsewhere", "stuck")
    assert result.returncode == 1
    assert "there is no database at" in result.stderr
    assert not (tmp_path / "elsewhere").exists()


def test_a_mistyped_command_is_a_usage_error(tmp_path: Path) -> None:
    assert askfirst_app(tmp_path, "stick").returncode == 64
