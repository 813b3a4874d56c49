"""The right to answer one question once, from one surface, as one person: a signed text that goes into a reply address.

It names a *turn* of the conversation, which is over as soon as anything was answered: so a token is spent with the first
answer that was taken, wherever it came from, and one of another question never fits. Its holder can answer as that
person, as with every address of this kind. It goes only to the surface on which the person was mapped.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime

from pydantic import ValidationError

from github_app.conversation.effects import StoredModel
from github_app.conversation.record import Conversation

_MAC_BYTES = 16
_LONGEST = 2_000


NO_ACCOUNT = ""
"""The account of a token for surfaces that sign what they send and say in it who answers. No person is mapped to it."""


class ReplyToken(StoredModel):
    """What a reply address says. `account` is the person's on the surface; the rest of the first line says where GitHub is.

    `turn` is that of `turn_of` when the question was shown. `person_id` is whose account it was then: one that was given
    to somebody else since answers for no person.
    """

    installation_id: int
    repository_id: int
    full_name: str
    default_branch: str
    issue: int
    turn: str
    surface: str
    account: str
    person_id: int
    expires_at: datetime


class TokenRefused(Exception):
    """A token that is no token of ours, was altered, or is too old. `is_old` tells the last from the others."""

    def __init__(self, message: str, *, is_old: bool = False) -> None:
        super().__init__(message)
        self.is_old = is_old


def turn_of(conversation: Conversation) -> str | None:
    """The turn of the open question; None where nothing is asked. An answer ends the states that are open.

    The same question has another turn after an answer was taken back, because GitHub started no run for it.
    """
    clarification, run = conversation.question, conversation.asked_in
    if clarification is None or run is None or not conversation.state.asks:
        return None
    return f"{clarification.question.id}:{run.run_id}.{run.attempt}:{len(conversation.taken)}"


def sign(token: ReplyToken, secret: bytes) -> str:
    """The token as text for an address: letters, digits, `-`, `_` and one dot."""
    payload = _base64url(token.model_dump_json().encode())
    return f"{payload}.{_base64url(_mac(payload, secret))}"


def read(text: str, secrets: Iterable[bytes], now: datetime) -> ReplyToken:
    """The token that a text holds, signed with one of the secrets.

    Raises:
        TokenRefused: it is none of ours, or its time is over.
    """
    payload, _, mac = text.partition(".")
    # As text: its last letters leave bits open, so that another text would decode to the same bytes.
    genuine = len(text) <= _LONGEST and text.isascii()
    if not genuine or not any(
        hmac.compare_digest(mac, _base64url(_mac(payload, secret))) for secret in secrets
    ):
        raise TokenRefused("This reply address is not genuine.")
    token = read_stored(text)
    if token is None:
        raise TokenRefused("This reply address is not genuine.")
    if now >= token.expires_at:
        raise TokenRefused("This reply address is too old.", is_old=True)
    return token


def read_stored(text: str) -> ReplyToken | None:
    """The token of a text that lay in our own store: neither its signature nor its age is looked at. None for no token."""
    payload = text.partition(".")[0]
    try:
        return ReplyToken.model_validate_json(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (binascii.Error, ValidationError):
        return None


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _mac(payload: str, secret: bytes) -> bytes:
    return hmac.new(secret, b"reply\0" + payload.encode(), hashlib.sha256).digest()[:_MAC_BYTES]
