"""After the pull request: red checks are mended twice, and then a person is told. The replies are scripted."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from sandbox.actions.job import building_program
from sandbox.demo import BODY, SAMPLE, TITLE, replies_for
from sandbox.sandbox import WORKFLOW_FILE
from sandbox.world.state import Repository
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Dialogue, Stage, checks_end
from tests.journeys.scripts import approves, completes, edits, write_script

LOG = """\
2026-11-24T09:00:01.1234567Z README.md:1: the route has no name
2026-11-24T09:00:01.2345678Z ##[error]Process completed with exit code 1.
2026-11-24T09:00:01.3456789Z Post job cleanup.
"""
RED, GREEN = ("failure", LOG), ("success", "")
CLEAR = TITLE.replace("bulk action", "POST /actions/stream")


def mending(path: Path, old: str, new: str) -> Path:
    return write_script(
        path,
        {
            "coder/1": [[edits("README.md", old, new)], [completes(f"Call it {new[2:]}.")]],
            "reviewer/1": [[approves(criteria=3)]],
        },
    )


@pytest.fixture(scope="session")
def letters(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository whose runs go on to a change, and whose failed checks are mended by another headline."""
    folder = tmp_path_factory.mktemp("replies")
    first = mending(folder / "first.jsonl", "# parcels", "# letters")
    second = mending(folder / "second.jsonl", "# letters", "# postcards")
    heads: dict[str, list[str]] = {}

    def replies(event: Mapping[str, Any]) -> Path:
        inputs = event.get("inputs") or {}
        failed_checks = json.loads(inputs.get("revise") or "{}").get("failed")
        if failed_checks is None:
            return replies_for(event)
        of_pull = heads.setdefault(f"{event['repository']['full_name']}#{inputs['issue']}", [])
        of_pull.append(failed_checks["commit"])
        return first if len(of_pull) == 1 else second

    repository = stage.github.create_repository("letters", from_directory=SAMPLE, collaborators=COLLABORATORS)
    stage.runs.scripted[repository.full_name] = building_program(replies)
    checks_end(stage.github, repository, "main", lint=GREEN, docs=RED)
    return repository


WORKFLOW = WORKFLOW_FILE.read_text(encoding="utf-8").replace(
    'steps: [{run: "true"}]', "steps:\n      - uses: askfirst\n        with:\n          definition: build\n"
)


def test_one_comment_shows_where_a_build_is(
    opens_issue: Issues, stage: Stage, letters: Repository, tmp_path: Path
) -> None:
    workflow = tmp_path / "askfirst.yml"
    workflow.write_text(WORKFLOW, encoding="utf-8")
    stamps = stage.github.create_repository(
        "stamps", from_directory=SAMPLE, collaborators=COLLABORATORS, workflow=workflow
    )
    stage.runs.scripted[stamps.full_name] = stage.runs.scripted[letters.full_name]
    checks_end(stage.github, stamps, "main", lint=GREEN)
    issue = opens_issue(CLEAR, BODY, repository=stamps)
    with stage.runs.held():
        issue.label()
        stage.until(lambda: "running" in issue.progress, "a running build")
        states = [issue.progress]
    stage.settle()
    states.append(issue.progress)
    assert "The change is there" in issue.hears()
    pull = issue.pull_request
    with stage.runs.held():
        pull.checks_end(lint=RED)
        stage.until(lambda: "1 of 2" in issue.progress and "step" in issue.progress, "a revision that runs")
        states.append(issue.progress)
    stage.settle()
    pull.checks_end(lint=GREEN)
    stage.settle()
    states.append(issue.progress)
    assert "\n\n".join(states) == snapshot("""\
| Build | running, step `Run askfirst`, run [RUN](https://github.com/acme/stamps/actions/runs/RUN) |
|---|---|

| Build | ended with a change |
|---|---|
| Last run | 2 rounds · tests: 4 passed · no model was called: replies were scripted |
| Pull request | [#PULL](https://github.com/acme/stamps/pull/PULL) |

| Build | running, step `Run askfirst`, run [RUN](https://github.com/acme/stamps/actions/runs/RUN) |
|---|---|
| Revision | 1 of 2, because checks failed |
| Last run | 2 rounds · tests: 4 passed · no model was called: replies were scripted |
| Pull request | [#PULL](https://github.com/acme/stamps/pull/PULL) |
| Checks | `lint` failed, passes on the base |

| Build | ended with a change |
|---|---|
| Revision | 1 of 2, because checks failed |
| Last run | 1 round · tests: 4 passed · no model was called: replies were scripted |
| Pull request | [#PULL](https://github.com/acme/stamps/pull/PULL) |
| Checks | 1 passed |\
""")
    assert len([comment for comment in issue.issue.comments if comment.via_app]) == 2
    assert "revision 1 of 2" in pull.hears()
    assert "I have changed it again" in pull.hears()


@pytest.fixture
def pull(opens_issue: Issues, letters: Repository) -> Dialogue:
    """A pull request on a base where `lint` is green and `docs` is red."""
    issue = opens_issue(CLEAR, BODY, repository=letters)
    issue.label()
    assert "The change is there" in issue.hears()
    return issue.pull_request


def test_a_check_is_red_mended_red_again_and_then_the_app_stops(pull: Dialogue, stage: Stage) -> None:
    pull.checks_end(docs=RED)
    pull.hears_nothing()
    pull.checks_end(lint=RED)
    assert pull.hears() == snapshot(
        "`lint` fails here and passes on the base. I work on it from the end of the log: revision 1 of 2, run [RUN](https://github.com/acme/letters/actions/runs/RUN). A push onto the branch stops me."
    )
    assert "I have changed it again" in pull.hears()
    assert pull.file("README.md").startswith("# letters")
    pull.checks_end(lint=RED, docs=RED)
    assert "revision 2 of 2" in pull.hears()
    assert "I have changed it again" in pull.hears()
    assert pull.commits[1:] == ["Call it letters.", "Call it postcards."]
    pull.checks_end(lint=RED)
    assert pull.hears() == snapshot(
        "**I stop here:** `lint` fails after 2 revisions. A person should go on. To have me go on, comment `/revise` and a sentence."
    )
    pull.checks_end(lint=RED)
    pull.hears_nothing()
    assert len(pull.commits) == 3


def test_a_push_of_a_person_while_a_check_is_mended_stands_alone(pull: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        pull.checks_end(lint=RED)
        assert "revision 1 of 2" in pull.hears()
        pull.pushes("README.md", "# by hand\n")
        pull.checks_end(lint=RED)
        assert "Somebody pushed onto this branch" in pull.hears()
    pull.hears_nothing()
    assert pull.file("README.md") == "# by hand\n"
    pull.checks_end(lint=RED)
    pull.hears_nothing()
