"""Which comments of an issue belong to its ticket: those of its author and of people with write access, from before the label.

A resumed run takes the comments that its first run took, by id and hash. A comment edited since is left out, with a note.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from pipeline.contract.wire import Sha256
from pipeline.domain.ticket import IncomingTicket, IssueComment
from pipeline.github_read.records import DatedComment

ROLES_THAT_WRITE = frozenset({"write", "maintain", "admin"})
MOST_COMMENTS = 30
MOST_CHARACTERS = 131_072
_MOST_PEOPLE = 20
_DELETED_USER = "ghost"
"""The name under which GitHub shows every account that was deleted."""


class Writers:
    """The people with write access. GitHub is asked about each person once, and about no more than so many people."""

    def __init__(self, role_of: Callable[[str], str], most_people: int) -> None:
        self._role_of = role_of
        self._most_people = most_people
        self._writes: dict[str, bool] = {}

    def __contains__(self, login: str) -> bool:
        if login not in self._writes and len(self._writes) < self._most_people:
            self._writes[login] = self._role_of(login) in ROLES_THAT_WRITE
        return self._writes.get(login, False)


def with_comments(
    ticket: IncomingTicket,
    comments: Sequence[DatedComment],
    role_of: Callable[[str], str],
    before: datetime | None,
) -> IncomingTicket:
    """The ticket with the comments that belong to it: the latest ones, as far as there is room.

    Args:
        ticket: as it was labelled.
        comments: of the issue, the oldest first.
        role_of: gives GitHub's role of a user; asked once for each of at most 20 people, the team's and the latest ones first.
        before: when the label was set; None takes all that there are now. A comment of the very second is too late: the
            labeller may not have seen it.
    """
    people = [comment for comment in comments if comment.is_person and comment.author != _DELETED_USER]
    # The person who set the label has write access, or the run would not have started.
    known_people = {ticket.author, ticket.labelled_by}
    newest_of_team_first = sorted(people, key=lambda comment: (comment.is_of_team, comment.id), reverse=True)
    logins = [
        login
        for login in dict.fromkeys(comment.author for comment in newest_of_team_first)
        if login not in known_people
    ]
    writers = Writers(role_of, _MOST_PEOPLE)
    belonging = known_people | {login for login in logins if login in writers}
    notes: list[str] = []
    if len(logins) > _MOST_PEOPLE:
        notes.append(
            f"Comments of {len(logins) - _MOST_PEOPLE} people were left out: GitHub was asked about the roles of {_MOST_PEOPLE}, "
            "the team's and the latest ones first."
        )
    eligible = []
    for comment in people:
        if comment.author not in belonging:
            continue
        if before is not None and comment.changed_at >= before:
            notes.append(
                f"Comment {comment.id} was left out: it was written or changed after the label was set."
            )
        else:
            eligible.append(_issue_comment(comment))
    latest_comments = tuple(_latest(eligible))[::-1]
    if len(latest_comments) < len(eligible):
        notes.append(
            f"Of {len(eligible)} comments that belong to the ticket, the latest {len(latest_comments)} are read."
        )
    return ticket.model_copy(update={"comments": latest_comments, "notes": tuple(notes)})


def with_same_comments(
    ticket: IncomingTicket, comments: Sequence[DatedComment], earlier: Mapping[int, Sha256]
) -> IncomingTicket:
    """The ticket with the comments that an earlier run took. `earlier` holds their hashes by id."""
    current = {comment.id: _issue_comment(comment) for comment in comments}
    comments_left, notes = [], []
    for comment_id, sha256 in earlier.items():
        comment = current.get(comment_id)
        if comment is not None and comment.sha256 == sha256:
            comments_left.append(comment)
        else:
            fate = "deleted" if comment is None else "changed"
            notes.append(f"Comment {comment_id} was left out: it was {fate} after the first run had read it.")
    return ticket.model_copy(update={"comments": tuple(comments_left), "notes": tuple(notes)})


def _issue_comment(comment: DatedComment) -> IssueComment:
    digest = hashlib.sha256(comment.body.encode("utf-8", "surrogatepass")).hexdigest()
    return IssueComment(id=comment.id, author=comment.author, sha256=digest, body=comment.body)


def _latest(comments: list[IssueComment]) -> Iterator[IssueComment]:
    room = MOST_CHARACTERS
    for comment in reversed(comments[-MOST_COMMENTS:]):
        room -= len(comment.body)
        if room < 0:
            return
        yield comment
