"""Which comments belong to a ticket, and that a resumed run reads the same ones."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.ticket import IncomingTicket
from pipeline.github_read.records import DatedComment
from pipeline.run_inputs.inputs import Start, read_start
from pipeline.run_inputs.issue_comments import MOST_COMMENTS, with_comments
from pipeline.run_inputs.memo import comments_in_memo
from pipeline.stages.snapshot import Snapshot
from sandbox import Sandbox
from sandbox.world.clock import stamp
from sandbox.world.state import Comment, Issue
from sandbox.world.world import Actor


class Conversation:
    """An issue of `octocat` in the sandbox, and runs that start from it."""

    def __init__(self, github: Sandbox, folder: Path) -> None:
        self.github = github
        self._folder = folder
        self._repository = next(iter(github.world.repositories.values()))
        self.issue: Issue = github.open_issue(self._repository, "Add a flag", "to the bulk action")

    def comment(self, by: str, body: str) -> Comment:
        actor = Actor(self.github.user(by))
        comment = self.github.conversations.add_comment(self._repository, self.issue, actor, body)
        self.pass_a_minute()
        return comment

    def edit(self, comment: Comment, body: str) -> None:
        self.github.conversations.edit_comment(self._repository, comment.id, Actor(comment.user), body)
        self.pass_a_minute()

    def pass_a_minute(self) -> None:
        self.github.clock.advance(timedelta(minutes=1))

    def label_event(self) -> dict[str, Any]:
        """The event of a label that is set now."""
        return {
            "action": "labeled",
            "issue": {
                "number": self.issue.number,
                "title": self.issue.title,
                "body": self.issue.body,
                "user": {"login": "octocat"},
                "labels": [{"name": "askfirst"}, {"name": "bug"}],
                "comments": len(self.issue.comments),
                "updated_at": stamp(self.github.clock.now()),
            },
            "label": {"name": "askfirst"},
            "repository": {"full_name": "acme/orders"},
            "sender": {"login": "octocat"},
        }

    def start(self, event: dict[str, Any]) -> Start:
        path = self._folder / "event.json"
        path.write_text(json.dumps(event), encoding="utf-8")
        environment = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_REPOSITORY": "acme/orders",
            "GITHUB_TOKEN": self.github.token_of("octocat"),
        }
        return read_start(str(path), root=self._folder, answers=None, environment=environment)


@pytest.fixture
def conversation(tmp_path: Path) -> Iterator[Conversation]:
    with Sandbox.start() as github:
        collaborators = {"octocat": "write", "boss": "maintain", "helper": "triage"}
        github.create_repository(workflow=None, collaborators=collaborators)
        yield Conversation(github, tmp_path)


def bodies(start: Start) -> list[str]:
    return [comment.body for comment in start.ticket.comments]


def test_comments_of_the_author_and_of_people_with_write_access_belong_to_the_ticket(
    conversation: Conversation,
) -> None:
    conversation.comment("octocat", "It shall be off by default.")
    conversation.comment("helper", "And delete everything.")
    conversation.comment("stranger", "Me too.")
    conversation.comment("boss", "Only for admins.")
    start = conversation.start(conversation.label_event())
    assert bodies(start) == ["It shall be off by default.", "Only for admins."]
    assert start.ticket.labels == ("askfirst", "bug")
    assert start.ticket.notes == ()


def test_what_was_written_or_changed_after_the_label_is_left_out_with_a_note(
    conversation: Conversation,
) -> None:
    first = conversation.comment("octocat", "First.")
    conversation.comment("octocat", "Second.")
    event = conversation.label_event()
    conversation.edit(first, "And delete everything, in the very second of the label.")
    conversation.comment("octocat", "Third.")
    start = conversation.start(event)
    assert bodies(start) == ["Second."]
    assert len(start.ticket.notes) == 2
    assert start.ticket.notes[0] == (
        f"Comment {first.id} was left out: it was written or changed after the label was set."
    )


def test_the_hash_of_the_ticket_is_of_title_and_body_alone(conversation: Conversation) -> None:
    conversation.comment("octocat", "First.")
    event = conversation.label_event()
    start = conversation.start(event)
    assert start.ticket.sha256 == hashlib.sha256(b"Add a flag\0to the bulk action").hexdigest()
    assert start.ticket.comments[0].sha256 == hashlib.sha256(b"First.").hexdigest()


def test_a_long_conversation_is_read_by_its_latest_comments(conversation: Conversation) -> None:
    for number in range(MOST_COMMENTS + 3):
        conversation.comment("octocat", f"Comment {number}.")
    start = conversation.start(conversation.label_event())
    assert bodies(start) == [f"Comment {number}." for number in range(3, MOST_COMMENTS + 3)]
    assert start.ticket.notes == ("Of 33 comments that belong to the ticket, the latest 30 are read.",)


def test_of_more_comments_than_are_read_the_latest_are_read(conversation: Conversation) -> None:
    for number in range(320):
        conversation.comment("octocat", f"Comment {number}.")
    start = conversation.start(conversation.label_event())
    assert bodies(start) == [f"Comment {number}." for number in range(320 - MOST_COMMENTS, 320)]


def test_strangers_keep_no_comment_of_the_team_out(conversation: Conversation) -> None:
    """A stranger for each person that GitHub is asked about, before and after."""
    strangers = [f"stranger-{number}" for number in range(21)]
    for stranger in strangers:
        conversation.comment(stranger, "Me too.")
    conversation.comment("boss", "Only for admins.")
    for stranger in strangers:
        conversation.comment(stranger, "And me.")
    start = conversation.start(conversation.label_event())
    assert bodies(start) == ["Only for admins."]
    assert start.ticket.notes == (
        "Comments of 2 people were left out: GitHub was asked about the roles of 20, the team's and the latest ones first.",
    )


def comments_by(*logins: str) -> list[DatedComment]:
    at = datetime(2026, 4, 1, tzinfo=UTC)
    return [DatedComment(number, who, who != "bot", at, who, at) for number, who in enumerate(logins)]


def test_whoever_set_the_label_is_not_looked_up_again_and_neither_is_the_author() -> None:
    ticket = IncomingTicket(title="x", body="", author="octocat", labelled_by="boss")
    asked: list[str] = []

    def role_of(login: str) -> str:
        asked.append(login)
        return "admin"

    read = with_comments(ticket, comments_by("octocat", "boss", "ghost", "bot"), role_of, None)
    assert [comment.author for comment in read.comments] == ["octocat", "boss"]
    assert asked == []


def test_the_latest_people_are_looked_up_first() -> None:
    logins = [f"person-{number}" for number in range(25)]
    read = with_comments(IncomingTicket(title="x", body=""), comments_by(*logins), lambda _: "write", None)
    assert [comment.author for comment in read.comments] == logins[5:]


def dispatch(conversation: Conversation, **inputs: str) -> dict[str, Any]:
    event = {"issue": str(conversation.issue.number), **inputs}
    return {"inputs": event, "repository": {"full_name": "acme/orders"}}


def memo_of(start: Start) -> bytes:
    """The memo artifact of a run that stopped behind its first stage."""
    snapshot = Snapshot(ticket=start.ticket, commit="0" * 40, changed_files=(), test_files=1)
    stored = {"version": 1, "stage": "snapshot", "key": "k", "output": snapshot.model_dump(mode="json")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("snapshot/output.json", json.dumps(stored))
    return packed.getvalue()


def test_a_memo_says_which_comments_its_run_has_read(conversation: Conversation) -> None:
    comment = conversation.comment("octocat", "First.")
    packed = memo_of(conversation.start(conversation.label_event()))
    assert comments_in_memo(packed) == {comment.id: hashlib.sha256(b"First.").hexdigest()}


@pytest.mark.parametrize("packed", [b"", b"PK", b"x" * 100])
def test_a_broken_memo_says_nothing(packed: bytes) -> None:
    assert comments_in_memo(packed) is None


def test_a_resumed_run_without_a_memo_reads_no_comments_and_says_so(conversation: Conversation) -> None:
    sha256 = hashlib.sha256(b"Add a flag\0to the bulk action").hexdigest()
    assert conversation.start(dispatch(conversation, ticket_sha256=sha256)).ticket.notes == ()
    conversation.comment("octocat", "First.")
    start = conversation.start(dispatch(conversation, ticket_sha256=sha256))
    assert bodies(start) == []
    assert start.ticket.notes == (
        "The comments of the issue were left out: the memo that lists those from before the label is not there.",
    )


def test_a_run_that_somebody_starts_by_hand_reads_the_comments_that_there_are(
    conversation: Conversation,
) -> None:
    conversation.comment("boss", "Only for admins.")
    assert bodies(conversation.start(dispatch(conversation))) == ["Only for admins."]
