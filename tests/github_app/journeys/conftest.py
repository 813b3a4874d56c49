"""One GitHub, one App and the real pipeline for all journeys; each journey has an issue of its own.

At the end of every journey nothing may be left unread.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import Sandbox
from sandbox.served_app import ServedApp
from sandbox.world.state import Repository
from tests.contract.github_description import github_description
from tests.github_app.journeys.dialogue import SAMPLE, Dialogue, Runs, Stage

COLLABORATORS = {"octocat": "write", "maintainer": "maintain", "triager": "triage"}
"""Who may do what. `author`, who opens issues, and `stranger` have no role."""


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    description = github_description()
    problems: list[str] = []
    runs = Runs()
    with (
        Sandbox.start(
            program=runs,
            observer=lambda exchange: problems.extend(description.problems(exchange) if description else ()),
        ) as github,
        ServedApp(github, tmp_path_factory.mktemp("app")) as app,
    ):
        stage = Stage(github, app, runs, problems)
        yield stage
        assert stuck(app) == []
    assert app.process.returncode == 0, app.log()


def stuck(app: ServedApp) -> object:
    """What `askfirst-app stuck --json` lists."""
    command = [str(Path(sys.executable).with_name("askfirst-app")), "stuck", "--json"]
    return json.loads(subprocess.run(command, env=app.environment, capture_output=True, text=True).stdout)


@pytest.fixture(scope="session")
def orders(stage: Stage) -> Repository:
    return stage.github.create_repository("orders", from_directory=SAMPLE, collaborators=COLLABORATORS)


class Issues:
    """Opens the issues of one journey."""

    def __init__(self, stage: Stage, orders: Repository) -> None:
        self.stage = stage
        self.orders = orders
        self.opened: list[Dialogue] = []

    def __call__(
        self, title: str, body: str, *, by: str = "octocat", repository: Repository | None = None
    ) -> Dialogue:
        issue = self.stage.github.open_issue(repository or self.orders, title, body, by=by)
        dialogue = Dialogue(self.stage, issue)
        self.opened.append(dialogue)
        return dialogue


@pytest.fixture
def opens_issue(stage: Stage, orders: Repository) -> Iterator[Issues]:
    """Opens an issue. When the journey ends, nothing may be left unread."""
    issues = Issues(stage, orders)
    yield issues
    stage.github.faults.clear()
    stage.settle()
    assert [comment.body for each in issues.opened for comment in each.unread()] == []
    assert stage.problems == []
    assert " ERROR " not in stage.app.log()


@pytest.fixture
def ambiguous(opens_issue: Issues) -> Dialogue:
    """An issue whose words pick neither of two routes."""
    return opens_issue(
        "Add a dry_run flag to the bulk action",
        "Support wants to see what a bulk action would do before it does it.\n\nPlease add a `dry_run` flag: the answer"
        " is the same, and nothing is written.",
    )


@pytest.fixture
def asked(ambiguous: Dialogue) -> Dialogue:
    """The same, labelled, and its question read."""
    ambiguous.label()
    ambiguous.is_asked()
    return ambiguous


@pytest.fixture
def there_already(opens_issue: Issues) -> Dialogue:
    """An issue that wants what the code has, labelled."""
    dialogue = opens_issue(
        "Add a filter by status to the order list",
        "GET /orders should take an optional `status` query parameter.",
    )
    dialogue.label()
    return dialogue
