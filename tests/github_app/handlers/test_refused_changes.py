"""What does not become a commit: changes that nobody may make, that nobody approved, or that are not what the run made."""

import base64
import dataclasses
import hashlib
import json

import pytest
from inline_snapshot import snapshot

from github_app.conversation.record import State
from github_app.ports.github import ArtifactRefused, GitHubRefused, GitHubUnavailable, UnpublishableChange
from pipeline.contract.change import FileChange, blob_of
from tests.github_app.conversation.questions import confirmation
from tests.github_app.fakes.endings import a_change, a_ticket
from tests.github_app.fakes.people import WRITER

REFUSED = {
    "workflow": (a_change(".github/workflows/ci.yml"), ".github/workflows/ci.yml"),
    "lock file": (a_change("package-lock.json"), "lock file"),
    "empty": (a_change().model_copy(update={"files": ()}), "it changes nothing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_attack_26_a_change_that_must_not_be_is_refused_visibly_and_once(world, case):
    change, word = REFUSED[case]
    world.labels_it()
    payload = world.run_ends(world.label_run(), a_ticket(), change=change)
    world.deliver("workflow_run", payload)
    [told] = world.new_comments()
    assert told.startswith("**I have not published the change:**")
    assert word in told
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


def test_a_path_that_takes_an_approval_is_published_when_exactly_it_was_approved(world):
    world.labels_it()
    result = blob_of("100644", b"limit = 10\n")
    subject = {
        "tool": "edit_file",
        "arguments": {"path": "package-lock.json"},
        "occurrence": 1,
        "result": result,
    }
    world.run_ends(world.label_run(), confirmation(subject=subject))
    world.says("1", WRITER)
    assert world.record.given.answer.verdict == "approve"
    both = a_change("package-lock.json").model_copy(
        update={
            "files": tuple(
                FileChange(path=path, content=base64.b64encode(b"limit = 10\n"))
                for path in ("package-lock.json", "yarn.lock")
            )
        }
    )
    world.run_ends(world.last_run(), a_ticket(), change=both)
    assert "yarn.lock" in world.new_comments()[-1]
    world.runs[world.last_run()] = dataclasses.replace(world.runs[world.last_run()], attempt=2)
    world.run_ends(world.last_run(), a_ticket(), change=a_change("package-lock.json"))
    assert world.state() is State.PUBLISHED
    [(_, body)] = world.code.opened
    assert "### Decided by a person" in body
    assert "by `hubot-keeper`" in body


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "package-lock.json"}),
        ("edit_file", {"path": "CODEOWNERS", "old": "x", "new": "package-lock.json"}),
        ("run_command", {"command": "package-lock.json"}),
    ],
)
def test_attack_33_the_approval_of_one_call_lets_no_other_file_be_changed(world, tool, arguments):
    world.labels_it()
    subject = {"tool": tool, "arguments": arguments, "occurrence": 1}
    world.run_ends(world.label_run(), confirmation(subject=subject))
    world.says("1", WRITER)
    world.run_ends(world.last_run(), a_ticket(), change=a_change("package-lock.json"))
    assert "lock file" in world.new_comments()[-1]
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


@pytest.mark.parametrize(
    "subject",
    [
        {"tool": "create_file", "arguments": {"path": "package-lock.json"}, "occurrence": 1},
        {
            "tool": "create_file",
            "arguments": {"path": "package-lock.json"},
            "occurrence": 1,
            "result": blob_of("100644", b"[]"),
        },
        {
            "tool": "change_file",
            "arguments": {
                "path": "package-lock.json",
                "mode": "100755",
                "sha256": hashlib.sha256(b"limit = 10\n").hexdigest(),
            },
            "occurrence": 1,
        },
    ],
    ids=["no content", "other content", "other mode"],
)
def test_attack_34_an_approval_publishes_no_other_content_than_was_approved(world, subject):
    world.labels_it()
    world.run_ends(world.label_run(), confirmation(subject=subject))
    world.says("1", WRITER)
    world.run_ends(world.last_run(), a_ticket(), change=a_change("package-lock.json"))
    assert "lock file" in world.new_comments()[-1]
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


def with_package_json(scripts):
    content = json.dumps({"scripts": scripts}).encode()
    file = FileChange(path="package.json", content=base64.b64encode(content))
    return a_change().model_copy(update={"files": (*a_change().files, file)})


