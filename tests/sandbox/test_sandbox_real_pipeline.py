"""The sandbox runs the real pipeline: a question, an answer by dispatch, a ticket; each run on an empty disk."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox import Sandbox
from sandbox.actions.workflow_file import parse_workflow
from sandbox.sandbox import WORKFLOW_FILE
from sandbox.world.state import Run
from tests.contract.github_description import github_description
from tests.sandbox.clients import as_app

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "pipeline" / "commands" / "templates" / "askfirst.yml"
SAMPLE = ROOT / "tests" / "sample_repositories" / "orders_fastapi"
BODY = "Support wants to see what a bulk action would do. Please add a `dry_run` flag: nothing is written."


@pytest.fixture
def real() -> Iterator[Sandbox]:
    description = github_description()
    problems: list[str] = []
    with Sandbox.start(
        observer=lambda exchange: problems.extend(description.problems(exchange)) if description else None
    ) as github:
        yield github
        assert problems == []


def document(run: Run, part: str, name: str) -> Any:
    artifact = next(a for a in run.artifacts if a.name == f"{part}-{run.id}-{run.attempt}")
    with zipfile.ZipFile(io.BytesIO(artifact.content)) as archive:
        return json.loads(archive.read(name))


def test_a_question_is_asked_and_its_answer_goes_on_from_there(real: Sandbox) -> None:
    orders = real.create_repository(from_directory=SAMPLE)
    issue = real.open_issue(orders, "Add a dry_run flag to the bulk action", BODY)
    real.label(issue)
    real.wait_until_quiet(60, settle=0)
    asking = real.runs(orders)[0]
    assert (asking.conclusion, asking.exit_code, asking.outputs["outcome"]) == ("success", 2, "clarification")

    asked = document(asking, "clarification", "clarification.json")
    memo = next(artifact for artifact in asking.artifacts if artifact.name.startswith("memo"))
    answer = {
        "question_id": asked["question"]["id"],
        "slot": asked["question"]["slot"],
        "choice": asked["candidates"][1]["id"],
        "answered_by": "octocat",
    }
    workflow = as_app(real).get_repo("acme/orders").get_workflow("askfirst.yml")
    inputs = {
        "issue": issue.number,
        "nonce": "n" * 32,
        "ticket_sha256": asked["run"]["ticket_sha256"],
        "commit": asking.head_sha,
        "answers": json.dumps({"version": 1, "answers": [answer]}),
        "memo_run_id": str(asking.id),
        "memo_sha256": memo.digest.removeprefix("sha256:"),
    }
    assert workflow.create_dispatch("main", inputs)
    real.wait_until_quiet(60, settle=0)

    resumed = real.runs(orders)[1]
    assert (resumed.name, resumed.exit_code) == (f"askfirst #1 {'n' * 32}", 0), resumed.log
    ticket = document(resumed, "clarification", "ticket.json")
    assert [target["label"] for target in ticket["targets"]] == ["POST /actions/stream"]
    stages = {stage["id"]: stage["status"] for stage in document(resumed, "run", "run.json")["stages"]}
    assert stages["reading"] == "reused"
    assert stages["decomposition"] == "done"


def test_a_label_by_somebody_who_may_not_write_ends_in_a_failure_that_says_so(real: Sandbox) -> None:
    orders = real.create_repository(from_directory=SAMPLE, collaborators={"helper": "triage"})
    real.label(real.open_issue(orders, "Add a dry_run flag", BODY), by="helper")
    real.wait_until_quiet(60, settle=0)
    run = real.runs(orders)[0]
    assert (run.conclusion, run.exit_code) == ("failure", 1)
    assert document(run, "clarification", "failure.json")["kind"] == "PreconditionFailed"


def test_the_workflow_of_the_sandbox_starts_and_names_runs_as_the_shipped_one_does() -> None:
    own, shipped = (
        parse_workflow(path.name, path.read_text(encoding="utf-8")) for path in (WORKFLOW_FILE, SHIPPED)
    )
    assert (own.run_name, own.types) == (shipped.run_name, shipped.types)

    def kinds(inputs: Any) -> dict[str, Any]:
        return {name: {key: wish.get(key) for key in ("type", "required")} for name, wish in inputs.items()}

    assert kinds(own.inputs) == kinds(shipped.inputs)
