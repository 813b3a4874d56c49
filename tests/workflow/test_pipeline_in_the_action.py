"""The real pipeline in the real Action, with a GitHub on 127.0.0.1 that knows the issue and who may label it."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from pipeline.contract.answers import Answer, Answers
from pipeline.contract.artifact import read_ending
from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity
from sandbox import Sandbox
from sandbox.actions.job import zip_files
from sandbox.world.state import Artifact, Issue, Repository, Run
from tests.journeys.messages_server import messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, approves, completes, edits, planned
from tests.workflow import act, hostile

SAMPLE = act.ROOT / "tests" / "sample_repositories" / "orders_fastapi"
WISH = "Add a dry_run flag to the bulk action"
TWO_ROUTES = (
    "The bulk action should take a `dry_run` flag, so that `process_item` can be tried without saving."
)
KEY = "sk-ant-no-key-at-all"
ONE_ROUTE = "`POST /actions/stream` should take a `dry_run` flag, so that it can be tried without saving."


@dataclass(frozen=True)
class Orders:
    """acme/orders on the GitHub of the test, and the runner on which its workflow runs."""

    github: Sandbox
    repository: Repository
    runner: act.Runner
    checkout: Path
    model: str = ""

    def labelled(self, body: str, *, by: str = "octocat") -> act.Finished:
        """Open an issue, set the label, and run what GitHub would run."""
        self.github.label(self.open(body), by=by)
        return self._run()

    def open(self, body: str) -> Issue:
        return self.github.open_issue(self.repository, WISH, body)

    def dispatched(self, **inputs: str | int) -> act.Finished:
        """Start the workflow as the App does."""
        answer = requests.post(
            f"{self.github.api_url}/repos/acme/orders/actions/workflows/askfirst.yml/dispatches",
            json={"ref": "main", "inputs": inputs},
            headers={"Authorization": f"Bearer {self.github.token_of('octocat')}"},
            timeout=10,
        )
        answer.raise_for_status()
        return self._run()

    @property
    def last_run(self) -> Run:
        return self.github.runs(self.repository)[-1]

    def keep(self, finished: act.Finished, name: str) -> Artifact:
        """Let GitHub have an artifact of the run that has just finished."""
        packed = zip_files(finished.artifacts / name, ["."])
        assert packed is not None
        return self.github.actions.add_artifact(self.last_run, name, packed)

    def _run(self) -> act.Finished:
        run = self.last_run
        return self.runner.run(
            run.event,
            run.event_payload,
            self.checkout,
            environment={
                "GITHUB_API_URL": self.github.api_url,
                "GITHUB_REPOSITORY": self.repository.full_name,
                "GITHUB_RUN_ID": str(run.id),
                **({"ANTHROPIC_BASE_URL": self.model} if self.model else {}),
            },
            secrets={
                "GITHUB_TOKEN": self.github.token_of("octocat"),
                **({"ANTHROPIC_API_KEY": KEY} if self.model else {}),
            },
        )


def nothing_runs(_folders: object) -> list[str]:
    """What the sandbox's own runner executes: act is the runner here."""
    return ["true"]


@pytest.fixture
def new_orders(runner: act.Runner, tmp_path: Path) -> Iterator[Callable[..., Orders]]:
    """Makes acme/orders of the sample, with the workflow template and what else a test puts into it."""
    with Sandbox.start(program=nothing_runs) as github:

        def make(
            prepare: Callable[[Path], None] | None = None,
            *,
            more_workflow: str = "",
            sample: Path = SAMPLE,
            model: str = "",
            **inputs: str,
        ) -> Orders:
            files, checkout = tmp_path / "files", tmp_path / "orders"
            shutil.copytree(sample, files)
            workflow = files / ".github" / "workflows" / "askfirst.yml"
            workflow.parent.mkdir(parents=True, exist_ok=True)
            workflow.write_text(act.template(**inputs) + more_workflow, encoding="utf-8")
            if prepare is not None:
                prepare(files)
            repository = github.create_repository(
                from_directory=files, collaborators={"octocat": "write", "hubot": "triage"}
            )
            act.git(tmp_path, "clone", "--quiet", str(repository.git.directory), str(checkout))
            return Orders(github, repository, runner, checkout, model)

        yield make


def ending(finished: act.Finished, run: Run) -> Clarification | Failure | Ticket:
    """What the App would read."""
    return read_ending(finished.artifacts / f"clarification-{run.id}-1")


def test_a_ticket_with_two_readings_ends_with_a_question_and_a_green_step(
    new_orders: Callable[..., Orders],
) -> None:
    orders = new_orders()
    finished = orders.labelled(TWO_ROUTES)
    assert finished.green, finished.text
    asked = ending(finished, orders.last_run)
    assert isinstance(asked, Clarification)
    assert asked.has_its_own_id()
    assert {candidate.id for candidate in asked.candidates} == {
        "route:POST /actions",
        "route:POST /actions/stream",
    }
    assert asked.run == RunIdentity(
        repository="acme/orders",
        issue=1,
        commit=orders.last_run.head_sha,
        run_id=str(orders.last_run.id),
        attempt=1,
        nonce=None,
        ticket_sha256=asked.run.ticket_sha256,
    )
    assert finished.outputs["outcome"] == "clarification"
    assert finished.outputs["exit-code"] == "2"
    assert finished.outputs["question-id"] == asked.question.id
    [said] = finished.annotations
    assert said.startswith("::notice title=askfirst asks::Which route")
    assert "```mermaid" in finished.summary
    assert set(finished.uploaded[f"run-{orders.last_run.id}-1"]) >= {
        "journal.jsonl",
        "run.json",
        "summary.md",
    }


