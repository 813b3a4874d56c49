"""Messages on their way to surfaces: stored first, sent by the worker, sent again until the surface has taken them."""

from collections.abc import Mapping
from dataclasses import dataclass

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


class SurfaceMessage(StoredModel):
    """A message that waits to be sent. Its `id` and `body` are the same on each attempt, `question_key` the same for all
    messages about a question.

    `full_name` is the repository's. `turn` is that of the question which the message asks; None for every other message. By it a message is dropped whose
    question was answered while the surface could not be reached.
    """

    id: str
    surface: str
    repository_id: int
    full_name: str
    issue: int
    question_key: str
    body: str
    turn: str | None = None
