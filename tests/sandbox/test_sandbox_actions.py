"""Workflow runs: what starts them, what the job sees, how they end, what they leave."""

import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest
from github import GithubException

from sandbox import Sandbox
from sandbox.world.state import Repository, Run
from tests.sandbox.clients import as_app, as_person, call, eventually
from tests.sandbox.conftest import SCRIPT, scripted


def run_one(script: str, *, body: str = "Body", files: Path | None = None) -> Run:
    """The run of one labelled issue whose job executes a shell script."""
    with Sandbox.start(program=scripted(script)) as github:
        orders = github.create_repository(from_directory=files)
        github.label(github.open_issue(orders, "Title", body))
        github.wait_until_quiet(settle=0)
        return github.runs(orders)[0]


def quiet_runs(github: Sandbox, repository: Repository) -> list[Run]:
    github.wait_until_quiet(settle=0)
    return github.runs(repository)


def test_the_label_starts_a_run_and_any_other_label_a_skipped_one(described: Sandbox) -> None:
    orders = described.create_repository()
    issue = described.open_issue(orders, "Title", "Body")
    described.label(issue, "bug")
    described.label(issue, "askfirst")
    described.wait_until_quiet(settle=0)
    conclusions = [(run.name, run.conclusion) for run in described.runs(orders, include_skipped=True)]
    assert conclusions == [("askfirst #1", "skipped"), ("askfirst #1", "success")]
    seen = as_app(described).get_repo("acme/orders").get_workflow("askfirst.yml").get_runs(event="issues")
    assert [run.conclusion for run in seen] == ["success", "skipped"]
    assert {run.path for run in seen} == {".github/workflows/askfirst.yml"}
    assert [job.conclusion for job in seen[0].jobs()] == ["success"]


def test_a_label_on_a_closed_issue_or_by_a_bot_starts_a_skipped_run(described: Sandbox) -> None:
    orders = described.create_repository()
    closed, labelled_by_bot = (described.open_issue(orders, "Title", "Body") for _ in range(2))
    described.close_issue(closed)
    described.label(closed)
    as_app(described).get_repo("acme/orders").get_issue(labelled_by_bot.number).add_to_labels("askfirst")
    assert quiet_runs(described, orders) == []
    conclusions = [run.conclusion for run in described.runs(orders, include_skipped=True)]
    assert conclusions == ["skipped", "skipped"]


def test_a_repository_without_the_workflow_runs_nothing(github: Sandbox) -> None:
    orders = github.create_repository(workflow=None)
    github.label(github.open_issue(orders, "Title", "Body"))
    assert quiet_runs(github, orders) == []


def test_a_dispatch_tells_its_run_id_as_its_api_version_does(described: Sandbox) -> None:
    orders = described.create_repository()
    described.open_issue(orders, "Title", "Body")
    address = f"{described.api_url}/repos/acme/orders/actions/workflows/askfirst.yml/dispatches"
    token = described.token_of("octocat")
    inputs = {"issue": 1, "nonce": "abc"}
    wish = {"ref": "main", "inputs": inputs}
    assert call("POST", address, wish, token=token).status == 204
    detailed = call("POST", address, {**wish, "return_run_details": True}, token=token)
    assert detailed.status == 200
    newest = as_app(described, version="2026-03-10").get_repo("acme/orders").get_workflow("askfirst.yml")
    assert newest.create_dispatch("main", inputs, return_run_details=True).event == "workflow_dispatch"
    runs = quiet_runs(described, orders)
    assert [run.name for run in runs] == ["askfirst #1 abc"] * 3
    assert detailed.document["workflow_run_id"] == runs[1].id
    assert {run.event for run in runs} == {"workflow_dispatch"}
    assert runs[2].actor.login == "askfirst[bot]"


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"ref": "main", "inputs": {"issue": 1, "colour": "red"}}, "Unexpected inputs provided: ['colour']"),
        ({"ref": "main", "inputs": {}}, "Required input 'issue' not provided"),
        ({"ref": "nowhere", "inputs": {"issue": 1}}, "No ref found for: nowhere"),
        ({"ref": "main", "inputs": {"issue": 1, "answers": "x" * 65_535}}, "inputs are too large."),
    ],
)
def test_a_wrong_dispatch_is_refused(github: Sandbox, wish: dict[str, object], message: str) -> None:
    github.create_repository()
    address = f"{github.api_url}/repos/acme/orders/actions/workflows/askfirst.yml/dispatches"
    refused = call("POST", address, wish, token=github.token_of("octocat"))
    assert (refused.status, refused.document["message"]) == (422, message)


