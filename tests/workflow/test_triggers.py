"""What starts a run, and what the program is then given."""

import json
from collections.abc import Callable
from dataclasses import replace
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.local_http import ANY_PORT, QuietHandler, run_server
from tests.workflow import act
from tests.workflow.events import OCTOCAT, dispatched, labelled


@pytest.fixture
def looking(runner: act.Runner, action_with_stand_in: Path) -> act.Runner:
    """A runner whose Action only writes down what it sees."""
    return replace(runner, action=action_with_stand_in)


@pytest.fixture
def repository(new_repository: Callable[..., Path], tmp_path: Path) -> Path:
    files = tmp_path / "files"
    files.mkdir()
    (files / "orders.py").write_text("VERSION = 1\n")
    return new_repository(files, definition="writes down what it sees")


@pytest.mark.parametrize(
    "event",
    [
        labelled(label="bug"),
        labelled(state="closed"),
        labelled(sender={"login": "dependabot[bot]", "id": 49699333, "type": "Bot"}),
    ],
    ids=["another label", "a closed issue", "a bot"],
)
def test_another_label_a_closed_issue_and_a_bot_start_nothing(
    looking: act.Runner, repository: Path, event: dict[str, Any]
) -> None:
    finished = looking.run("issues", event, repository)
    assert finished.green
    assert (finished.log, finished.uploaded) == ([], {})


def a_comment(
    body: str = "2", *, labels: tuple[str, ...] = (), pull_request_of: str | None = None
) -> dict[str, Any]:
    event = labelled()
    author = OCTOCAT
    if pull_request_of is not None:
        author = {"login": pull_request_of, "id": 1, "type": "Bot"}
        text = "Closes #1" if pull_request_of == "dependabot[bot]" else "Closes #1\n\n<!-- askfirst:v1 x -->"
        event["issue"] |= {"pull_request": {}, "body": text}
    event["issue"] |= {"user": author, "labels": [{"name": label} for label in labels]}
    comment = {"id": 1, "body": body, "user": OCTOCAT}
    return event | {"action": "created", "label": None, "comment": comment}


@pytest.mark.parametrize(
    ("event", "is_heard"),
    [
        (a_comment(labels=("askfirst",)), True),
        (a_comment(labels=("askfirst:needs-answer",)), True),
        (a_comment("/cancel"), True),
        (a_comment("@askfirst start"), True),
        (a_comment(pull_request_of="github-actions[bot]"), True),
        (a_comment(pull_request_of="acme-asks[bot]"), True),
        (a_comment(pull_request_of="dependabot[bot]"), False),
        (a_comment(labels=("bug",)), False),
    ],
    ids=[
        "label",
        "question",
        "command",
        "mention",
        "our pull request",
        "of our App",
        "of another bot",
        "another label",
    ],
)
def test_without_the_app_a_job_listens_to_what_may_concern_it(
    looking: act.Runner, repository: Path, event: dict[str, Any], is_heard: bool
) -> None:
    workflow = yaml.safe_load(act.template_without_app())
    job = workflow["jobs"]["event"] | {"steps": [{"run": "echo"}]}
    alone = {"on": "issue_comment", "jobs": {"event": job}}
    (repository / ".github" / "workflows" / "askfirst.yml").write_text(json.dumps(alone))
    finished = looking.run("issue_comment", event, repository)
    assert finished.green
    assert bool(finished.steps) is is_heard


def test_the_label_starts_a_run_on_the_commit_of_the_event(looking: act.Runner, repository: Path) -> None:
    finished = looking.run("issues", labelled(), repository)
    seen = finished.document("run-1-1", "run.json")
    assert seen["commit"] == act.git(repository, "rev-parse", "HEAD")
    assert seen["event"]["issue"]["title"] == "Add a dry_run flag to the bulk action"


def test_a_dispatch_goes_on_from_the_commit_on_which_the_question_was_asked(
    looking: act.Runner, repository: Path
) -> None:
    asked_on = act.git(repository, "rev-parse", "HEAD")
    (repository / "orders.py").write_text("VERSION = 2\n")
    act.commit_all(repository)
    answers = '{"answers": [{"question_id": "q-1", "slot": "entry_route", "choice": "route:POST /actions"}]}'
    finished = looking.run("workflow_dispatch", dispatched(commit=asked_on, answers=answers), repository)
    assert finished.green
    seen = finished.document("run-1-1", "run.json")
    assert seen["commit"] == asked_on
    assert seen["event"]["inputs"]["answers"] == answers


