"""A room without the App: the sandbox, whose runners play the jobs of the shipped workflow."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox import Sandbox
from sandbox.actions.job import Program, askfirst_program
from sandbox.server import HttpExchange
from tests.contract.github_description import github_description
from tests.github_app.job.jobs import TEMPLATE, Jobs, Room

SAMPLE = Path(__file__).parents[2] / "sample_repositories" / "orders_fastapi"


@pytest.fixture
def new_room(tmp_path: Path) -> Iterator[Callable[..., Room]]:
    description = github_description()
    problems: list[str] = []

    def check(exchange: HttpExchange) -> None:
        problems.extend(description.problems(exchange) if description else ())

    rooms: list[Sandbox] = []

    def make(
        *,
        program: Program = askfirst_program,
        sample: Path = SAMPLE,
        build: bool = False,
        marker_key: str = "",
        before: object = None,
        speaks_as_app: bool = False,
    ) -> Room:
        jobs = Jobs(program, build=build, before=before)
        if marker_key:
            jobs.environment["ASKFIRST_MARKER_KEY"] = marker_key
        github = Sandbox.start(program=jobs, observer=check)
        rooms.append(github)
        jobs.serve(github)
        # Without what keeps runs of one issue apart: nothing may rely on it.
        workflow = tmp_path / "askfirst.yml"
        text = re.sub(r"\n    concurrency:\n(?:      .*\n)+", "\n", TEMPLATE.read_text(encoding="utf-8"))
        assert "concurrency:" not in text
        workflow.write_text(text, encoding="utf-8")
        repository = github.create_repository(
            from_directory=sample,
            workflow=workflow,
            has_app=speaks_as_app,
            collaborators={"octocat": "write", "hubot": "triage"},
        )
        if not speaks_as_app:
            return Room(github, repository, jobs)
        secrets = {"ASKFIRST_APP_ID": str(github.app.id), "ASKFIRST_PRIVATE_KEY": github.app.private_key_pem}
        jobs.environment |= secrets
        return Room(github, repository, jobs, github.app.bot.login)

    yield make
    for github in rooms:
        github.stop()
    assert problems == []