def test_dispatching_takes_write_permission(github: Sandbox) -> None:
    github.create_repository()
    workflow = as_app(github, {"actions": "read"}).get_repo("acme/orders").get_workflow("askfirst.yml")
    with pytest.raises(GithubException) as refused:
        workflow.create_dispatch("main", {"issue": 1}, throw=True)
    assert refused.value.status == 403


@pytest.mark.parametrize(
    ("script", "conclusion"),
    [
        ("mkdir askfirst-run; echo '{}' > askfirst-run/ticket.json", "success"),
        ("mkdir askfirst-run; echo '{}' > askfirst-run/clarification.json; exit 2", "success"),
        ("mkdir askfirst-run; echo '{}' > askfirst-run/failure.json; exit 1", "failure"),
        ("exit 2", "failure"),
        ("mkdir askfirst-run; echo '{}' > askfirst-run/clarification.json; exit 0", "failure"),
        ("mkdir askfirst-run; echo '{}' > askfirst-run/ticket.json; echo outcome=error >> $GITHUB_OUTPUT", "failure"),
        ("kill -9 $$", "failure"),
        ("exec no-such-program", "failure"),
    ],
)  # fmt: skip
def test_a_run_ends_as_the_action_would_end_it(script: str, conclusion: str) -> None:
    assert run_one(script).conclusion == conclusion


def test_a_job_sees_the_checkout_and_githubs_variables_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text("total = 1\n")
    run = run_one("cat $GITHUB_WORKSPACE/orders.py; env; exit 1", files=tmp_path)
    lines = run.log.splitlines()
    assert lines[0] == "total = 1"
    variables = dict(line.split("=", 1) for line in lines[1:] if "=" in line)
    assert variables["GITHUB_REPOSITORY"] == "acme/orders"
    assert variables["GITHUB_RUN_ID"] == str(run.id)
    assert variables["GITHUB_SHA"] == run.head_sha
    foreign = {name for name in variables if not name.startswith(("GITHUB_", "RUNNER_"))}
    assert foreign <= {
        "PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "LANG", "CI", "PYTHONSAFEPATH", "PWD", "OLDPWD", "SHLVL", "_",
    }  # fmt: skip


def test_every_job_starts_on_an_empty_disk(github: Sandbox) -> None:
    leave = "ls -A $HOME $XDG_CACHE_HOME $RUNNER_TEMP; touch $HOME/left $XDG_CACHE_HOME/left; exit 1"
    with Sandbox.start(program=scripted(leave)) as other:
        orders = other.create_repository()
        for number in (1, 2):
            other.label(other.open_issue(orders, f"Issue {number}", None))
        first, second = quiet_runs(other, orders)
        assert "left" not in first.log + second.log


def test_the_jobs_token_reads_and_does_not_write() -> None:
    with Sandbox.start(program=scripted('echo "$GITHUB_TOKEN" > token; sleep 60')) as github:
        orders = github.create_repository()
        github.label(github.open_issue(orders, "Title", "Body"))
        eventually(lambda: any(token.kind == "job" for token in github.world.tokens.values()))
        token = next(token.value for token in github.world.tokens.values() if token.kind == "job")
        issue = f"{github.api_url}/repos/acme/orders/issues/1"
        assert call("GET", issue, token=token).status == 200
        assert call("POST", f"{issue}/comments", {"body": "hello"}, token=token).status == 403


