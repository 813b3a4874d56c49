"""How one message is brought to a surface: requests and their answers, in turn. No connection is opened here."""

from collections.abc import Generator
from dataclasses import dataclass

from github_app.surfaces.outgoing import (
    MessageReferences,
    Outgoing,
    SurfaceAnswer,
    Thread,
    ThreadQuestion,
    thread_key,
    with_question,
)

Exchange = Generator[Outgoing, SurfaceAnswer, None]
"""Gives requests, is sent their answers, and ends when the surface has the message or wants it no more."""


class NotTaken(Exception):
    """The surface did not take a request: the message is to be sent again later, from the first request on.

    `why` is what the surface says of it; `advice` is what an operator must set, where only that helps.
    """

    def __init__(self, answer: SurfaceAnswer, why: str = "", advice: str = "") -> None:
        super().__init__(f"answered {answer.status}{f', {why}' if why else ''}")
        self.answer = answer
        self.advice = advice


class Undeliverable(Exception):
    """There is no place for the message on the surface, and no later attempt finds one. The sentence says why."""


@dataclass(frozen=True)
class SurfaceNotes:
    """The notes about the messages of one surface."""

    references: MessageReferences
    surface: str

    def get(self, key: str) -> str | None:
        """The stored text, or None."""
        return self.references.get(self.surface, key)

    def put(self, key: str, text: str) -> None:
        """Keep it; the newest counts."""
        self.references.put(self.surface, key, text)

    def put_question(self, thread: str, question: ThreadQuestion, own_account: str | None = None) -> None:
        """Keep that a question stands in a thread now."""
        row = self.get(thread_key(thread))
        earlier = None if row is None else Thread.model_validate_json(row)
        self.put(thread_key(thread), with_question(earlier, question, own_account).model_dump_json())
