"""A resumed run takes the comments of its first run if their texts are the same."""

import hashlib
from datetime import UTC, datetime

from pipeline.domain.ticket import IncomingTicket
from pipeline.github_read.records import DatedComment
from pipeline.run_inputs.issue_comments import with_same_comments

TICKET = IncomingTicket(title="Add a flag", body="")


def comment(number: int, body: str) -> DatedComment:
    moment = datetime(2026, 11, 22, tzinfo=UTC)
    return DatedComment(
        id=number, author="octocat", is_person=True, changed_at=moment, body=body, written_at=moment
    )


def sha256(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def test_only_the_comments_of_the_first_run_are_read_and_only_with_the_same_text() -> None:
    earlier = {1: sha256("same"), 2: sha256("before"), 3: sha256("deleted since")}
    comments = [comment(1, "same"), comment(2, "after"), comment(4, "written since")]
    ticket = with_same_comments(TICKET, comments, earlier)
    assert [(one.id, one.body) for one in ticket.comments] == [(1, "same")]
    assert ticket.notes == (
        "Comment 2 was left out: it was changed after the first run had read it.",
        "Comment 3 was left out: it was deleted after the first run had read it.",
    )