def test_attack_37_a_new_install_hook_is_not_published_unapproved(world):
    world.code.base_files["package.json"] = '{"scripts": {"test": "jest"}}'
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=with_package_json({"postinstall": "node evil.js"}))
    assert "installation would run something new (postinstall)" in world.new_comments()[-1]
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


def test_attack_37_what_runs_on_installation_is_named_first_in_the_pull_request(world):
    world.code.base_files["package.json"] = '{"scripts": {"postinstall": "node build.js"}}'
    world.labels_it()
    same_hook = with_package_json({"postinstall": "node build.js", "test": "jest"})
    world.run_ends(world.label_run(), a_ticket(), change=same_hook)
    [(_, body)] = world.code.opened
    named = body.index(
        "### Read these first: they run on installation or in CI\n\n- `package.json`: its scripts run"
    )
    assert named < body.index("The stream endpoint takes any number of requests.")


@pytest.mark.parametrize(("path", "may_ask"), [("Makefile", False), ("app/api/stream.py", True)])
def test_attack_36_the_author_without_write_access_has_no_change_revised_that_runs_by_itself(
    world, path, may_ask
):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=a_change(path))
    world.reviews("Please name the limit")
    world.says("/revise name the limit", on_pull_request=True)
    assert (world.state() is State.REVISING) is may_ask
    world.reviews("Please name the limit", WRITER)
    assert world.state() is State.REVISING


def test_attack_14_a_change_that_was_altered_after_the_run_is_refused(world):
    world.labels_it()
    world.code.unavailable_after_commit = True
    run = world.label_run()
    payload = world.run_ends(run, a_ticket(), change=a_change(), deliver=False)
    with pytest.raises(GitHubUnavailable):
        world.deliver("workflow_run", payload)
    world.endings[run, 1] = dataclasses.replace(world.endings[run, 1], digest="1" * 64)
    world.deliver("workflow_run", payload)
    [told] = world.new_comments()
    assert "was altered after the run had ended" in told
    assert world.code.opened == []


def test_attack_33_a_change_of_another_run_is_refused(world):
    world.labels_it()
    run = world.label_run()
    payload = world.run_ends(run, a_ticket(), change=a_change(), deliver=False)
    ending = world.endings[run, 1]
    world.endings[run, 1] = dataclasses.replace(ending, change=a_change())
    world.deliver("workflow_run", payload)
    assert "another run" in world.new_comments()[0]


def test_an_artifact_that_is_refused_when_it_is_published_is_told(world):
    world.labels_it()
    world.code.refuses = UnpublishableChange(
        "a.py was changed on main since the run read it (1111111, now 2222222)"
    )
    world.run_ends(world.label_run(), a_ticket(), change=a_change())
    assert "was changed on" in world.new_comments()[0]
    world.labels_it()
    run = world.label_run()
    payload = world.run_ends(run, a_ticket(), change=a_change(), deliver=False)
    world.endings[run, 1] = ArtifactRefused("it is too large")
    world.deliver("workflow_run", payload)
    assert "it is too large" in world.new_comments()[0]


def test_a_commit_whose_answer_was_lost_is_found_and_the_pull_request_opened_once(world):
    world.labels_it()
    world.code.unavailable_after_commit = True
    payload = world.run_ends(world.label_run(), a_ticket(), change=a_change(), deliver=False)
    with pytest.raises(GitHubUnavailable):
        world.deliver("workflow_run", payload)
    world.deliver("workflow_run", payload)
    assert (len(world.code.commits), len(world.code.opened)) == (1, 1)
    assert len(world.new_comments()) == 1


def test_a_pull_request_that_github_refuses_leaves_a_branch_that_is_named(world):
    world.labels_it()
    world.code.refuses_pull_request = GitHubRefused(422, "Validation Failed")
    world.run_ends(world.label_run(), a_ticket(), change=a_change())
    assert (len(world.code.commits), world.state()) == (1, State.FAILED)
    assert world.new_comments()[-1] == snapshot(
        "**I have not published the change:** GitHub opened no pull request and answered 422, Validation Failed. Its commit is on the branch `askfirst/418-limit-the-action-endpoint`: open a pull request from there yourself, or delete the branch. See run [3300000001](https://github.com/acme/orders/actions/runs/3300000001). To try again, label the issue `askfirst` again."
    )
