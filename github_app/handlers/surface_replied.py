"""A reply from a surface: decided like a comment of the person behind it, and passed on as a comment of ours.

The comment is what a run fetches words from, what people see, and what makes one reply of one delivery, however often that
is worked on. It is posted only where the reply is about to be taken.
"""

import dataclasses

from github_app.app import App
from github_app.conversation.answering import stands_already
from github_app.conversation.event import ConversationEvent
from github_app.conversation.issue import IssueClosed
from github_app.conversation.message import Message
from github_app.conversation.record import Conversation
from github_app.conversation.replies import ReplyReceived
from github_app.conversation.reply_token import turn_of
from github_app.conversation.states import Trigger
from github_app.conversation.transcript import Comment, Person
from github_app.conversation.wording.passed_on import ISSUE_CLOSED, NO_ROLE, reply_comment, why_over
from github_app.handlers.comments import events_of_reply, read_comment
from github_app.perform import post_once
from github_app.ports.github import GitHubUnavailable, Place
from github_app.ports.surfaces import SurfaceReply
from pipeline.contract.commands import answer_text
from pipeline.contract.own_words import own_words

_NEWEST = 2**62
"""Stands for the id of a comment that is not there yet: newer than every one that is."""

_ACCEPTED_TRIGGERS = frozenset(
    {Trigger.ANSWER_GIVEN, Trigger.ANSWERED_STOP, Trigger.ANSWERED_TOO_OFTEN, Trigger.CANCEL_REQUESTED}
)


def surface_replied(
    app: App, place: Place, record: Conversation, reply: SurfaceReply, person: Person
) -> tuple[Conversation, ConversationEvent] | str | None:
    """The record and the event that a reply is; or why it is not used, for the person; None if it is the answer that stands."""
    now = app.clock.now()
    reading = read_comment(app, record, Comment(_NEWEST, person, reply.text, now, now))
    clarification = record.question
    if stands_already(record, reply.surface, person.login, reading.reply):
        return None
    if clarification is None or turn_of(record) != reply.turn:
        return why_over(record)
    here = Place(place.repository, record.question_on or place.issue)
    *earlier_events, event = events_of_reply(app, place, record, reading)
    if any(isinstance(earlier, IssueClosed) for earlier in earlier_events):
        return ISSUE_CLOSED
    if not isinstance(event, ReplyReceived) or event.trigger(record) not in _ACCEPTED_TRIGGERS:
        return NO_ROLE
    message = dataclasses.replace(
        reply_comment(clarification, reading.reply, person.login, reply.surface), issue=here.issue
    )
    record, comment_on_github = _pass_on(app, here, record, f"passed-on:{reply.id}", message)
    text = answer_text(own_words(comment_on_github.body))
    reply_event = dataclasses.replace(
        event, comment_id=comment_on_github.id, text=text, surface=reply.surface
    )
    return record, reply_event


def _pass_on(
    app: App, here: Place, record: Conversation, key: str, message: Message
) -> tuple[Conversation, Comment]:
    """The record, and the comment that passes a reply on as GitHub has it; posted unless it is there."""
    marker = app.markers.line(key, record, with_record=False)
    body = f"{app.surface.render(message)}\n\n{marker}"
    record, comment_id = post_once(app, here, record, key, body)
    comment = app.issues.comment(here, comment_id)
    if comment is None:
        raise GitHubUnavailable("the comment that was just posted is not to be seen yet", retry_after=2.0)
    return record.model_copy(update={"sent": None}), comment
