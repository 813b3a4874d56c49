"""Somebody is at work on the issue already: the run says who, with links, and stops before anything is read or paid for."""

import pytest
from inline_snapshot import snapshot

from sandbox.demo import SAMPLE
from sandbox.world.state import Repository
from sandbox.world.world import Actor
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Stage

TITLE, BODY = "Add a dry_run flag to POST /actions/stream", "Please add a `dry_run` flag."


@pytest.fixture(scope="session")
def repository(stage: Stage) -> Repository:
    return stage.github.create_repository(
        "under-way", from_directory=SAMPLE, collaborators=COLLABORATORS | {"author": "read"}
    )


def commits(stage: Stage, repository: Repository, branch: str, message: str) -> None:
    head = repository.git.resolve(f"refs/heads/{repository.default_branch}")
    sha = repository.git.commit_files(head, {"README.md": message}, message, "octocat")
    octocat = Actor(stage.github.user("octocat"))
    stage.github.pushes.set_ref(repository, octocat, f"refs/heads/{branch}", sha, force=True)


def test_a_pull_request_and_a_commit_that_name_the_issue_stop_the_run_with_links(
    opens_issue: Issues, stage: Stage, repository: Repository
) -> None:
    dialogue = opens_issue(TITLE, BODY, by="author", repository=repository)
    number = dialogue.issue.number
    commits(stage, repository, "dry-run", "Try a flag")
    pull = stage.github.pushes.open_pull_request(
        repository, Actor(stage.github.user("octocat")), title="A flag to try an action", body=f"Closes #{number}",
        head="dry-run", base=repository.default_branch, draft=True,
    )  # fmt: skip
    dialogue.label(by="maintainer")
    assert dialogue.is_asked().replace(f"#{pull.number}", "#PULL").replace(
        f"/pull/{pull.number})", "/pull/PULL)"
    ).partition("Reply **`1`**")[0] == snapshot("""\
**@author, somebody seems to be at work on this. Is it theirs?** It names this issue:

- [#PULL](https://github.com/acme/under-way/pull/PULL): A flag to try an action, draft

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | Stop: that work does it. | Nothing is built. You may close the issue. |
| **`2`** | Go on: this is something else. | I go on as if nobody were at work on it. |

""")
    dialogue.says("1", by="author")
    assert "Nothing will be built" in dialogue.hears()
    assert dialogue.endings == [("issues", 2)]


def test_a_commit_alone_is_enough_and_a_person_may_go_on(
    opens_issue: Issues, stage: Stage, repository: Repository
) -> None:
    dialogue = opens_issue(TITLE, BODY, by="author", repository=repository)
    commits(stage, repository, repository.default_branch, f"Take a flag (#{dialogue.issue.number})")
    dialogue.label(by="maintainer")
    asked = dialogue.is_asked()
    assert "this seems to be done already" in asked
    assert "Take a flag" in asked
    dialogue.says("2", by="author")
    assert "**Answered by `author`:** 2" in dialogue.hears()
    assert dialogue.hears().startswith("**The ticket is ready")
    assert dialogue.endings == [("issues", 2), ("workflow_dispatch", 0)]
