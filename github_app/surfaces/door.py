"""The door for replies from surfaces: what comes in is checked as far as that needs no GitHub, stored, and answered at once."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

from pydantic import BaseModel, ConfigDict, ValidationError

from github_app.conversation.answering import stands_already
from github_app.conversation.reply_token import ReplyToken, TokenRefused, read, turn_of
from github_app.conversation.wording.passed_on import NOT_MAPPED, how_to_reply_shortly, why_over
from github_app.ports.conversations import Conversations
from github_app.ports.surfaces import SurfaceReply
from github_app.surface_settings import SurfaceSettings
from pipeline.contract.choices import choices
from pipeline.contract.clarification import Clarification
from pipeline.contract.reply import parse_reply
from pipeline.contract.reply_meaning import Reply, ReplyKind

LARGEST_REPLY = 64 * 1024
"""Bytes of a request. A comment on GitHub is no longer either."""

LONGEST_WORDS = 500
"""Characters of an answer in a person's own words: so many are shown on GitHub without being cut."""

_ANSWER_KINDS = frozenset({ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE, ReplyKind.CANCEL})


@dataclass(frozen=True)
class DoorAnswer:
    """The response to a caller: an HTTP status and a sentence."""

    status: int
    text: str


_ACCEPTED = DoorAnswer(202, "Taken. What becomes of it stands on the issue.")


class _ReplyRefused(Exception):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.answer = DoorAnswer(status, text)


class _AlreadyTaken(Exception):
    """This very reply is the answer that stands: its sender heard no answer and sends it again."""


class _Body(BaseModel):
    """One of the two. `choice` is the id of an option."""

    model_config = ConfigDict(extra="ignore")

    reply: str | None = None
    choice: str | None = None


@dataclass(frozen=True)
class ReplyDoor:
    """`store` keeps a reply until the worker takes it, once for each id. It raises if the disk refuses. `secrets` are those with
    which reply tokens may be signed: the one of today, and while it is rotated the one before.
    """

    settings: SurfaceSettings
    secrets: tuple[bytes, ...]
    conversations: Conversations
    now: Callable[[], datetime]
    store: Callable[[SurfaceReply], None]

    def take(self, token_text: str, body: bytes) -> DoorAnswer:
        """Take a reply that was sent to a reply address."""
        try:
            token = self._token(token_text)
            reply_body = _read_body(body)
            return self.take_from(token, reply_body.reply, reply_body.choice)
        except _ReplyRefused as refusal:
            return refusal.answer

    def take_from(self, token: ReplyToken, reply: str | None, choice: str | None) -> DoorAnswer:
        """Take a reply by a token that is genuine: in words, or as the id of an option."""
        try:
            text = self._answer_to_open_question(token, reply, choice)
        except _AlreadyTaken:
            return _ACCEPTED
        except _ReplyRefused as refusal:
            return refusal.answer
        self.store(self._reply(token, text))
        return _ACCEPTED

    def open_question(self, token: ReplyToken) -> Clarification | None:
        """The question that a token is for; None where it has its answer or is over."""
        conversation = self.conversations.get(token.repository_id, token.issue)
        is_open = conversation is not None and turn_of(conversation) == token.turn
        return conversation.question if conversation is not None and is_open else None

    def concerns_question(self, token: ReplyToken, words: str) -> bool:
        """Whether words that stand among others are for us: they read as an answer, or somebody who may be asked wrote in
        short what is none while the question is open.
        """
        conversation = self.conversations.get(token.repository_id, token.issue)
        if conversation is None or conversation.question is None:
            return False
        kind = parse_reply(words, conversation.question).kind
        is_asked = turn_of(conversation) == token.turn and token.person_id != 0
        return kind in _ANSWER_KINDS or (is_asked and kind is not ReplyKind.IGNORE)

    def _token(self, text: str) -> ReplyToken:
        try:
            return read(text, self.secrets, self.now())
        except TokenRefused as refusal:
            _refuse(410 if refusal.is_old else 401, f"{refusal} Reply on GitHub.")

    def _answer_to_open_question(self, token: ReplyToken, reply: str | None, choice: str | None) -> str:
        """The reply as words, if it answers the question that a token is for, and that is open for this person."""
        person = self.settings.person(token.surface, token.account)
        surface = self.settings.surface(token.surface)
        if person is None or person.id != token.person_id:
            _refuse(403, NOT_MAPPED)
        if surface is None or not surface.shows(token.full_name):
            _refuse(403, "This repository takes no replies from here any more. Reply on GitHub.")
        conversation = self.conversations.get(token.repository_id, token.issue)
        if conversation is None or conversation.question is None:
            _refuse(409, why_over(conversation))
        text = _as_words(conversation.question, reply, choice)
        parsed_reply = parse_reply(text, conversation.question)
        if turn_of(conversation) != token.turn:
            if stands_already(conversation, token.surface, person.login, parsed_reply):
                raise _AlreadyTaken
            _refuse(409, why_over(conversation))
        _refuse_unless_answer(conversation.question, parsed_reply)
        return text

    def _reply(self, token: ReplyToken, text: str) -> SurfaceReply:
        # The same words to the same question within a minute are one reply: a client that heard no answer sends it again.
        fingerprint = f"{token.turn}:{token.surface}:{token.account}:{self.now():%Y%m%d%H%M}:{text}"
        return SurfaceReply(
            id=f"reply-{hashlib.sha256(fingerprint.encode()).hexdigest()[:40]}",
            text=text,
            **token.model_dump(),
        )


def _read_body(body: bytes) -> _Body:
    if len(body) > LARGEST_REPLY:
        _refuse(413, f"A reply has at most {LARGEST_REPLY} bytes.")
    try:
        reply_body = _Body.model_validate_json(body)
    except ValidationError:
        _refuse(400, 'Send JSON: {"reply": "2"} or {"choice": "<id of a choice>"}.')
    if (reply_body.reply is None) is (reply_body.choice is None):
        _refuse(400, "Send either reply or choice.")
    return reply_body


def _as_words(clarification: Clarification, reply: str | None, choice: str | None) -> str:
    """A reply as somebody would write it in a comment."""
    if choice is None:
        return (reply or "").strip()
    option = next((option for option in choices(clarification) if option.id == choice), None)
    if option is None:
        _refuse(422, f"There is no choice with that id. {how_to_reply_shortly(clarification)}")
    return str(option.number)


def _refuse_unless_answer(clarification: Clarification, reply: Reply) -> None:
    if reply.kind not in _ANSWER_KINDS:
        _refuse(422, f"That is no answer to the question. {how_to_reply_shortly(clarification)}")
    if reply.kind is ReplyKind.FREE and len(reply.note or "") > LONGEST_WORDS:
        _refuse(422, f"At most {LONGEST_WORDS} characters from here. Say more on GitHub.")


def _refuse(status: int, text: str) -> NoReturn:
    raise _ReplyRefused(status, text)
