"""Comments of people: `issue_comment.created` and `.edited`. Each is read once, against what its conversation waits for."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from github_app.app import App
from github_app.conversation.answering import grants_more, may_answer
from github_app.conversation.event import ConversationEvent
from github_app.conversation.issue import IssueClosed
from github_app.conversation.mentions import MentionReceived
from github_app.conversation.record import Conversation, State
from github_app.conversation.replies import KeepTicked, ReplyReceived
from github_app.conversation.transcript import Comment, Issue, Role, ticket_keys
from github_app.conversation.wording.deciding import is_kept_box_ticked
from github_app.handlers.issues import person
from github_app.handlers.reviews import changes_requested_by_comment
from github_app.intake.delivery import CommentDelivery, CommentPayload, IssuePayload
from github_app.ports.github import NotYet, Place
from pipeline.contract.commands import (
    Mention,
    Wish,
    answer_text,
    commands_in,
    may_mention,
    read_mention,
    revision_text,
)
from pipeline.contract.own_words import OwnWords, own_words
from pipeline.contract.reply import read_reply
from pipeline.contract.reply_meaning import Reply, ReplyKind
from pipeline.contract.wire import ticket_sha256

_log = logging.getLogger(__name__)

_EXCERPT = 200
_SHOWN_AFTER = timedelta(seconds=10)
"""Age at which a comment that GitHub does not show was deleted, and is not merely late."""
_CLOCK_TOLERANCE = timedelta(seconds=60)
"""By so much this machine's clock may be behind GitHub's: then a new comment seems to come from the future."""
_LOOK_AGAIN_SECONDS = 3.0
_ANSWERS = frozenset(
    {ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE, ReplyKind.CANCEL, ReplyKind.DECIDE}
)


@dataclass(frozen=True)
class CommentReading:
    """A comment, and what its author's own words mean in a conversation."""

    comment: Comment
    words: OwnWords
    mention: Mention | None
    reply: Reply

    @property
    def is_command(self) -> bool:
        """Whether it holds a command that means something without a question, too."""
        return bool(commands_in(self.words) - {"help"}) or self._wishes(Wish.STOP)

    def is_for_us(self, record: Conversation) -> bool:
        """Whether it is a mention that is no reply: to an open question everything is a reply."""
        if self.mention is None or record.state.has_question or self._wishes(Wish.STOP, Wish.COMMAND):
            return False
        return not record.state.has_run or self.reply.kind not in _ANSWERS

    def _wishes(self, *wishes: Wish) -> bool:
        return self.mention is not None and self.mention.wish in wishes


def read_comment(app: App, record: Conversation, comment: Comment) -> CommentReading:
    """Read a comment."""
    words = own_words(comment.body)
    return CommentReading(comment, words, read_mention(words), _reply_of(app, record, words))


def issue_comment_created(
    app: App, place: Place, record: Conversation, delivery: CommentDelivery
) -> Sequence[ConversationEvent]:
    """The current text of a reply: one that was edited before we came is read once, one that is gone says nothing."""
    if person(delivery.sender).is_bot or delivery.comment.performed_via_github_app is not None:
        return ()
    if record.state is State.IDLE and not may_mention(delivery.comment.body or ""):
        return ()
    here = Place(place.repository, delivery.issue.number)
    if not belongs_here(record, here):
        return ()
    comment = _announced_comment(app, here, delivery.comment)
    if comment is None or comment.app_id is not None or comment.author.id != delivery.sender.id:
        return ()
    reading = read_comment(app, record, comment)
    if here.issue != place.issue and (changes := revision_text(reading.words)) is not None:
        return changes_requested_by_comment(app, place, record, here.issue, comment, changes)
    if reading.is_for_us(record):
        return _events_of_mention(app, place, here, record, reading, delivery.issue)
    return events_of_reply(app, place, record, reading)


def issue_comment_edited(
    app: App, place: Place, record: Conversation, delivery: CommentDelivery
) -> Sequence[ConversationEvent]:
    """The current text of a reply, if its author edited it and it means something else than before.

    Anyone with write access can edit anybody's comment, ours included: only the author's own edit counts, and of our
    question the box that keeps its answer.
    """
    if person(delivery.sender).is_bot:
        return ()
    if delivery.comment.id == record.question_comment_id:
        return _box_ticked(app, place, delivery)
    here = Place(place.repository, delivery.issue.number)
    is_by_app = delivery.comment.performed_via_github_app is not None
    if is_by_app or record.state is State.IDLE or not belongs_here(record, here):
        return ()
    comment = app.issues.comment(here, delivery.comment.id)
    if comment is None or comment.app_id is not None or comment.author.id != delivery.sender.id:
        return ()
    reading = read_comment(app, record, comment)
    before = _text_before(delivery)
    if before is not None and _reply_of(app, record, own_words(before)) == reading.reply:
        return ()
    return events_of_reply(app, place, record, reading, is_edit=True)


