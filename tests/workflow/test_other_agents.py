"""The workflows in which other coding agents start from a ticket: they take the right ticket, or none.

The step that takes it is run as it stands, with a `gh` that answers from files. What follows are other people's programs.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.contract.wire import ticket_sha256

pytestmark = pytest.mark.process

EXAMPLES = sorted((Path(__file__).parents[2] / "docs/examples/other-agents").glob("*.yml"))
TITLE, BODY = "Add a dry_run flag", "Of the “bulk” action.\r\nNothing is written: $(touch evil) `touch evil`"
GH = """#!/bin/bash
case "$1 $2" in
  "run list") jq -r "${@: -1}" "$FAKE/runs.json" ;;
  "run download") mkdir -p "$9" && cp "$FAKE/$7.json" "$9/ticket.json" ;;
esac
"""
STEP = "Take the ticket"


class Repository:
    """A place for the step: runs, their artifacts, an event, an empty checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs: list[dict[str, Any]] = []
        (folder / "checkout").mkdir()
        (folder / "gh").write_text(GH, encoding="utf-8")
        (folder / "gh").chmod(0o755)

    def has_run(
        self, run_id: int, title: str = "askfirst #418 ", event: str = "issues", **ticket: Any
    ) -> None:
        self.runs.append({"databaseId": run_id, "attempt": 1, "displayTitle": title, "event": event})
        told = {"issue": 418, "ticket_sha256": ticket_sha256(TITLE, BODY), **ticket.pop("run", {})}
        document = {"kind": "Ticket", "ready": True, "title": f"of {run_id}", "run": told, **ticket}
        path = self.folder / f"clarification-{run_id}-1.json"
        path.write_text(json.dumps(document), encoding="utf-8")

    def take(self, example: Path, issue: dict[str, Any] | None = None) -> tuple[int, str, Any]:
        """Exit code, what was printed, the ticket beside the code."""
        (self.folder / "runs.json").write_text(json.dumps(self.runs), encoding="utf-8")
        event = {"issue": issue or {"number": 418, "title": TITLE, "body": BODY}}
        (self.folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        steps = yaml.safe_load(example.read_text(encoding="utf-8"))["jobs"]["code"]["steps"]
        (script,) = [step["run"] for step in steps if step.get("name") == STEP]
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=self.folder / "checkout",
            env={
                "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}", "FAKE": str(self.folder), "ISSUE": "418",
                "BRANCH": "main", "GITHUB_REPOSITORY": "acme/orders", "RUNNER_TEMP": str(self.folder / "temp"),
                "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            },
            capture_output=True, text=True,
        )  # fmt: skip
        ticket = self.folder / "checkout/askfirst-ticket.json"
        outputs = json.loads(ticket.read_text(encoding="utf-8")) if ticket.exists() else None
        return done.returncode, done.stdout, outputs


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_newest_ticket_of_the_issue_is_taken(repository: Repository, example: Path) -> None:
    repository.has_run(30, "askfirst #4180 ")
    repository.has_run(20, f"askfirst #418 {'0' * 32}", event="workflow_dispatch")
    repository.has_run(10)
    code, printed, ticket = repository.take(example)
    assert (code, printed, ticket["title"]) == (0, "", "of 20")
    assert not (repository.folder / "checkout/evil").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"ready": False}, {"kind": "ClarificationNeeded"}, {"run": {"issue": 419}},
        {"run": {"ticket_sha256": ticket_sha256(TITLE, "Another text")}},
    ],
    ids=["not ready", "a question", "of another issue", "of another text"],
)  # fmt: skip
def test_a_ticket_that_is_not_ready_or_about_another_text_is_refused(
    repository: Repository, wrong: dict[str, Any]
) -> None:
    repository.has_run(10, **wrong)
    code, printed, ticket = repository.take(EXAMPLES[0])
    assert (code, ticket) == (1, None)
    assert "::error::there is no ready ticket for the text of this issue" in printed


def test_a_run_that_a_stranger_could_have_named_is_not_looked_at(repository: Repository) -> None:
    repository.has_run(10, event="pull_request_target")
    repository.has_run(11, "Fix askfirst #418 now")
    code, printed, ticket = repository.take(EXAMPLES[0])
    assert (code, ticket) == (1, None)
    assert printed == "::error::no run of askfirst.yml is about this issue\n"


def test_an_issue_without_a_body_has_an_empty_one(repository: Repository) -> None:
    repository.has_run(10, run={"ticket_sha256": ticket_sha256(TITLE, "")})
    issue = {"number": 418, "title": TITLE, "body": None}
    assert repository.take(EXAMPLES[0], issue)[0] == 0


def test_the_step_is_the_same_in_every_example() -> None:
    def step(path: Path) -> Any:
        steps = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["code"]["steps"]
        return next(step for step in steps if step.get("name") == STEP)

    assert len(EXAMPLES) == 3
    assert step(EXAMPLES[0]) == step(EXAMPLES[1]) == step(EXAMPLES[2])