def test_artifacts_come_from_another_host_that_wants_no_credentials(described: Sandbox) -> None:
    orders = described.create_repository()
    described.label(described.open_issue(orders, "Title", "please-ask"))
    run = quiet_runs(described, orders)[0]
    artifacts = list(as_app(described).get_repo("acme/orders").get_workflow_run(run.id).get_artifacts())
    assert {a.name for a in artifacts} == {f"{part}-{run.id}-1" for part in ("clarification", "memo", "run")}
    clarification = next(a for a in artifacts if a.name.startswith("clarification"))
    token = described.token_of("octocat")
    redirect = call("GET", clarification.archive_download_url, token=token)
    assert redirect.status == 302
    location = redirect.headers["Location"]
    assert not location.startswith(described.html_url + "/")
    assert call("GET", location, token=token).status == 400
    assert described.artifact_host.refused_credentials == 1
    content = call("GET", location).body
    assert clarification.raw_data["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()
    assert zipfile.ZipFile(io.BytesIO(content)).namelist() == ["clarification.json"]
    described.advance(61)
    assert call("GET", location).status == 403


def test_runs_about_one_issue_go_one_after_another(tmp_path: Path) -> None:
    wait = f"while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; "
    with Sandbox.start(program=scripted(wait + SCRIPT)) as github:
        orders = github.create_repository()
        github.label(github.open_issue(orders, "Title", "Body"))
        as_person(github, "octocat").get_repo("acme/orders").get_workflow("askfirst.yml").create_dispatch(
            "main", {"issue": 1}
        )
        first, second = github.runs(orders)
        eventually(lambda: first.status == "in_progress")
        assert second.status == "queued"
        (tmp_path / "go").touch()
        github.wait_until_quiet(settle=0)
        told = [
            (d.action, json.loads(d.body)["workflow_run"]["id"])
            for d in github.deliveries.attempts
            if d.event == "workflow_run"
        ]
        assert told.index(("completed", first.id)) < told.index(("in_progress", second.id))


def test_a_cancelled_run_is_killed() -> None:
    with Sandbox.start(program=scripted("sleep 600")) as github:
        orders = github.create_repository()
        github.label(github.open_issue(orders, "Title", "Body"))
        eventually(lambda: github.runs(orders)[0].status == "in_progress")
        run = as_app(github).get_repo("acme/orders").get_workflow_run(github.runs(orders)[0].id)
        assert run.cancel()
        github.wait_until_quiet(timeout=180, settle=0)
        assert github.runs(orders)[0].conclusion == "cancelled"
        assert not run.cancel()


def test_a_rerun_reads_the_old_payload_again(github: Sandbox) -> None:
    orders = github.create_repository()
    issue = github.open_issue(orders, "Title", "please-ask")
    github.label(issue)
    quiet_runs(github, orders)
    github.edit_issue(issue, body="nothing to ask")
    as_app(github).get_repo("acme/orders").get_workflow_run(github.runs(orders)[0].id).rerun()
    run = quiet_runs(github, orders)[0]
    assert (run.attempt, run.exit_code) == (2, 2)
    assert f"clarification-{run.id}-2" in {artifact.name for artifact in run.artifacts}


def test_a_dispatched_run_checks_out_the_commit_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text("old\n")
    with Sandbox.start(program=scripted("cat $GITHUB_WORKSPACE/orders.py; exit 1")) as github:
        orders = github.create_repository(from_directory=tmp_path)
        old = orders.git.resolve("refs/heads/main")
        github.commit(orders, {"orders.py": "new\n"})
        workflow = as_app(github).get_repo("acme/orders").get_workflow("askfirst.yml")
        workflow.create_dispatch("main", {"issue": 1, "commit": old})
        workflow.create_dispatch("main", {"issue": 1})
        assert [run.log for run in quiet_runs(github, orders)] == ["old\n", "new\n"]
