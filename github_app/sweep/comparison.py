"""Compare a conversation with GitHub, and handle what happened while the App was down like an announced event.

The current state is read, and every handler compares it with the record: an announcement that did arrive and this
comparison make one effect together.
"""

import logging
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from github_app.app import App
from github_app.conversation.effects import LabelName
from github_app.conversation.event import ConversationEvent
from github_app.conversation.issue import IssueClosed, IssueEdited, IssueUnlabeled
from github_app.conversation.record import OPEN_STATES, Conversation
from github_app.conversation.transcript import Comment, Issue, Person
from github_app.dispatch import load_unannounced_conversation
from github_app.perform import apply_event
from github_app.ports.github import GitHubRefused, Place, Repository
from pipeline.contract.wire import ticket_sha256

_log = logging.getLogger(__name__)


def compare(
    app: App, place: Place, *, is_store_in_doubt: bool = False
) -> list[tuple[str, Mapping[str, Any]]]:
    """Bring a record up to what GitHub shows, and return the replies that it has not seen: an id and a payload each.

    The store is in doubt when a worker has just started on it: somebody may have put back a backup.

    Raises:
        GitHubUnavailable: do it again later.
    """
    try:
        record = load_unannounced_conversation(app, place, is_store_in_doubt=is_store_in_doubt)
        if record is None or record.state not in OPEN_STATES:
            return []
        issue = app.issues.issue(place)
        for event in _changes(record, issue):
            record = apply_event(app, place, record, event)
        return list(_unseen_replies(app, place, record))
    except GitHubRefused as refusal:
        _log.warning("left out comparing %s#%s: %s", place.repository.full_name, place.issue, refusal)
        return []


def _changes(record: Conversation, issue: Issue) -> Iterator[ConversationEvent]:
    """What happened to the issue itself, in the order of its weight."""
    if not issue.is_open:
        yield IssueClosed()
        return
    if record.mention is None and record.pull_request is None and LabelName.START not in issue.labels:
        yield IssueUnlabeled()
        return
    if record.ticket_sha256 is not None:
        yield IssueEdited(ticket_sha256(issue.title, issue.body))


def _unseen_replies(app: App, place: Place, record: Conversation) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Comments of people below the open question that the App has not acted upon."""
    if not record.state.has_question or record.question_comment_id is None:
        return
    here = Place(place.repository, record.question_on or place.issue)
    issue = app.issues.issue(here)
    for comment in app.issues.comments(here):
        is_after = comment.id > record.question_comment_id and comment.id not in record.taken
        if is_after and comment.app_id is None and not comment.author.is_bot:
            # Its time belongs to the id: an edited reply is another one to read, one that was read is not.
            key = f"reply:{place.repository.id}:{comment.id}:{int(comment.updated_at.timestamp())}"
            yield key, reply_payload(place.repository, issue, comment)


def reply_payload(repository: Repository, issue: Issue, comment: Comment) -> Mapping[str, Any]:
    """A comment as GitHub would have announced it."""
    author = _user(comment.author)
    pull_request: dict[str, Any] = {"pull_request": {}} if issue.is_pull_request else {}
    return {
        **of_repository("created", repository, author),
        "issue": {
            "number": issue.number, "title": issue.title, "body": issue.body, "user": _user(issue.author),
            "state": "open" if issue.is_open else "closed", "locked": issue.is_locked,
            "labels": [{"name": name} for name in sorted(issue.labels)],
            "updated_at": _stamp(comment.updated_at), **pull_request,
        },
        "comment": {
            "id": comment.id, "body": comment.body, "user": author, "created_at": _stamp(comment.created_at)
        },
    }  # fmt: skip


def of_repository(action: str, repository: Repository, sender: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a payload that every delivery of a repository has."""
    return {
        "action": action,
        "installation": {"id": repository.installation_id},
        "repository": {
            "id": repository.id,
            "full_name": repository.full_name,
            "default_branch": repository.default_branch,
        },
        "sender": dict(sender),
    }


def _user(person: Person) -> dict[str, Any]:
    return {"id": person.id, "login": person.login, "type": "Bot" if person.is_bot else "User"}


def _stamp(moment: datetime) -> str:
    return moment.isoformat()
