"""A comment to us where no answer is waited for, as an event: a start, a note, or neither."""

from collections.abc import Sequence

from github_app.conversation.events import Event, Mentioned
from github_app.conversation.record import Conversation, State
from github_app.conversation.reply import ReplyKind
from github_app.conversation.reply_cleaning import clean
from github_app.conversation.transcript import Comment
from github_app.handlers.replies import replied, reply_of
from github_app.intake.delivery import IssuePayload
from github_app.perform import App
from github_app.ports import Place
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


def is_for_us(app: App, known: Conversation, body: str) -> bool:
    """Whether a comment is a mention that is no reply: to an open question everything is a reply."""
    mention = mention_in(body)
    if mention is None or known.state in _ANSWERED_ELSEWHERE:
        return False
    if mention.wish is Wish.STOP or mention.wish is Wish.COMMAND:
        return False
    return known.state not in _WORKING or reply_of(app, known, body).kind not in _ANSWERS


def mentioned(
    app: App, place: Place, here: Place, known: Conversation, comment: Comment, issue: IssuePayload
) -> Sequence[Event]:
    """The event that a mention is. Who wrote it is looked up only here, and on an open issue."""
    mention = mention_in(comment.body)
    now = app.issues.issue(place)
    if mention is None or not now.is_open or now.is_locked:
        return ()
    if here.issue != _place_of_notes(known):
        return replied(app, place, known, comment, reply_of(app, known, comment.body), is_edit=False)
    title, body = (issue.title, issue.body) if here == place else (now.title, now.body)
    return (
        Mentioned(
            wish=mention.wish,
            comment_id=comment.id,
            login=comment.author.login,
            may=app.permissions.role(place.repository, comment.author).may_write,
            at=comment.created_at,
            author=now.author.login,
            ticket_sha256=ticket_sha256(title, body),
        ),
    )


def _place_of_notes(known: Conversation) -> int:
    """The number on which a comment to us is read: of the pull request while that is changed again."""
    is_revising = known.state is State.REVISING and known.pull_request is not None
    return known.pull_request.number if is_revising and known.pull_request else known.issue
