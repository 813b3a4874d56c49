"""From the label to the ticket with nothing of ours in place of GitHub: emulate, act and the whole App."""

import io
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from pipeline.contract.artifact import read_ending
from pipeline.contract.clarification import Clarification
from pipeline.contract.ticket import Ticket
from tests.emulator.github_emulator import APP_ID, PATIENCE, WEBHOOK_SECRET, Emulator, emulator, free_port
from tests.workflow import act
from tests.workflow.conftest import action, runner, shared_folder

pytestmark = pytest.mark.timeout(1800)

__all__ = ["action", "runner", "shared_folder"]  # the fixtures of the tests under act

SAMPLE = act.ROOT / "tests" / "sample_repositories" / "orders_fastapi"
TITLE = "Add a dry_run flag to the bulk action"
BODY = "The bulk action should take a `dry_run` flag, so that `process_item` can be tried without saving."


def wait_until(what: str, found: Callable[[], Any], explain: Callable[[], str]) -> Any:
    """The first thing found that is something."""
    deadline = time.monotonic() + PATIENCE
    while not (result := found()):
        assert time.monotonic() < deadline, f"never came: {what}\n{explain()}"
        time.sleep(0.2)
    return result


@dataclass
class ServedApp:
    """`askfirst-app serve`, started before the GitHub that it serves: a webhook needs an address."""

    port: int
    process: subprocess.Popen[bytes]
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")


@pytest.fixture
def served(tmp_path: Path, private_key: str) -> Iterator[tuple[ServedApp, Emulator]]:
    port, github_port = free_port(), free_port()
    key = tmp_path / "app.pem"
    key.write_text(private_key, encoding="ascii")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "ASKFIRST_DATA_DIRECTORY": str(tmp_path / "data"),
        "ASKFIRST_APP_ID": str(APP_ID),
        "ASKFIRST_CLIENT_ID": str(APP_ID),
        "ASKFIRST_PRIVATE_KEY_FILE": str(key),
        "ASKFIRST_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "ASKFIRST_MARKER_KEY": "a marker key of some length",
        "ASKFIRST_PORT": str(port),
        "ASKFIRST_SECONDS_BETWEEN_WRITES": "0",
        "ASKFIRST_POLLING_SECONDS": "0.1",
        "GITHUB_API_URL": f"http://127.0.0.1:{github_port}",
    }
    log = tmp_path / "serve.log"
    command = [str(Path(sys.executable).with_name("askfirst-app")), "serve"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    app = ServedApp(port, process, log)
    try:
        with emulator(tmp_path, private_key, f"http://127.0.0.1:{port}/webhook", port=github_port) as github:
            wait_until("the App", lambda: is_listening(app), app.log)
            yield app, github
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
    assert process.returncode == 0, app.log()


def is_listening(app: ServedApp) -> bool:
    assert app.process.poll() is None, app.log()
    try:
        return requests.get(f"http://127.0.0.1:{app.port}/healthz", timeout=60).ok
    except requests.ConnectionError:
        return False


@dataclass
class Actions:
    """What runs workflows on github.com: act, fed with the runs of the emulator."""

    github: Emulator
    runner: act.Runner
    checkout: Path

    def execute(self, run: dict[str, Any]) -> act.Finished:
        """Run the workflow for the event of a run, upload what it left, and say that it has ended."""
        finished = self.runner.run(
            run["event"],
            run["payload"],
            self.checkout,
            environment={
                "GITHUB_API_URL": self.github.url,
                "GITHUB_REPOSITORY": "acme/orders",
                "GITHUB_RUN_ID": str(run["id"]),
            },
            secrets={"GITHUB_TOKEN": "token-of-octocat"},
        )
        for artifact in sorted(finished.artifacts.iterdir()):
            self.github.upload(run["id"], artifact.name, zipped(artifact))
        self.github.complete(run["id"], "success" if finished.green else "failure")
        return finished


def zipped(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return buffer.getvalue()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """acme/orders with the workflow that users get."""
    repository = tmp_path / "orders"
    shutil.copytree(SAMPLE, repository)
    workflow = repository / ".github" / "workflows" / "askfirst.yml"
    workflow.parent.mkdir(parents=True, exist_ok=True)
    workflow.write_text(act.template(), encoding="utf-8")
    act.commit_all(repository)
    return repository


def test_a_labelled_issue_is_asked_about_once_and_resumed_by_the_reply(
    served: tuple[ServedApp, Emulator], runner: act.Runner, checkout: Path
) -> None:
    app, github = served
    head = act.git(checkout, "rev-parse", "HEAD")
    github.has_workflow(head)
    actions = Actions(github, runner, checkout)

    issue = github.open_issue(TITLE, BODY)
    github.label(issue, "askfirst")
    (first,) = github.runs()
    asked = actions.execute(first)
    assert (asked.outputs["exit-code"], asked.outputs["outcome"]) == ("2", "clarification"), asked.text

    (question,) = wait_until("the question", lambda: github.comments(issue), app.log)
    assert question["user"]["login"] == "askfirst[bot]"
    assert re.match(r"\*\*@octocat, which route", question["body"]), question["body"]
    assert "`POST /actions`" in question["body"]
    assert "`POST /actions/stream`" in question["body"]
    wait_until("the label", lambda: "askfirst:needs-answer" in github.labels(issue), app.log)

    github.reply(issue, "2")
    _, second = wait_until("the second run", lambda: len(github.runs()) == 2 and github.runs(), app.log)
    assert second["event"] == "workflow_dispatch"
    assert second["payload"]["inputs"]["commit"] == head
    assert second["payload"]["inputs"]["memo_run_id"] == str(first["id"])
    resumed = actions.execute(second)
    assert (resumed.outputs["exit-code"], resumed.outputs["ready"]) == ("0", "true"), resumed.text
    record = resumed.document(f"run-{second['id']}-1", "run.json")
    reused = {stage["id"] for stage in record["stages"] if stage["status"] == "reused"}
    assert {"registry", "reading"} <= reused

    clarification = read_ending(asked.artifacts / f"clarification-{first['id']}-1")
    ticket = read_ending(resumed.artifacts / f"clarification-{second['id']}-1")
    assert isinstance(clarification, Clarification)
    assert isinstance(ticket, Ticket)
    assert isinstance(ticket.targets, tuple)
    assert [target.id for target in ticket.targets] == ["route:POST /actions/stream"]

    wait_until("the end", lambda: "askfirst:ready" in github.labels(issue), app.log)
    _, _, announced = wait_until(
        "the ticket", lambda: len(github.comments(issue)) == 3 and github.comments(issue), app.log
    )
    assert announced["user"]["login"] == "askfirst[bot]"
    assert "POST /actions/stream" in announced["body"]
    answered = github.comments(issue)[0]["body"]
    assert "Answered by" in answered
    assert github.labels(issue) == {"askfirst", "askfirst:ready"}
    assert len(github.runs()) == 2