def test_a_clear_ticket_ends_with_a_ticket(new_orders: Callable[..., Orders]) -> None:
    orders = new_orders()
    finished = orders.labelled(ONE_ROUTE)
    assert finished.green, finished.text
    assert (finished.outputs["outcome"], finished.outputs["ready"]) == ("done", "true")
    written = ending(finished, orders.last_run)
    assert isinstance(written, Ticket)
    assert written.ready


def with_a_quick_check(files: Path) -> None:
    """A test command that needs no library."""
    (files / "check.py").write_text("assert 'parcels' in open('README.md').read()\n", encoding="utf-8")
    configuration = files / ".github" / "askfirst" / "config.yml"
    configuration.parent.mkdir(parents=True, exist_ok=True)
    configuration.write_text("test_command: python3 check.py\n", encoding="utf-8")


def test_a_clear_ticket_becomes_a_tested_change_with_a_model_behind_the_key(
    new_orders: Callable[..., Orders],
) -> None:
    turns = {
        "coder": [[edits("README.md", "# parcels", "# parcels\n\nA dry run moves none.")], [completes()]],
        "reviewer": [[approves()]],
    }
    with messages_api(turns, {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}) as model:
        parcels = new_orders(
            with_a_quick_check,
            sample=SAMPLE.with_name("parcels_flask"),
            model=model.url,
            definition="build",
        )
        finished = parcels.labelled(ONE_ROUTE.replace("process_item", "process_parcel"))
    assert finished.green, finished.text
    assert (finished.outputs["outcome"], finished.outputs["ready"]) == ("done", "true")
    result = f"clarification-{parcels.last_run.id}-1"
    assert finished.uploaded[result] == ["change.json", "ticket.json"]
    change = Change.model_validate(finished.document(result, "change.json"))
    assert [file.path for file in change.files] == ["README.md"]
    assert change.work is not None
    assert (change.work.replies, change.work.tests.exit_code) == ("model", 0)
    assert model.asked == ["reading", "plans", "coder turn 0", "coder turn 1", "reviewer turn 0"]
    everything = [file for file in finished.artifacts.rglob("*") if file.is_file()]
    assert not [file for file in everything if KEY.encode() in file.read_bytes()]
    assert KEY not in finished.text


def test_a_label_set_by_somebody_who_may_not_ends_with_a_failure_and_a_red_step(
    new_orders: Callable[..., Orders],
) -> None:
    orders = new_orders()
    finished = orders.labelled(TWO_ROUTES, by="hubot")
    assert not finished.green
    assert finished.outputs["outcome"] == "error"
    failed = ending(finished, orders.last_run)
    assert isinstance(failed, Failure)
    assert failed.kind == "PreconditionFailed"
    [said] = finished.annotations
    assert said.startswith("::error title=askfirst%3A PreconditionFailed::hubot may not start a run here.")


def test_a_dispatch_with_the_answer_goes_on_from_where_the_run_stopped(
    new_orders: Callable[..., Orders],
) -> None:
    orders = new_orders()
    first = orders.labelled(TWO_ROUTES)
    asked, run = ending(first, orders.last_run), orders.last_run
    assert isinstance(asked, Clarification)
    memo = orders.keep(first, f"memo-{run.id}-1")
    chosen = Answer(
        question_id=asked.question.id, slot=asked.question.slot, choice="route:POST /actions/stream"
    )
    finished = orders.dispatched(
        issue=1,
        nonce="n-1",
        ticket_sha256=asked.run.ticket_sha256,
        commit=asked.run.commit,
        answers=Answers(answers=(chosen,)).model_dump_json(),
        memo_run_id=str(run.id),
        memo_sha256=memo.digest.removeprefix("sha256:"),
    )
    assert finished.green, finished.text
    written = ending(finished, orders.last_run)
    assert isinstance(written, Ticket)
    assert isinstance(written.targets, tuple)
    assert [place.id for place in written.targets] == ["route:POST /actions/stream"]
    assert (written.run.nonce, written.answers) == ("n-1", (chosen,))
    record = finished.document(f"run-{orders.last_run.id}-1", "run.json")
    reused = [stage["id"] for stage in record["stages"] if stage["status"] == "reused"]
    assert {"registry", "reading"} <= set(reused)


def test_a_checkout_full_of_our_own_names_changes_nothing(
    new_orders: Callable[..., Orders], tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    orders = new_orders(lambda files: hostile.plant(files, canary), more_workflow=hostile.job_environment())
    finished = orders.labelled(TWO_ROUTES)
    assert finished.green, finished.text
    assert finished.outputs["outcome"] == "clarification"
    asked = ending(finished, orders.last_run)
    assert isinstance(asked, Clarification)
    assert len(asked.candidates) == 2
    assert not canary.exists(), canary.read_text()
    assert "sk-from-the-checkout" not in json.dumps(
        finished.document(f"run-{orders.last_run.id}-1", "run.json")
    )
