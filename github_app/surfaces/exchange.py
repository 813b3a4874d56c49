"""How one message is brought to a surface: requests and their answers, in turn. No connection is opened here."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from github_app.surfaces.outgoing import MessageReferences, Outgoing, SurfaceAnswer, SurfaceMessage

Exchange = Generator[Outgoing, SurfaceAnswer, None]
"""Gives requests, is sent their answers, and ends when the surface has the message or wants it no more."""


class NotTaken(Exception):
    """The surface did not take a request: the message is to be sent again later, from the first request on."""

    def __init__(self, answer: SurfaceAnswer) -> None:
        super().__init__(f"it answered {answer.status}")
        self.answer = answer


@dataclass(frozen=True)
class SurfaceNotes:
    """What is kept about the messages of one surface."""

    references: MessageReferences
    surface: str

    def get(self, key: str) -> str | None:
        """What is kept, or None."""
        return self.references.get(self.surface, key)

    def put(self, key: str, text: str) -> None:
        """Keep it; the newest counts."""
        self.references.put(self.surface, key, text)


class SingleRequest(ABC):
    """A kind of surface that takes each message with one request."""

    @abstractmethod
    def request(self, message: SurfaceMessage, setting: Any, now: datetime, shown_as: str | None) -> Outgoing:
        """The request that carries a message, signed for this attempt. `shown_as` is what was noted under the question's key."""

    @abstractmethod
    def is_taken(self, answer: SurfaceAnswer) -> bool:
        """Whether the surface has taken a message, or wants it no more."""

    @abstractmethod
    def notes(self, message: SurfaceMessage, answer: SurfaceAnswer) -> Mapping[str, str]:
        """What to keep about a message that was taken (`outgoing.MessageReferences`)."""

    def exchange(self, message: SurfaceMessage, setting: Any, now: datetime, notes: SurfaceNotes) -> Exchange:
        """The request, and what to keep of its answer.

        Raises:
            NotTaken: it was not taken.
        """
        answer = yield self.request(message, setting, now, notes.get(message.question_key))
        if not self.is_taken(answer):
            raise NotTaken(answer)
        for key, text in self.notes(message, answer).items():
            notes.put(key, text)
