"""What an event of a conversation is: a guard, what is remembered, and what is said. Each subject has its events in its own file."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from github_app.conversation.effects import CancelRun, Effect
from github_app.conversation.message import Block
from github_app.conversation.record import Conversation
from github_app.conversation.states import Action, Trigger

KeyedNotice = tuple[str, Sequence[Block]]
"""Something to be said once, and its key: the same for the same thing, however often it is decided."""


class ConversationEvent(ABC):
    """Something that happened. `decide` asks an event these questions in this order; most have one answer for most events."""

    is_about_issue: ClassVar[bool] = False
    """Whether what is said about it belongs on the issue, even with an open pull request."""
    refuses_start: ClassVar[bool] = False
    """Whether a run that was about to start does not: then nothing tells of its start."""

    @abstractmethod
    def trigger(self, conversation: Conversation) -> Trigger | None:
        """The column of the table, or None where a guard stops it."""

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        """The record after the event, but for its state and its outbox."""
        return conversation

    def notice(self, before: Conversation, after: Conversation, trigger: Trigger) -> KeyedNotice:
        """The notice about this event; the records are those on either side of the event.

        Raises:
            ValueError: nothing is ever said about such an event; the table and this class disagree.
        """
        raise ValueError(f"nothing is said about {self}: {trigger} in {before.state}, then {after.state}")

    def effects(self, _action: Action) -> Iterator[Effect]:
        """The effects of an action whose arguments only the event knows."""
        yield from ()

    def comment_to_react_to(self) -> int | None:
        """The id of the comment that the event is, if it is one: a review takes no reactions."""
        return None

    def cancelled_run(self, before: Conversation) -> CancelRun | None:
        """The run to cancel: the one that we have started."""
        cause = before.run_cause
        return None if cause is None or cause.run_id is None else CancelRun(run_id=cause.run_id)
