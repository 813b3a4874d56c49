"""What the App needs of surfaces besides GitHub: to tell them something, to know who answers there, and what both are stored as."""

from collections.abc import Mapping
from typing import Protocol

from github_app.conversation.effects import StoredModel
from github_app.conversation.record import Conversation
from github_app.conversation.reply_token import ReplyToken
from github_app.conversation.transcript import Person
from github_app.ports.github import Place, Repository


class SurfaceReply(ReplyToken):
    """A reply from a surface by a right to answer, checked as far as that takes no GitHub. `text` is as in a comment."""

    id: str
    text: str

    @property
    def place(self) -> Place:
        """The conversation that it belongs to."""
        repository = Repository(self.installation_id, self.repository_id, self.full_name, self.default_branch)
        return Place(repository, self.issue)


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


class SurfaceUnavailable(Exception):
    """A surface does not take a message now: send it again later. `retry_after` are seconds, where the surface said so."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SurfaceMisconfigured(SurfaceUnavailable):
    """A surface refuses the App because of its settings: only an operator can put that right. `advice` says how."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(f"{message}. {advice}")
        self.advice = advice


class Announcements(Protocol):
    """Surfaces besides GitHub. What they are told is stored first and sent by the worker; telling twice tells once."""

    def question_changed(self, place: Place, conversation: Conversation) -> None:
        """Tell every surface of a repository about the question of a conversation as the record has it now."""

    def reply_refused(self, reply: SurfaceReply, why: str) -> None:
        """Tell a person on a surface that a reply was not used, in a sentence."""

    def person(self, surface: str, account: str) -> Person | None:
        """Who an account is on GitHub; None for one that is not mapped."""

    def send(self, message: Mapping[str, object]) -> None:
        """Send what was stored. A message that is out of date is dropped.

        Raises:
            SurfaceUnavailable: the surface does not take it now.
        """
