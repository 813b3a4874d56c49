"""The whole conversation without the App: processes of `askfirst-app`, the real pipeline, and nothing that outlives a job."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from github_app.conversation.marker import read, sign
from github_app.conversation.record import Conversation, State
from sandbox import demo
from sandbox.actions.job import building_program
from sandbox.world.state import Issue, Run
from sandbox.world.world import Actor
from tests.github_app.job.jobs import Room, held_back

WISH = "Add a dry_run flag to the bulk action"
TWO_ROUTES = "The bulk action should take a `dry_run` flag, so that `process_item` can be tried without saving anything."
KEYS = pytest.mark.parametrize(
    "marker_key", ["", "a key of the repository's own"], ids=["unsigned", "signed"]
)


@KEYS
def test_a_label_a_question_a_reply_and_the_ticket(new_room: Callable[..., Room], marker_key: str) -> None:
    room = new_room(marker_key=marker_key)
    issue = room.open(WISH, TWO_ROUTES)
    room.label(issue)
    (question,) = room.ours(issue)
    assert question.startswith("**@octocat, which route"), room.said()
    assert room.github.labels(issue) == {"askfirst", "askfirst:needs-answer"}

    room.says(issue, "2")
    answered, ticket = room.ours(issue)
    assert "Answered by" in answered, room.said()
    assert "POST /actions/stream" in ticket
    assert room.github.labels(issue) == {"askfirst", "askfirst:ready"}
    assert room.ran() == 2


def asked(room: Room) -> Issue:
    """An issue with an open question."""
    issue = room.open(WISH, TWO_ROUTES)
    room.label(issue)
    assert room.github.labels(issue) == {"askfirst", "askfirst:needs-answer"}, room.said()
    return issue


@KEYS
def test_two_replies_at_once_start_one_run(new_room: Callable[..., Room], marker_key: str) -> None:
    before, may_go = held_back(["event"])
    room = new_room(marker_key=marker_key, before=before)
    may_go.set()
    issue = asked(room)
    may_go.clear()
    room.github.comment(issue, "2")
    room.github.comment(issue, "1")
    may_go.set()
    room.settle()
    answered, *others = room.ours(issue)
    assert "Answered by" in answered, room.said()
    assert any("POST /actions/stream" in text for text in others)
    assert room.ran() == 2, room.said()
    assert room.github.labels(issue) == {"askfirst", "askfirst:ready"}


def test_the_later_of_two_replies_waits_for_the_earlier_one(new_room: Callable[..., Room]) -> None:
    """The run of the earlier reply begins last: GitHub orders nothing."""
    held: list[int] = []
    overtaken = threading.Event()

    def before(job: str, run: Run) -> None:
        if job != "event" or run.event != "issue_comment":
            return
        held.append(run.id)
        if run.event_payload["comment"]["body"] == "2":
            assert overtaken.wait(60)

    room = new_room(before=before)
    issue = asked(room)
    room.github.comment(issue, "2")
    room.github.comment(issue, "1")
    assert wait_until(lambda: len(held) == 2)
    threading.Timer(3, overtaken.set).start()
    room.settle()
    assert "came earlier, and its run has not dealt with it yet" in room.said()
    assert "2, `POST /actions/stream`" in room.ours(issue)[0]
    assert room.ran() == 2, room.said()
    assert any("POST /actions/stream" in text for text in room.ours(issue)[1:])


def test_a_label_of_somebody_who_may_not_start_runs_is_refused_once(new_room: Callable[..., Room]) -> None:
    room = new_room()
    issue = room.open(WISH, TWO_ROUTES)
    room.label(issue, by="hubot")
    (refused,) = room.ours(issue)
    assert "hubot" in refused
    assert room.ran() == 0


@pytest.mark.parametrize("meanwhile", ["edited", "closed", "unlabeled"])
def test_what_happens_to_the_issue_while_the_pipeline_runs_ends_the_conversation(
    new_room: Callable[..., Room], meanwhile: str
) -> None:
    before, may_go = held_back(["publish"])
    room = new_room(before=before)
    issue = room.open(WISH, TWO_ROUTES)
    room.github.label(issue)
    assert wait_until(room.ran)
    if meanwhile == "edited":
        room.github.edit_issue(issue, body="Something else.")
    elif meanwhile == "closed":
        room.github.close_issue(issue)
    else:
        room.github.unlabel(issue)
    may_go.set()
    room.settle()
    said = room.ours(issue)
    assert not any("which route" in text for text in said), room.said()
    assert ("edited" in "".join(said)) is (meanwhile == "edited"), said
    assert "askfirst:needs-answer" not in room.github.labels(issue)


def test_hostile_text_reaches_no_page_and_no_output(new_room: Callable[..., Room]) -> None:
    room = new_room()
    hostile = "@everyone <!-- askfirst:v1 AAAA AAAAAAAAAAAAAAAAAAAAAA== --> $(id) `id` ${{ secrets.X }} ::set-output"
    issue = room.open(f"{WISH} {hostile}"[:250], f"{TWO_ROUTES}\n\n{hostile}\n\n::error::boo")
    room.label(issue)
    (question,) = room.ours(issue)
    assert "@everyone" not in question
    assert "secrets.X" not in question
    room.says(issue, f"2\n\n{hostile}\nrun=true")
    assert room.ran() == 2, room.said()
    assert not any("@everyone" in text for text in room.ours(issue))


def test_a_marker_that_somebody_else_wrote_is_not_believed(new_room: Callable[..., Room]) -> None:
    """Another workflow of the repository says what a stranger tells it to say, as the same bot."""
    room = new_room()
    issue = asked(room)
    marker = room.ours(issue)[0].rpartition("\n")[2]
    said = read(marker, b"", repository_id=room.repository.id, issue=issue.number)
    assert said is not None
    assert said.stored is not None
    forged = said.stored.model_copy(update={"sha256": "0" * 64})
    elsewhere = sign(said.model_copy(update={"stored": forged, "key": "forged"}), b"")
    embedded = Conversation(
        repository_id=room.repository.id,
        issue=issue.number,
        state=State.READY,
        rounds=9,
        taken=(1, 2, 3),
        labelled_at=datetime(2099, 1, 1, tzinfo=UTC),
    )
    inside = sign(said.model_copy(update={"stored": None, "record": embedded, "key": "inside"}), b"")
    for line in (elsewhere, inside):
        bot = Actor(room.github.world.actions_bot)
        room.github.conversations.add_comment(room.repository, issue, bot, f"Hello\n\n{line}")
    room.says(issue, "2")
    assert "Answered by" in room.ours(issue)[0], room.said()
    assert room.ran() == 2


def test_a_change_becomes_a_pull_request_that_says_which_checks_wait_and_is_changed_again_on_a_review(
    new_room: Callable[..., Room],
) -> None:
    room = new_room(sample=demo.SAMPLE, program=building_program(demo.replies_for), build=True)
    room.github.commit(
        room.repository,
        {
            ".github/workflows/ci.yml": "name: CI\non: [push, pull_request]\njobs: {}\n",
            ".github/workflows/other.yml": "name: Other\non: push # pull_request\njobs: {}\n",
        },
    )
    issue = room.open(demo.TITLE, demo.BODY)
    room.label(issue)
    room.says(issue, "2")
    (pull,) = room.github.pull_requests(room.repository)
    assert pull.user.login == "github-actions[bot]"
    assert "**Checks that wait for you:** `CI`." in (pull.body or "")
    assert "No check of this pull request is watched, because that takes the App." in (pull.body or "")
    room.github.set_role(room.repository, "maintainer", "write")
    room.github.review(pull, "REQUEST_CHANGES", demo.REVIEW, by="stranger")
    room.settle()
    assert room.ran() == 2, room.said()
    room.github.review(pull, "REQUEST_CHANGES", demo.REVIEW, by="maintainer")
    room.settle()
    started, changed = room.ours(pull)
    assert started.startswith("I am working on the changes that `maintainer` requested"), room.said()
    assert changed.startswith("**I have changed it again")
    assert room.ran() == 3


def test_with_the_key_of_an_app_the_jobs_speak_as_it_and_no_check_waits(
    new_room: Callable[..., Room],
) -> None:
    room = new_room(
        sample=demo.SAMPLE, program=building_program(demo.replies_for), build=True, speaks_as_app=True
    )
    room.github.commit(
        room.repository, {".github/workflows/ci.yml": "name: CI\non: [push, pull_request]\njobs: {}\n"}
    )
    issue = room.open(demo.TITLE, demo.BODY)
    room.label(issue)
    (question,) = room.ours(issue)
    assert "which route" in question, room.said()
    room.says(issue, "2")
    (pull,) = room.github.pull_requests(room.repository)
    assert (pull.user.login, pull.user.type) == (room.login, "Bot")
    assert "Checks that wait for you" not in (pull.body or "")
    assert "No check of this pull request is watched" in (pull.body or "")
    room.github.set_role(room.repository, "maintainer", "write")
    room.github.review(pull, "REQUEST_CHANGES", demo.REVIEW, by="maintainer")
    room.settle()
    assert room.ours(pull)[-1].startswith("**I have changed it again"), room.said()
    assert all("PRIVATE KEY" not in text for text in room.jobs.log)


@pytest.mark.parametrize(
    ("secrets", "told"),
    [
        ({"ASKFIRST_APP_ID": "12"}, "An App speaks with two secrets, and one is empty"),
        ({"ASKFIRST_APP_ID": "12", "ASKFIRST_PRIVATE_KEY": "none"}, "The private key cannot sign"),
    ],
)
def test_an_app_that_cannot_speak_makes_the_job_red_and_says_why(
    new_room: Callable[..., Room], secrets: dict[str, str], told: str
) -> None:
    room = new_room()
    room.jobs.environment |= secrets
    room.label(room.open(WISH, TWO_ROUTES))
    assert told in room.said()
    assert room.ran() == 0


def wait_until(holds: Callable[[], object], seconds: float = 180) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_a_mention_starts_an_answer_names_what_was_not_offered_and_a_stranger_does_neither(
    new_room: Callable[..., Room],
) -> None:
    room = new_room()
    issue = room.open(WISH, TWO_ROUTES)
    room.says(issue, "@askfirst", by="stranger")
    (refused,) = room.ours(issue)
    assert "**not** started" in refused, room.said()
    assert room.ran() == 0
    room.says(issue, "@askfirst")
    _, started, question = room.ours(issue)
    assert started.startswith("I am working on this issue as it is written now"), room.said()
    assert question.startswith("**@octocat, which route")
    assert room.github.labels(issue) == {"askfirst:needs-answer"}
    room.says(issue, "neither, it should be GET /orders")
    _, _, answered, ticket = room.ours(issue)
    assert "`GET /orders`" in answered, room.said()
    assert "Target: `GET /orders`" in ticket
    assert room.ran() == 2
