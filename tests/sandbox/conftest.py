"""A fresh GitHub for each test, every exchange of which is held against GitHub's description."""

from collections.abc import Iterator

import pytest

from sandbox import Sandbox
from sandbox.actions.job import JobFolders
from tests.contract.github_description import HOW_TO_GET, github_description

SCRIPT = """
set -e
mkdir -p askfirst-run/stages/reading
echo '{"id": "reading"}' > askfirst-run/stages/reading/output.json
echo '{"seconds": 1}' > askfirst-run/run.json
if grep -q please-ask "$GITHUB_EVENT_PATH"; then
  echo '{"kind": "ClarificationNeeded"}' > askfirst-run/clarification.json; exit 2
fi
echo '{"targets": "unknown"}' > askfirst-run/ticket.json
"""


def scripted(script: str = SCRIPT):
    """A program for the runner: a shell script instead of the pipeline."""

    def program(_folders: JobFolders) -> list[str]:
        return ["sh", "-c", script]

    return program


@pytest.fixture
def github() -> Iterator[Sandbox]:
    description = github_description()
    problems: list[str] = []
    with Sandbox.start(
        program=scripted(),
        observer=lambda exchange: problems.extend(description.problems(exchange)) if description else None,
    ) as sandbox:
        yield sandbox
        assert problems == []


@pytest.fixture
def described(github: Sandbox) -> Sandbox:
    """The same, for tests that are worth nothing without the description."""
    if github_description() is None:
        pytest.skip(HOW_TO_GET)
    return github
