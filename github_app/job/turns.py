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

from github_app.conversation.decide import what_happened
from github_app.conversation.events import Replied
from github_app.conversation.record import Conversation
from github_app.conversation.states import Happened
from github_app.conversation.transcript import Comment
from github_app.handlers.replies import belongs_here, replied, reply_of
from github_app.perform import App
from github_app.ports import Place

_log = logging.getLogger(__name__)

LOST_AFTER = timedelta(minutes=10)
"""A reply that nobody has dealt with for so long has no run any more; whoever comes next deals with it first."""

WAIT_SECONDS = 5.0

_ACTS = frozenset(
    {
        Happened.ANSWERED,
        Happened.ANSWERED_STOP,
        Happened.ANSWER_CHANGED,
        Happened.ANSWERED_TOO_OFTEN,
        Happened.CANCELLED,
        Happened.DECIDED,
        Happened.DECIDED_IN_VAIN,
    }
)


def earlier_reply(
    app: App, place: Place, here: Place, known: Conversation, comment_id: int
) -> Comment | None:
    """The oldest comment before this one that would be acted upon, and has not been. `here` is where it stands."""
    if known.question_comment_id is None or not belongs_here(known, here):
        return None
    for comment in app.issues.comments(here):
        is_between = known.question_comment_id < comment.id < comment_id and comment.id not in known.taken
        if not is_between or comment.author.is_bot or comment.app_id is not None:
            continue
        if any(happened in _ACTS for happened in _meant(app, place, known, comment)):
            return comment
    return None


def _meant(app: App, place: Place, known: Conversation, comment: Comment) -> Iterator[Happened | None]:
    reply = reply_of(app, known, comment.body)
    for event in replied(app, place, known, comment, reply, is_edit=False):
        if isinstance(event, Replied):
            yield what_happened(known, event)


def is_lost(app: App, comment: Comment) -> bool:
    """Whether the run of a reply cannot be waited for any longer."""
    return app.clock.now() - comment.created_at > LOST_AFTER


def wait(app: App, comment: Comment) -> None:
    """Let the run of an earlier reply come first."""
    _log.info("comment %s came earlier, and its run has not dealt with it yet", comment.id)
    app.clock.sleep(WAIT_SECONDS)
