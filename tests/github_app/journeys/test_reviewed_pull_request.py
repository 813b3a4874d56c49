"""From the label through a question to a draft pull request, and on through its review. The replies are scripted."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from sandbox.actions.job import building_program
from sandbox.demo import BODY, REVIEW, SAMPLE, TITLE, replies_for
from sandbox.world.state import Repository
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import ASKED, Stage
from tests.journeys.scripts import approves, completes, edits, write_script

WHERE = {
    "question": "Shall the README name the route as well?",
    "why": "The README names no route yet.",
    "options": ["Name the route", "Do not name it"],
    "default": "Do not name it",
}
LOOSENED = "rules:\n  - {tool: run_command, decision: allow}\n"


@pytest.fixture(scope="session")
def parcels(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository whose runs go on to a change; asked to mention the route, the coder asks back."""
    folder = tmp_path_factory.mktemp("replies")
    asking = write_script(folder / "asking.jsonl", {"coder/1": [[("clarify", WHERE)]]})
    told = write_script(
        folder / "told.jsonl",
        {
            "coder/1": [
                [edits("README.md", "# parcels", "# parcels, with `POST /actions/stream`")],
                [completes("Name the route in the README.")],
            ],
            "reviewer/1": [[approves(criteria=3)]],
        },
    )

    def replies(event: Mapping[str, Any]) -> Path:
        inputs = event.get("inputs") or {}
        answers = json.loads(inputs.get("answers") or "{}").get("answers", [])
        is_comment = "comment_id" in json.loads(inputs.get("revise") or "{}").get("asked", {})
        if not is_comment:
            return replies_for(event)
        return asking if len(answers) < 2 else told

    repository = stage.github.create_repository("parcels", from_directory=SAMPLE, collaborators=COLLABORATORS)
    stage.runs.scripted[repository.full_name] = building_program(replies)
    return repository


def test_a_question_an_answer_a_pull_request_and_two_rounds_of_review(
    opens_issue: Issues, parcels: Repository, stage: Stage
) -> None:
    issue = opens_issue(TITLE, BODY, repository=parcels)
    issue.label()
    issue.is_asked()
    issue.says("2")
    assert "Answered by" in issue.hears()
    assert issue.hears().startswith("**The change is there:")
    pull = issue.pull_request
    assert pull.commits == ["Add a dry_run flag to the bulk action"]
    assert "dry_run" in pull.file("parcels/actions.py")

    pull.requests_changes(REVIEW, by="stranger")
    pull.hears_nothing()
    pull.requests_changes(REVIEW, by="maintainer")
    assert pull.hears().startswith("I am working on the changes that `maintainer` requested: run ")
    assert "It says how to ask for a dry run." in pull.hears()
    assert len(pull.commits) == 2
    assert "nothing is moved" in pull.file("README.md")

    comment = pull.says("/askfirst revise: mention the route, please")
    assert pull.hears().startswith("I am working on the changes that `octocat` requested: run ")
    assert pull.hears() == snapshot("""\
**@octocat, shall the README name the route as well?** The README names no route yet.

| Reply | What |
|---|---|
| **`1`** default | Do not name it |
| **`2`** | Name the route |

Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by DAY.

▸ What I looked at, and why 1 is the default\
""")
    stage.settle()
    assert (issue.unread(), issue.labels) == ([], {ASKED})
    pull.says("2")
    assert "Answered by" in pull.hears()
    assert "I have changed it again" in pull.hears()
    assert pull.commits[2:] == ["Name the route in the README."]
    assert "with `POST /actions/stream`" in pull.file("README.md")
    assert "rocket" in pull.receipts(comment)
    assert [code for _, code in issue.endings] == [2, 0, 0, 2, 0]
    assert (pull.unread(), issue.labels) == ([], set())


def test_rules_that_a_pull_request_loosens_do_not_hold_for_its_own_revision(
    opens_issue: Issues, parcels: Repository, stage: Stage
) -> None:
    issue = opens_issue(TITLE.replace("bulk action", "POST /actions/stream"), BODY, repository=parcels)
    issue.label()
    assert "The change is there" in issue.hears()
    pull = issue.pull_request
    found = pull.issue.pull_request
    assert found is not None
    git = parcels.git
    loosened = git.commit_files(
        found.head_sha,
        {".github/askfirst/gate.yml": LOOSENED, ".github/askfirst/config.yml": "x: 1\n"},
        "Loosen",
        "octocat",
    )
    with stage.github.world.lock:
        git.set_ref(f"refs/heads/{found.head_branch}", loosened)
        found.head_sha = loosened
    pull.requests_changes(REVIEW)
    assert "I am working on" in pull.hears()
    assert "I have changed it again" in pull.hears()
    assert "nothing is moved" in pull.file("README.md")
