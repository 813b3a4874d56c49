"""Work on an issue that somebody has begun or done: where it is seen, what it stops, and what it does not."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.contract.answers import Answer
from pipeline.domain.errors import NothingToBuild
from pipeline.domain.linked_work import LinkedWork, WorkState
from pipeline.domain.stops import WorkUnderWay
from pipeline.github_read.reader import GitHubReader
from pipeline.github_read.timeline import work_in_timeline, work_on_branches
from pipeline.run.linked_work import finder
from pipeline.stages.under_way import UnderWay, decide
from tests.pipeline.github_read.issues_server import REPOSITORY, issues_on_github

ISSUE = 418


def pull(number: int = 12, body: str | None = f"Closes #{ISSUE}", **more: Any) -> dict[str, Any]:
    """A pull request that names the issue, as the timeline has it."""
    merged_at = more.pop("merged_at", None)
    source = {
        "number": number,
        "title": "Limit the bulk action",
        "body": body,
        "state": "closed" if merged_at else "open",
        "draft": False,
        "url": f"https://api.github.com/repos/{more.pop('repository', REPOSITORY)}/issues/{number}",
        "html_url": f"https://github.com/{REPOSITORY}/pull/{number}",
        "pull_request": {"merged_at": merged_at},
        **more,
    }
    return {
        "event": "cross-referenced",
        "created_at": "2026-01-02T00:00:00Z",
        "source": {"type": "issue", "issue": source},
    }


def seen(*events: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [(work.id, work.state.value, work.closes) for work in work_in_timeline(events, REPOSITORY, ISSUE)]


@pytest.mark.parametrize(
    ("event", "work"),
    [
        (pull(), [("pull:12", "open", True)]),
        (pull(draft=True), [("pull:12", "draft", True)]),
        (
            pull(body=f"fixes: https://github.com/acme/parcels/issues/{ISSUE}"),
            [("pull:12", "open", True)],
        ),
        (pull(body=f"A first step for #{ISSUE}"), [("pull:12", "open", False)]),
        (pull(body=f"Closes #{ISSUE}9, see #{ISSUE}"), [("pull:12", "open", False)]),
        (pull(body=None), [("pull:12", "open", False)]),
        (pull(merged_at="2026-01-03T00:00:00Z"), [("pull:12", "merged", True)]),
        (pull(state="closed"), []),
        (pull(repository="acme/vault"), []),
        (pull(body=f"Closes #{ISSUE}\n<!-- askfirst:v1 e30= aa== -->"), []),
        (
            {"event": "referenced", "created_at": "2026-01-02T00:00:00Z", "commit_id": "ab" * 20},
            [(f"commit:{'ab' * 20}", "committed", False)],
        ),
        ({"event": "closed", "created_at": "2026-01-02T00:00:00Z", "commit_id": None}, []),
        ({"event": "labeled", "created_at": "2026-01-02T00:00:00Z"}, []),
    ],
)
def test_the_timeline_says_who_works_on_an_issue(
    event: dict[str, Any], work: list[tuple[str, str, bool]]
) -> None:
    assert seen(event) == work


def test_what_came_before_the_issue_was_opened_again_was_not_enough() -> None:
    commit = {"event": "closed", "created_at": "2026-01-03T00:00:00Z", "commit_id": "ab" * 20}
    reopened = {"event": "reopened", "created_at": "2026-01-04T00:00:00Z"}
    assert seen(pull(merged_at="2026-01-03T00:00:00Z"), commit, reopened) == []
    assert seen(pull(), reopened) == [("pull:12", "open", True)]


def test_a_branch_that_begins_with_the_number_is_work() -> None:
    (work,) = work_on_branches([{"ref": f"refs/heads/{ISSUE}-limit-the-bulk-action"}])
    assert (work.id, work.state) == (f"branch:{ISSUE}-limit-the-bulk-action", WorkState.BRANCHED)


def piece(state: WorkState = WorkState.OPEN, **changed: Any) -> LinkedWork:
    return LinkedWork(id="pull:12", title="Limit it", state=state, **changed)


def stopped(*work: LinkedWork) -> WorkUnderWay:
    with pytest.raises(WorkUnderWay) as stop:
        decide(work, ())
    return stop.value


@pytest.mark.parametrize(
    "work",
    [
        piece(),
        piece(WorkState.DRAFT),
        piece(WorkState.BRANCHED),
        piece(WorkState.COMMITTED),
        piece(WorkState.MERGED, closes=True),
    ],
)
def test_work_on_the_issue_is_a_question_with_stop_as_its_default(work: LinkedWork) -> None:
    ask = stopped(work).ask
    assert (ask.default, [option.id for option in ask.options or ()]) == ("stop", ["stop", "go_on"])
    assert [candidate.id for candidate in ask.candidates] == ["pull:12"]


@pytest.mark.parametrize("work", [(), (piece(WorkState.MERGED),)])
def test_what_was_merged_and_only_mentions_the_issue_stops_nothing(work: Sequence[LinkedWork]) -> None:
    assert decide(work, ()) == UnderWay()


def test_a_person_may_go_on_or_stop() -> None:
    id_ = stopped(piece()).question_id
    go_on = Answer(question_id=id_, slot="under_way", choice="go_on")
    assert decide([piece()], [go_on]) == UnderWay()
    in_words = Answer(question_id=id_, slot="under_way", text="It is another page.")
    assert decide([piece()], [in_words]) == UnderWay()
    with pytest.raises(NothingToBuild, match="nothing to build"):
        decide([piece()], [go_on.model_copy(update={"choice": "stop"})])


def test_work_that_began_after_the_answer_is_asked_about() -> None:
    answer = Answer(question_id=stopped(piece()).question_id, slot="under_way", choice="go_on")
    newer = LinkedWork(id="pull:13", title="Another one", state=WorkState.OPEN)
    with pytest.raises(WorkUnderWay):
        decide([piece(), newer], [answer])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    for message in (
        "Begin",
        f"Limit it (#{ISSUE})",
        f"Another matter (#{ISSUE}1)",
        f"Explain\n\nSee GH-{ISSUE}.",
    ):
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", message)
    git(tmp_path, "branch", f"askfirst/{ISSUE}-limit")
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    person = ("-c", "user.name=octocat", "-c", "user.email=octocat@example.com")
    subprocess.run(["git", *person, *arguments], cwd=folder, check=True, capture_output=True)


def test_commits_say_it_without_a_token(checkout: Path) -> None:
    git(checkout, "switch", "-q", f"askfirst/{ISSUE}-limit")
    git(checkout, "commit", "-q", "--allow-empty", "-m", f"Our own\n\nCloses #{ISSUE}")
    git(checkout, "switch", "-q", "main")
    work = finder(checkout, None, pytest.fail).work_on(ISSUE)
    assert [piece.title for piece in work] == ["Explain", f"Limit it (#{ISSUE})"]


def test_a_folder_without_git_has_no_work(tmp_path: Path) -> None:
    assert finder(tmp_path, None, pytest.fail).work_on(ISSUE) == ()


def test_where_github_refuses_the_commits_still_say_it(checkout: Path) -> None:
    notes: list[str] = []
    with issues_on_github() as server:
        reader = GitHubReader(api_url=server.url, token="t", repository=REPOSITORY)
        work = finder(checkout, reader, notes.append).work_on(ISSUE)
    assert len(work) == 2
    assert notes[0].startswith("Only commits say whether somebody is at work on this: GitHub did not give")
