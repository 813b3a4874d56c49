"""The whole App as an operator starts it, `askfirst-app serve`, against a GitHub on 127.0.0.1."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from github_app.sandbox import Sandbox
from github_app.sandbox.actions.job import JobFolders
from github_app.sandbox.served_app import ServedApp
from github_app.sandbox.server import HttpExchange
from github_app.sandbox.world.state import Repository
from tests.contract.github_description import github_description

SCRIPT = Path(__file__).with_name("scripted_run.py")


def scripted_run(folders: JobFolders) -> Sequence[str]:
    return [sys.executable, str(SCRIPT), str(folders.run_directory)]


@dataclass(frozen=True)
class World:
    """GitHub, the App that serves it, and one repository."""

    github: Sandbox
    app: ServedApp
    orders: Repository


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield from served(tmp_path, {})


@pytest.fixture
def building_world(tmp_path: Path) -> Iterator[World]:
    """A world whose runs go on to a change."""
    yield from served(tmp_path, {"SCRIPTED_DEFINITION": "build"})


def served(tmp_path: Path, of_the_runs: Mapping[str, str]) -> Iterator[World]:
    description = github_description()
    problems: list[str] = []

    def check(exchange: HttpExchange) -> None:
        problems.extend(description.problems(exchange) if description else ())

    with (
        Sandbox.start(program=scripted_run, environment=of_the_runs, observer=check) as github,
        ServedApp(github, tmp_path) as app,
    ):
        yield World(github, app, github.create_repository())
    assert problems == []
    assert app.process.returncode == 0, app.log()
