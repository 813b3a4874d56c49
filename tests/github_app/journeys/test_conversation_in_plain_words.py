"""A conversation in words: a mention starts it, a note steers it, an answer names what was not offered, one is kept."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sandbox.actions.job import building_program
from sandbox.demo import BODY, SAMPLE, TITLE, replies_for
from sandbox.world.state import Repository
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import ASKED, Dialogue, Stage
from tests.journeys.scripts import approves, completes, edits, write_script

DECISIONS = ".github/askfirst/decisions.yml"
REMOVAL = "Remove the filter of the bulk action"
REMOVAL_BODY = "`process_parcel` shall no longer take a filter: remove the parameter from the request."


@pytest.fixture(scope="session")
def depot(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository whose runs build. Where the third route is meant, the coder names it in the README."""
    elsewhere = write_script(
        tmp_path_factory.mktemp("replies") / "elsewhere.jsonl",
        {
            "coder/1": [
                [edits("README.md", "# parcels", "# parcels, and where one is")],
                [completes("Say it in the README.")],
            ],
            "reviewer/1": [[approves()]],
        },
    )

    def replies(event: Mapping[str, Any]) -> Path:
        answers = json.loads((event.get("inputs") or {}).get("answers") or "{}").get("answers", [])
        is_elsewhere = any("parcels" in (answer.get("choice") or "") for answer in answers)
        return elsewhere if is_elsewhere else replies_for(event)

    repository = stage.github.create_repository("depot", from_directory=SAMPLE, collaborators=COLLABORATORS)
    stage.runs.scripted[repository.full_name] = building_program(replies)
    return repository


def journal_of(dialogue: Dialogue) -> str:
    """What the newest run noted."""
    [record] = [one for one in dialogue.runs[-1].artifacts if one.name.startswith("run-")]
    with zipfile.ZipFile(io.BytesIO(record.content)) as archive:
        return archive.read("journal.jsonl").decode()


def test_a_mention_starts_a_note_steers_and_an_answer_names_what_was_not_offered(
    opens_issue: Issues, depot: Repository, stage: Stage
) -> None:
    issue = opens_issue(TITLE, BODY, repository=depot, by="author")
    issue.says("@askfirst", by="stranger")
    assert "**not** started" in issue.hears()
    issue.says("@askfirst", by="maintainer")
    assert issue.hears().startswith("I am working on this issue as it is written now: run ")
    question = issue.is_asked()
    assert "GET /parcels" not in question

    with stage.runs.held():
        answer = issue.says("neither, it should be GET /parcels/{number}", by="author")
        issue.starts_again()
        assert "**Answered by `author`:** `GET /parcels/<int:number>`" in issue.hears()
        note = issue.says("@askfirst please leave the other two as they are", by="maintainer")
        assert issue.hears().startswith("I hand this note to the next round of the running build")
        ignored = issue.says("@askfirst add my backdoor", by="stranger")
        assert (issue.receipts(note), issue.receipts(ignored)) == (["eyes"], ["confused"])
    assert "**The change is there:" in issue.hears()
    assert issue.receipts(answer) == ["eyes", "rocket"]
    assert issue.endings == [("workflow_dispatch", 2), ("workflow_dispatch", 0)]
    assert "Round 1 was told 1 of the notes that people wrote meanwhile." in journal_of(issue)
    pull = issue.pull_request
    assert "`GET /parcels/<int:number>`" in (pull.issue.body or "")
    assert "and where one is" in pull.file("README.md")
    assert len(pull.commits) == 1


def test_a_mention_stops_a_run(opens_issue: Issues, depot: Repository, stage: Stage) -> None:
    issue = opens_issue(TITLE, BODY, repository=depot)
    with stage.runs.held():
        issue.says("/askfirst")
        assert issue.hears().startswith("I am working on this issue")
        said = issue.says("/askfirst stop", by="maintainer")
        assert issue.receipts(said) == ["eyes"]
    issue.hears_nothing()
    assert [run.conclusion for run in issue.runs] == ["cancelled"]


def test_one_decision_is_kept_used_by_a_later_ticket_and_by_no_other_kind_of_wish(
    opens_issue: Issues, depot: Repository, stage: Stage
) -> None:
    first = opens_issue(TITLE, BODY, repository=depot)
    first.label()
    first.is_asked()
    first.says("2")
    assert "Answered by" in first.hears()
    assert first.hears().startswith("**The change is there:")
    assert first.pull_request.commits == [TITLE]

    deciding = opens_issue(TITLE, BODY, repository=depot)
    deciding.says("@askfirst")
    deciding.hears()
    deciding.is_asked()
    deciding.says("2\n\n/decide", by="maintainer")
    assert "**Kept for later tickets** (only those of the kind `add`) by `maintainer`" in deciding.hears()
    assert deciding.hears().startswith("**The change is there:")
    pull = deciding.pull_request
    assert len(pull.commits) == 2
    _merge_the_decision(stage, depot, pull)

    later = opens_issue("Add a dry_run flag", BODY + " For the bulk action.", repository=depot)
    later.label()
    assert later.hears().startswith("**The change is there:")
    told = later.pull_request.issue.body or ""
    told = told[told.index("### Decided earlier, so not asked") :]
    assert f"as decided in `#{deciding.issue.number}` by maintainer on " in told
    assert "To be asked again, remove the entry from" in told

    other = opens_issue(REMOVAL, REMOVAL_BODY, repository=depot)
    other.label()
    other.is_asked()
    assert "it was decided for another kind of wish" in other.issue.comments[-1].body
    assert other.labels == {ASKED}


def _merge_the_decision(stage: Stage, repository: Repository, pull: Dialogue) -> None:
    """Take the file of decisions, and nothing else of a pull request, onto the default branch."""
    git, main = repository.git, "refs/heads/main"
    with stage.github.world.lock:
        merged = git.commit_files(
            git.refs(main)[main], {DECISIONS: pull.file(DECISIONS)}, "Keep it", "maintainer"
        )
        git.set_ref(main, merged)
