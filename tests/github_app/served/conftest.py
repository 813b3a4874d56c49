"""The whole App as an operator starts it, `askfirst-app serve`, against a GitHub on 127.0.0.1.

One App serves all tests that neither stop it nor set it up in a way of their own; each has a repository of its own.
"""

import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import Sandbox
from sandbox.actions.job import JobFolders
from sandbox.served_app import ServedApp
from sandbox.server import HttpExchange
from sandbox.world.state import Repository
from tests.contract.github_description import github_description
from tests.github_app.journeys.dialogue import Runs

SCRIPT = Path(__file__).with_name("scripted_run.py")


def scripted_run(folders: JobFolders) -> Sequence[str]:
    return [sys.executable, str(SCRIPT), str(folders.run_directory)]


@dataclass(frozen=True)
class World:
    """GitHub, the App that serves it, and one repository."""

    github: Sandbox
    app: ServedApp
    orders: Repository


class ServedGitHub:
    """A GitHub and the App that serves it, for any number of repositories whose runs are scripted."""

    def __init__(self, github: Sandbox, app: ServedApp, runs: Runs, problems: Sequence[str]) -> None:
        self.problems = problems
        self._github, self._app, self._runs = github, app, runs
        self._numbers = itertools.count(1)

    def world(self) -> World:
        """The App with a new repository."""
        orders = self._github.create_repository(f"orders-{next(self._numbers)}")
        self._runs.scripted[orders.full_name] = scripted_run
        return World(self._github, self._app, orders)


@contextmanager
def served(directory: Path) -> Iterator[ServedGitHub]:
    description = github_description()
    problems: list[str] = []

    def check(exchange: HttpExchange) -> None:
        problems.extend(description.problems(exchange) if description else ())

    with (
        Sandbox.start(program=(runs := Runs()), observer=check) as github,
        ServedApp(github, directory) as app,
    ):
        yield ServedGitHub(github, app, runs, problems)
    assert problems == []
    assert app.process.returncode == 0, app.log()


@pytest.fixture(scope="session")
def served_github(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedGitHub]:
    with served(tmp_path_factory.mktemp("served")) as served_github:
        yield served_github


@pytest.fixture
def world(served_github: ServedGitHub) -> Iterator[World]:
    world = served_github.world()
    yield world
    world.github.faults.clear()
    assert served_github.problems == []


@pytest.fixture
def own_world(tmp_path: Path) -> Iterator[World]:
    """A world whose App may be stopped; its files lie in `tmp_path`."""
    with served(tmp_path) as served_github:
        yield served_github.world()
