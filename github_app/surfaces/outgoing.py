"""Messages on their way to surfaces: stored first, sent by the worker, sent again until the surface has taken them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import AwareDatetime

from github_app.conversation.effects import StoredModel


@dataclass(frozen=True)
class Outgoing:
    """One request to a surface, as it is sent."""

    url: str
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class SurfaceAnswer:
    """What a surface answered to a request. `retry_after` are the seconds to wait, where it named some."""

    status: int
    body: bytes = b""
    retry_after: float | None = None


@dataclass(frozen=True)
class ReplyRefusal:
    """A reply that was taken at the door and could not be used. `why` is a sentence for the person."""

    id: str
    issue: int
    repository: str
    account: str
    why: str


NO_REPOSITORY = ""
"""The repository of a message that belongs to no conversation."""


class SurfaceMessage(StoredModel):
    """A message that waits to be sent. Its `id` and `body` are the same on each attempt, `question_key` the same for all
    messages about a question.

    `full_name` is the repository's. `turn` is that of the question which the message asks; None for every other message. By it a message is dropped whose
    question was answered while the surface could not be reached. `token` is the reply token of a message that asks.
    """

    id: str
    surface: str
    repository_id: int
    full_name: str
    issue: int
    question_key: str
    body: str
    turn: str | None = None
    token: str | None = None


NO_TOKEN = ""
"""The token of a thread whose question takes no answer there."""


class Thread(StoredModel):
    """Where people answer by writing below a question: on a ticket, in a session. `token` is that of the newest question there.

    What was written up to `since`, by the surface's own clock, answers an earlier one. `own_account` is ours there.
    """

    token: str
    since: AwareDatetime
    own_account: str | None = None


def thread_key(thread: str) -> str:
    """The key under which a `Thread` is kept, by what the surface calls it."""
    return f"thread:{thread}"


def session_key(ticket: str) -> str:
    """The key under which the session of a ticket is kept."""
    return f"session:{ticket}"


class MessageReferences(Protocol):
    """What is kept about messages that a surface has taken, as text by keys: under a question's key what the surface calls our
    message about it, under `thread_key` the thread.
    """

    def get(self, surface: str, key: str) -> str | None:
        """What is kept, or None."""

    def put(self, surface: str, key: str, text: str) -> None:
        """Keep it; the newest counts."""
