"""Whose turn it is where several people reply at once: each comment has a run of its own, and nothing orders the runs.

The first reply that can be acted upon wins, and which one that is can be read off the issue: comment ids only grow, and
everybody who replied later sees the earlier ones. So the run of a later reply waits until the earlier one is dealt with,
and then finds, like everybody else, that the question has its answer. No lock is needed, and no `concurrency`.

Example: comments 10 ("1") and 11 ("2") come within a second. The run of 11 sees that 10 would answer the question and
that no record has taken it; it waits. The run of 10 has nothing before it, answers, and says so in the question's comment.
Now the run of 11 reads a record that has taken 10, and 11 is a late reply.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta

from github_app.app import App
from github_app.conversation.record import Conversation
from github_app.conversation.replies import ACTED_UPON, ReplyReceived
from github_app.conversation.states import Trigger
from github_app.conversation.transcript import Comment
from github_app.handlers.comments import belongs_here, events_of_reply, read_comment
from github_app.ports.github import Place

_log = logging.getLogger(__name__)

LOST_AFTER = timedelta(minutes=10)
"""A reply that is still unhandled after this time has lost its run; the next run handles it first."""

WAIT_SECONDS = 5.0


def earlier_reply(
    app: App, place: Place, here: Place, conversation: Conversation, comment_id: int
) -> Comment | None:
    """The oldest comment before this one that would be acted upon, and has not been. `here` is where it stands."""
    if conversation.question_comment_id is None or not belongs_here(conversation, here):
        return None
    for comment in app.issues.comments(here):
        is_between = (
            conversation.question_comment_id < comment.id < comment_id
            and comment.id not in conversation.taken
        )
        if not is_between or comment.author.is_bot or comment.app_id is not None:
            continue
        if any(trigger in ACTED_UPON for trigger in _triggers_of(app, place, conversation, comment)):
            return comment
    return None


def _triggers_of(
    app: App, place: Place, conversation: Conversation, comment: Comment
) -> Iterator[Trigger | None]:
    reading = read_comment(app, conversation, comment)
    for event in events_of_reply(app, place, conversation, reading):
        if isinstance(event, ReplyReceived):
            yield event.trigger(conversation)


def is_lost(app: App, comment: Comment) -> bool:
    """Whether the run of a reply cannot be waited for any longer."""
    return app.clock.now() - comment.created_at > LOST_AFTER


def wait(app: App, comment: Comment) -> None:
    """Let the run of an earlier reply come first."""
    _log.info("comment %s came earlier, and its run has not dealt with it yet", comment.id)
    app.clock.sleep(WAIT_SECONDS)
