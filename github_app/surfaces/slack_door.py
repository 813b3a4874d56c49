"""What people press and write in Slack: signed by Slack, answered within its three seconds, decided by the reply door.

Source: docs.slack.dev, "Verifying requests from Slack" and "Handling user interaction".
"""

import hashlib
import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from pydantic import BaseModel, ConfigDict, ValidationError

from github_app.conversation.reply_token import ReplyToken, TokenRefused, read
from github_app.surface_settings import SlackSetting
from github_app.surfaces.announcement import question_key_of
from github_app.surfaces.door import DoorAnswer, ReplyDoor
from github_app.surfaces.outgoing import ReplyRefusal, SurfaceMessage
from github_app.surfaces.slack import CANCEL, CHOOSE, WORDS, Slack

_LONGEST_AGE = 300
_SECONDS = re.compile(r"[0-9]{1,12}")
_NOT_OURS = DoorAnswer(401, "This request is not signed by Slack for this app, or it is too old.")
_EMPTY_ANSWER = DoorAnswer(200, "")


class _Payload(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _User(_Payload):
    id: str


class _Action(_Payload):
    action_id: str
    value: str | None = None


class _Message(_Payload):
    blocks: list[dict[str, Any]] = []


class _Interaction(_Payload):
    """A `block_actions` payload, as far as it is used."""

    type: str
    user: _User
    actions: list[_Action] = []
    message: _Message | None = None


@dataclass(frozen=True)
class SlackDoor:
    """`tell` stores a message for a person whose reply is not used."""

    door: ReplyDoor
    tell: Callable[[SurfaceMessage], None]

    def take(self, name: str, timestamp: str, signature: str, body: bytes) -> DoorAnswer:
        """Take a request that Slack sent to the address of a surface."""
        setting = self.door.settings.surface(name)
        if not isinstance(setting, SlackSetting):
            return DoorAnswer(404, "There is no such surface.")
        if not is_signed(setting.secret, timestamp, signature, body, self.door.now().timestamp()):
            return _NOT_OURS
        try:
            interaction = _Interaction.model_validate_json(
                parse_qs(body.decode("utf-8"), max_num_fields=10).get("payload", [""])[0]
            )
        except (ValidationError, ValueError):
            return DoorAnswer(400, "This is no interaction with a message.")
        if interaction.type != "block_actions" or not interaction.actions:
            return _EMPTY_ANSWER
        return self._reply(setting, interaction)

    def _reply(self, setting: SlackSetting, interaction: _Interaction) -> DoorAnswer:
        action = interaction.actions[0]
        reply = _as_reply(action)
        if reply is None:
            return _EMPTY_ANSWER
        try:
            token = read(_token_text(interaction), self.door.secret, self.door.now())
        except TokenRefused:
            return _EMPTY_ANSWER
        if token.surface != setting.name:
            return _EMPTY_ANSWER
        account = interaction.user.id
        person = self.door.settings.person(setting.name, account)
        of_person = {"account": account, "person_id": person.id if person is not None else 0}
        answer = self.door.take_from(token.model_copy(update=of_person), reply, None)
        if answer.status != 202:
            self._refuse(setting.name, token, account, answer.text)
        return _EMPTY_ANSWER

    def _refuse(self, surface: str, token: ReplyToken, account: str, why: str) -> None:
        """Tell only this person. The same sentence about the same turn is told once."""
        fingerprint = f"{surface}:{token.turn}:{account}:{why}"
        message_id = f"msg_{hashlib.sha256(fingerprint.encode()).hexdigest()[:32]}"
        refusal = ReplyRefusal(message_id, token.issue, token.full_name, account, why)
        self.tell(
            SurfaceMessage(
                id=message_id,
                surface=surface,
                full_name=token.full_name,
                repository_id=token.repository_id,
                issue=token.issue,
                question_key=question_key_of(token.repository_id, token.issue, token.turn),
                body=Slack().about_refusal(refusal),
            )
        )


def is_signed(secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Whether Slack signed exactly these bytes with our secret, in the last five minutes."""
    if _SECONDS.fullmatch(timestamp) is None or abs(now - int(timestamp)) > _LONGEST_AGE:
        return False
    mac = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(f"v0={mac}".encode(), signature.encode("utf-8", "replace"))


def _as_reply(action: _Action) -> str | None:
    """What was pressed or written, as words of a comment; None for what is no answer, such as a link."""
    if action.action_id.startswith(CHOOSE):
        return action.action_id.removeprefix(CHOOSE)
    if action.action_id == CANCEL:
        return "/cancel"
    return f"/answer {action.value}" if action.action_id == WORDS and action.value else None


def _token_text(interaction: _Interaction) -> str:
    """The token of the message: the value of its buttons. A field for words has no room for it."""
    action = interaction.actions[0]
    if action.action_id != WORDS:
        return action.value or ""
    blocks = interaction.message.blocks if interaction.message is not None else []
    elements = [element for block in blocks for element in block.get("elements", [])]
    values = (element.get("value") for element in elements if element.get("action_id") == CANCEL)
    return next((value for value in values if isinstance(value, str)), "")