def test_a_body_of_the_largest_size_reaches_the_program(looking: act.Runner, repository: Path) -> None:
    # 65,536 characters of four bytes each: more than one environment variable can hold.
    body = "\N{BRAIN}" * 65_536
    finished = looking.run("issues", labelled(body=body), repository)
    assert finished.document("run-1-1", "run.json")["event"]["issue"]["body"] == body


def test_a_definition_of_the_repository_is_looked_for_in_the_checkout(
    looking: act.Runner, new_repository: Callable[..., Path], tmp_path: Path
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    repository = new_repository(files, definition=".github/askfirst/pipeline.yml")
    seen = looking.run("issues", labelled(), repository).document("run-1-1", "run.json")
    assert seen["definition"] == f"{seen['repository']}/.github/askfirst/pipeline.yml"


@pytest.mark.parametrize(
    ("secrets", "variables"),
    [
        ({}, ["PYTHONSAFEPATH"]),
        ({"ANTHROPIC_API_KEY": "sk-made-up"}, ["ANTHROPIC_API_KEY", "PYTHONSAFEPATH"]),
    ],
)
def test_a_key_reaches_the_program_where_there_is_one(
    looking: act.Runner, repository: Path, secrets: dict[str, str], variables: list[str]
) -> None:
    finished = looking.run("issues", labelled(), repository, secrets=secrets)
    assert finished.document("run-1-1", "run.json")["variables"] == variables


SIGN_IN = """      - name: Sign in without a key
        run: |
          identity=$(curl -sf -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL")
          echo "AWS_SESSION_TOKEN=session-of-$identity" >> "$GITHUB_ENV"
"""


def test_a_step_before_signs_in_and_the_program_is_given_the_session_and_not_the_right_to_sign_in(
    looking: act.Runner, repository: Path
) -> None:
    """`id-token: write` holds for a whole job: the runner hands it to every step."""

    class Issuer(QuietHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.headers["Authorization"].removeprefix("bearer made-up-").encode())

    workflow = repository / ".github" / "workflows" / "askfirst.yml"
    workflow.write_text(
        workflow.read_text().replace("      - uses: OWNER/", f"{SIGN_IN}      - uses: OWNER/")
    )
    with run_server(ThreadingHTTPServer(ANY_PORT, Issuer)) as url:
        right = {"ACTIONS_ID_TOKEN_REQUEST_URL": url, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "made-up-octocat"}
        finished = looking.run("issues", labelled(), repository, environment=right)
    seen = finished.document("run-1-1", "run.json")
    assert seen["variables"] == ["AWS_SESSION_TOKEN", "PYTHONSAFEPATH"]
    assert seen["session"] == "session-of-octocat"


@pytest.mark.parametrize(
    ("inputs", "provider", "installed"),
    [({}, ["anthropic", None], False), ({"provider": "bedrock"}, ["bedrock", "us-east-1"], True)],
)
def test_with_a_provider_its_libraries_are_installed_and_its_variables_reach_the_program(
    looking: act.Runner,
    new_repository: Callable[..., Path],
    tmp_path: Path,
    inputs: dict[str, str],
    provider: list[str | None],
    installed: bool,
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    repository = new_repository(files, definition="writes down what it sees", **inputs)
    seen = looking.run("issues", labelled(), repository).document("run-1-1", "run.json")
    assert (seen["provider"], seen["has a library of the cloud's"]) == (provider, installed)


def test_a_runner_without_a_new_python_is_told_what_to_do(
    looking: act.Runner, new_repository: Callable[..., Path], tmp_path: Path
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    finished = looking.run("issues", labelled(), new_repository(files, python="no-such-python"))
    assert not finished.green
    assert finished.uploaded == {}
    assert finished.outputs["outcome"] == "error"
    [said] = finished.annotations
    assert said.startswith("::error title=askfirst::askfirst needs Python 3.11 or newer with venv.")
