"""`askfirst-app serve` from the label to a draft pull request, and one round of its review."""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sandbox.world.state import Issue
    from tests.github_app.served.conftest import World


def wait_for(world: "World", what: str, is_so: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            pytest.fail(f"no {what}; log: {world.app.log()[-6000:]}")
        time.sleep(0.05)
    world.github.wait_until_quiet(timeout=60)


def the_pull_request(world: "World") -> "Issue":
    issue = world.github.open_issue(world.orders, "Add a dry_run flag", "to the bulk action")
    world.github.label(issue)
    wait_for(world, "question", lambda: "askfirst:needs-answer" in world.github.labels(issue))
    world.github.comment(issue, "2\n\n/decide")
    wait_for(
        world,
        "word of the pull request",
        lambda: "The change is there" in world.github.comments(issue)[-1].body,
    )
    [pull] = world.github.pull_requests(world.orders)
    told = world.github.comments(issue)[-1].body
    assert f"pull/{pull.number}" in told
    return pull


def test_a_label_leads_to_a_draft_pull_request_and_a_review_to_another_commit(
    building_world: "World",
) -> None:
    world = building_world
    pull = the_pull_request(world)
    found, git = pull.pull_request, world.orders.git
    assert found is not None
    assert found.draft
    assert (pull.title, pull.user.login) == ("Add a dry_run flag", "askfirst[bot]")
    assert pull.body is not None
    assert pull.body.startswith("Closes #1\n")
    for words in (
        "POST /actions/stream",
        "by `octocat`",
        "| `pytest -q` | passed | 3 passed |",
        "were scripted",
    ):
        assert words in pull.body
    assert found.head_branch == "askfirst/1-add-a-dry-run-flag"
    first, kept = git.commits_between(found.base_sha, found.head_sha)
    for commit in (git.commit(first), git.commit(kept)):
        assert (commit.author.name, commit.committer.name) == ("askfirst[bot]", "GitHub")
    assert [change.path for change in git.changes(first, kept)] == [".github/askfirst/decisions.yml"]
    assert "### Kept for later tickets" in pull.body

    world.github.review(
        pull, "REQUEST_CHANGES", "Please call it rehearse", remarks=[("src/actions.py", 1, "here")]
    )
    wait_for(world, "another commit", lambda: len(git.commits_between(found.base_sha, found.head_branch)) > 2)
    run = world.github.runs(world.orders)[-1]
    inputs = run.event_payload["inputs"]
    assert inputs["commit"] == kept
    assert json.loads(inputs["revise"])["pull_request"] == pull.number
    assert "rehearse" not in str(inputs)
    *_, second = git.commits_between(found.base_sha, found.head_branch)
    assert git.commit(second).parents == (kept,)
    assert git.blob(git.entry(second, "src/actions.py").sha or "") == b"rehearse = False\n"
    assert len(world.github.pull_requests(world.orders)) == 1
    started, done = (comment.body for comment in world.github.comments(pull))
    assert started.startswith("I am working on the changes that `octocat` requested")
    assert done.startswith("**I have changed it again:**")
