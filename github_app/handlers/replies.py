"""A comment as an event: read at its current version, against the open question, from somebody who may answer or not."""

import hashlib
from collections.abc import Sequence

from github_app.conversation.answering import grants_more, may_answer
from github_app.conversation.events import Event, IssueClosed, Replied
from github_app.conversation.record import Conversation, State
from github_app.conversation.reply import Reply, ReplyKind, commands_in, parse_reply
from github_app.conversation.reply_cleaning import clean
from github_app.conversation.transcript import Comment, Issue, Role
from github_app.perform import App
from github_app.ports import Place
from pipeline.contract.clarification import Clarification
from pipeline.contract.mention import Wish, read_mention

_SAID = 200


def belongs_here(known: Conversation, here: Place) -> bool:
    """Whether what is said on an issue or a pull request can concern a conversation as it stands.

    A question is answered where it was asked. Without one, the pull request is where a conversation goes on.
    """
    if known.question is not None:
        return here.issue == (known.question_on or known.issue)
    there = {known.issue, known.pull_request.number} if known.pull_request else {known.issue}
    return here.issue in there


def reply_of(app: App, known: Conversation, body: str) -> Reply:
    """What a comment means in this conversation. Without a question only commands mean anything."""
    if known.question is not None:
        return parse_reply(body, known.question, bot_name=app.bot_name)
    stops = bool(commands_in(body) & {"cancel", "stop"}) or _is_stop(body)
    return Reply(ReplyKind.CANCEL if stops else ReplyKind.IGNORE)


def replied(
    app: App, place: Place, known: Conversation, comment: Comment, reply: Reply, *, is_edit: bool
) -> Sequence[Event]:
    """The events that a comment is. Roles are asked for only where the comment says something at all."""
    if reply.kind is ReplyKind.IGNORE:
        return ()
    issue = app.issues.issue(place)
    allowed = _may_answer(app, place, known, comment, reply, issue)
    event = Replied(
        reply=reply,
        comment_id=comment.id,
        login=comment.author.login,
        said=" ".join(_words(comment, reply).split())[:_SAID],
        body_sha256=hashlib.sha256(comment.body.encode()).hexdigest(),
        may_answer=allowed,
        is_command=bool(commands_in(comment.body) - {"help"}) or _is_stop(comment.body),
        is_edit=is_edit,
        may_keep=(reply.keeps or reply.kind is ReplyKind.DECIDE)
        and app.permissions.role(place.repository, comment.author).may_write,
    )
    shut = known.state is not State.CLOSED and _is_shut(app, place, known, issue)
    return (IssueClosed(), event) if shut else (event,)


def _is_stop(body: str) -> bool:
    mention = read_mention(clean(body))
    return mention is not None and mention.wish is Wish.STOP


def _is_shut(app: App, place: Place, known: Conversation, issue: Issue) -> bool:
    """Whether the issue is closed or locked, or the pull request on which the question stands is closed."""
    if not issue.is_open or issue.is_locked:
        return True
    if known.question_on is None:
        return False
    now = app.pull_requests.now(place.repository, known.question_on)
    return now is None or not now.is_open


def _words(comment: Comment, reply: Reply) -> str:
    """What a person would quote of the comment: of an answer in free words only these, without the command."""
    return reply.note if reply.kind is ReplyKind.FREE and reply.note is not None else comment.body


def _may_answer(
    app: App, place: Place, known: Conversation, comment: Comment, reply: Reply, issue: Issue
) -> bool:
    if known.question is None:
        return app.permissions.role(place.repository, comment.author).may_write
    if _by_authorship(known.question, comment, reply, issue):
        return True
    role = app.permissions.role(place.repository, comment.author)
    if grants_more(known.question, reply) and not role.may_write:
        return False
    return may_answer(known.question.kind, comment.author, issue, role)


def _by_authorship(asked: Clarification, comment: Comment, reply: Reply, issue: Issue) -> bool:
    """Whether the person may answer without any role: then GitHub need not be asked."""
    return not grants_more(asked, reply) and may_answer(asked.kind, comment.author, issue, Role.NONE)