def belongs_here(record: Conversation, here: Place) -> bool:
    """Whether what is said on an issue or a pull request can concern a conversation.

    A question is answered where it was asked. Without one, the pull request is where a conversation goes on.
    """
    if record.question is not None:
        return here.issue == (record.question_on or record.issue)
    there = {record.issue, record.pull_request.number} if record.pull_request else {record.issue}
    return here.issue in there


def events_of_reply(
    app: App, place: Place, record: Conversation, reading: CommentReading, *, is_edit: bool = False
) -> Sequence[ConversationEvent]:
    """The events that a comment is. Roles are asked for only where the comment says something at all."""
    reply, comment = reading.reply, reading.comment
    if reply.kind is ReplyKind.IGNORE:
        return ()
    issue = app.issues.issue(place)
    text = answer_text(reading.words)
    event = ReplyReceived(
        reply=reply,
        comment_id=comment.id,
        login=comment.author.login,
        text=text,
        excerpt=" ".join(text.split())[:_EXCERPT],
        may_answer=_may_answer(app, place, record, reading, issue),
        is_command=reading.is_command,
        is_edit=is_edit,
        may_keep=(reply.keeps or reply.kind is ReplyKind.DECIDE)
        and app.permissions.role(place.repository, comment.author).may_write,
    )
    is_shut = record.state is not State.CLOSED and _is_shut(app, place, record, issue)
    return (IssueClosed(), event) if is_shut else (event,)


def _reply_of(app: App, record: Conversation, words: OwnWords) -> Reply:
    """The answer to the open question. Without a question only commands mean anything."""
    if record.question is not None:
        return read_reply(words, record.question, bot_name=app.bot_name)
    commands, mention = commands_in(words), read_mention(words)
    if commands & {"cancel", "stop"} or (mention is not None and mention.wish is Wish.STOP):
        return Reply(ReplyKind.CANCEL)
    return Reply(ReplyKind.DECIDE if "decide" in commands else ReplyKind.IGNORE)


def _announced_comment(app: App, here: Place, payload: CommentPayload) -> Comment | None:
    """The current comment of a delivery; None when it is gone.

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


def _events_of_mention(
    app: App, place: Place, here: Place, record: Conversation, reading: CommentReading, issue: IssuePayload
) -> Sequence[ConversationEvent]:
    """The event that a mention is. Who wrote it is looked up only here, and on an open issue."""
    now = app.issues.issue(place)
    if reading.mention is None or not now.is_open or now.is_locked:
        return ()
    if here.issue != _place_of_notes(record):
        return events_of_reply(app, place, record, reading)
    comment = reading.comment
    title, body = (issue.title, issue.body) if here == place else (now.title, now.body)
    return (
        MentionReceived(
            wish=reading.mention.wish,
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


def _text_before(delivery: CommentDelivery) -> str | None:
    return delivery.changes.body.text if delivery.changes and delivery.changes.body else None


def _box_ticked(app: App, place: Place, delivery: CommentDelivery) -> Sequence[ConversationEvent]:
    """The box of our question, if this edit ticked or cleared it. GitHub names who did as the sender."""
    before = _text_before(delivery)
    comment = app.issues.comment(Place(place.repository, delivery.issue.number), delivery.comment.id)
    if before is None or comment is None:
        return ()
    was_ticked, is_ticked = is_kept_box_ticked(before), is_kept_box_ticked(comment.body)
    if is_ticked is None or was_ticked is None or is_ticked is was_ticked:
        return ()
    editor = person(delivery.sender)
    may_keep = app.permissions.role(place.repository, editor).may_write
    return (KeepTicked(login=editor.login, is_ticked=is_ticked, may_keep=may_keep),)


def _is_shut(app: App, place: Place, record: Conversation, issue: Issue) -> bool:
    """Whether the issue is closed or locked, or the pull request on which the question stands is closed."""
    if not issue.is_open or issue.is_locked:
        return True
    if record.question_on is None:
        return False
    now = app.pull_requests.now(place.repository, record.question_on)
    return now is None or not now.is_open


def _may_answer(app: App, place: Place, record: Conversation, reading: CommentReading, issue: Issue) -> bool:
    """Whether the author of a comment may answer. GitHub is asked for a role only where it matters."""
    author, clarification = reading.comment.author, record.question
    if clarification is None:
        return app.permissions.role(place.repository, author).may_write
    takes_role = grants_more(clarification, reading.reply)
    if not takes_role and may_answer(clarification.kind, author, issue, Role.NONE):
        return True
    role = app.permissions.role(place.repository, author)
    return (role.may_write or not takes_role) and may_answer(clarification.kind, author, issue, role)
