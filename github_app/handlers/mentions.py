"""A comment to us where no answer is waited for, as an event: a start, a note, or neither."""

from collections.abc import Sequence

from github_app.conversation.events import Event, MentionReceived
from github_app.conversation.record import Conversation, State
from github_app.conversation.reply_cleaning import clean
from github_app.conversation.reply_meaning import ReplyKind
from github_app.conversation.transcript import Comment, ticket_keys
from github_app.handlers.replies import events_of_reply, reply_of
from github_app.intake.delivery import IssuePayload
from github_app.perform import App
from github_app.ports.github import Place
from pipeline.contract.identity import ticket_sha256
from pipeline.contract.mention import Mention, Wish, read_mention

_WORKING = frozenset({State.RUNNING, State.REVISING})
_ANSWERED_ELSEWHERE = frozenset({State.ASKING, State.EXPIRED, State.ASKING_IN_REVIEW})
_ANSWERS = frozenset(
    {ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE, ReplyKind.CANCEL, ReplyKind.DECIDE}
)


def mention_in(body: str) -> Mention | None:
    """The mention with which a person's own words begin."""
    return read_mention(clean(body))


def is_for_us(app: App, record: Conversation, body: str) -> bool:
    """Whether a comment is a mention that is no reply: to an open question everything is a reply."""
    mention = mention_in(body)
    if mention is None or record.state in _ANSWERED_ELSEWHERE:
        return False
    if mention.wish is Wish.STOP or mention.wish is Wish.COMMAND:
        return False
    return record.state not in _WORKING or reply_of(app, record, body).kind not in _ANSWERS


def events_of_mention(
    app: App, place: Place, here: Place, record: Conversation, comment: Comment, issue: IssuePayload
) -> Sequence[Event]:
    """The event that a mention is. Who wrote it is looked up only here, and on an open issue."""
    mention = mention_in(comment.body)
    now = app.issues.issue(place)
    if mention is None or not now.is_open or now.is_locked:
        return ()
    if here.issue != _place_of_notes(record):
        return events_of_reply(
            app, place, record, comment, reply_of(app, record, comment.body), is_edit=False
        )
    title, body = (issue.title, issue.body) if here == place else (now.title, now.body)
    return (
        MentionReceived(
            wish=mention.wish,
            comment_id=comment.id,
            login=comment.author.login,
            may=app.permissions.role(place.repository, comment.author).may_write,
            at=comment.created_at,
            author=now.author.login,
            ticket_sha256=ticket_sha256(title, body),
            ticket_keys=ticket_keys(title, body),
        ),
    )


def _place_of_notes(record: Conversation) -> int:
    """The number on which a comment to us is read: of the pull request while that is changed again."""
    is_revising = record.state is State.REVISING and record.pull_request is not None
    return record.pull_request.number if is_revising and record.pull_request else record.issue
