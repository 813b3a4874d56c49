"""A comment as an event: read at its current version, against the open question, from somebody who may answer or not."""

import hashlib
import logging
from collections.abc import Sequence
from datetime import timedelta

from github_app.conversation.answering import grants_more, may_answer
from github_app.conversation.events import Event, IssueClosed, ReplyReceived
from github_app.conversation.record import Conversation, State
from github_app.conversation.reply import parse_reply
from github_app.conversation.reply_cleaning import clean
from github_app.conversation.reply_commands import commands_in
from github_app.conversation.reply_meaning import Reply, ReplyKind
from github_app.conversation.transcript import Comment, Issue, Role
from github_app.intake.delivery import CommentPayload
from github_app.perform import App
from github_app.ports.github import NotYet, Place
from pipeline.contract.clarification import Clarification
from pipeline.contract.mention import Wish, read_mention

_log = logging.getLogger(__name__)

_EXCERPT = 200
_SHOWN_AFTER = timedelta(seconds=10)
"""Age at which a comment that GitHub does not show was deleted, and is not merely late."""
_CLOCK_TOLERANCE = timedelta(seconds=60)
"""By so much this machine's clock may be behind GitHub's: then a new comment seems to come from the future."""
_LOOK_AGAIN_SECONDS = 3.0


def announced_comment(app: App, here: Place, payload: CommentPayload) -> Comment | None:
    """The comment of a delivery as it stands now; None when it is gone.

    Raises:
        NotYet: GitHub has announced it a moment ago and does not show it yet.
    """
    comment = app.issues.comment(here, payload.id)
    if comment is None and payload.created_at is not None:
        age = app.clock.now() - payload.created_at
        if -_CLOCK_TOLERANCE < age < _SHOWN_AFTER:
            raise NotYet(f"comment {payload.id} is announced, and not shown yet", _LOOK_AGAIN_SECONDS)
    if comment is None:
        _log.info(
            "comment %s on %s#%s is not read: it is gone", payload.id, here.repository.full_name, here.issue
        )
    return comment


def belongs_here(record: Conversation, here: Place) -> bool:
    """Whether what is said on an issue or a pull request can concern a conversation as it stands.

    A question is answered where it was asked. Without one, the pull request is where a conversation goes on.
    """
    if record.question is not None:
        return here.issue == (record.question_on or record.issue)
    there = {record.issue, record.pull_request.number} if record.pull_request else {record.issue}
    return here.issue in there


def reply_of(app: App, record: Conversation, body: str) -> Reply:
    """What a comment means in this conversation. Without a question only commands mean anything."""
    if record.question is not None:
        return parse_reply(body, record.question, bot_name=app.bot_name)
    commands = commands_in(body)
    if commands & {"cancel", "stop"} or _is_stop(body):
        return Reply(ReplyKind.CANCEL)
    return Reply(ReplyKind.DECIDE if "decide" in commands else ReplyKind.IGNORE)


def events_of_reply(
    app: App, place: Place, record: Conversation, comment: Comment, reply: Reply, *, is_edit: bool
) -> Sequence[Event]:
    """The events that a comment is. Roles are asked for only where the comment says something at all."""
    if reply.kind is ReplyKind.IGNORE:
        return ()
    issue = app.issues.issue(place)
    is_allowed = _may_answer(app, place, record, comment, reply, issue)
    event = ReplyReceived(
        reply=reply,
        comment_id=comment.id,
        login=comment.author.login,
        excerpt=" ".join(_words(comment, reply).split())[:_EXCERPT],
        body_sha256=hashlib.sha256(comment.body.encode()).hexdigest(),
        may_answer=is_allowed,
        is_command=bool(commands_in(comment.body) - {"help"}) or _is_stop(comment.body),
        is_edit=is_edit,
        may_keep=(reply.keeps or reply.kind is ReplyKind.DECIDE)
        and app.permissions.role(place.repository, comment.author).may_write,
    )
    is_shut = record.state is not State.CLOSED and _is_shut(app, place, record, issue)
    return (IssueClosed(), event) if is_shut else (event,)


def _is_stop(body: str) -> bool:
    mention = read_mention(clean(body))
    return mention is not None and mention.wish is Wish.STOP


def _is_shut(app: App, place: Place, record: Conversation, issue: Issue) -> bool:
    """Whether the issue is closed or locked, or the pull request on which the question stands is closed."""
    if not issue.is_open or issue.is_locked:
        return True
    if record.question_on is None:
        return False
    now = app.pull_requests.now(place.repository, record.question_on)
    return now is None or not now.is_open


def _words(comment: Comment, reply: Reply) -> str:
    """What a person would quote of the comment: of an answer in free words only these, without the command."""
    return reply.note if reply.kind is ReplyKind.FREE and reply.note is not None else comment.body


def _may_answer(
    app: App, place: Place, record: Conversation, comment: Comment, reply: Reply, issue: Issue
) -> bool:
    if record.question is None:
        return app.permissions.role(place.repository, comment.author).may_write
    if _by_authorship(record.question, comment, reply, issue):
        return True
    role = app.permissions.role(place.repository, comment.author)
    if grants_more(record.question, reply) and not role.may_write:
        return False
    return may_answer(record.question.kind, comment.author, issue, role)


def _by_authorship(clarification: Clarification, comment: Comment, reply: Reply, issue: Issue) -> bool:
    """Whether the person may answer without any role: then GitHub need not be asked."""
    return not grants_more(clarification, reply) and may_answer(
        clarification.kind, comment.author, issue, Role.NONE
    )
