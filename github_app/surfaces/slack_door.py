"""What people press and write in Slack: signed by Slack, answered within its three seconds, decided by the reply door.

Source: docs.slack.dev, "Verifying requests from Slack" and "Handling user interaction".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs

from pydantic import ValidationError

from github_app.intake.signature import has_signature
from github_app.surface_settings import SlackSetting
from github_app.surfaces.door import DoorAnswer
from github_app.surfaces.incoming import Name, SignedRequest, VendorPayload, WrittenReply
from github_app.surfaces.slack import CANCEL, CHOOSE, WORDS

_LONGEST_AGE = 300
_SECONDS = re.compile(r"[0-9]{1,12}")
_NOT_OURS = DoorAnswer(401, "This request is not signed by Slack for this app, or it is too old.")
_EMPTY_ANSWER = DoorAnswer(200, "")


class _User(VendorPayload):
    id: Name


class _Action(VendorPayload):
    action_id: str
    value: str | None = None


class _Message(VendorPayload):
    blocks: tuple[Any, ...] = ()


class _Interaction(VendorPayload):
    """The fields of a `block_actions` payload that the App uses."""

    type: str
    user: _User
    actions: tuple[_Action, ...] = ()
    message: _Message | None = None


def read_slack(request: SignedRequest, setting: SlackSetting) -> WrittenReply | DoorAnswer:
    """The button or text of a person on a message of ours. `all_surfaces.Reader`."""
    timestamp = request.headers.get("x-slack-request-timestamp", "")
    signature = request.headers.get("x-slack-signature", "")
    if not is_signed(setting.secret, timestamp, signature, request.body, request.now.timestamp()):
        return _NOT_OURS
    try:
        interaction = _Interaction.model_validate_json(
            parse_qs(request.body.decode("utf-8"), max_num_fields=10).get("payload", [""])[0]
        )
    except (ValidationError, ValueError):
        return DoorAnswer(400, "This is no interaction of Slack: `payload` must be the JSON of one.")
    if interaction.type != "block_actions" or not interaction.actions:
        return _EMPTY_ANSWER
    words = _as_reply(interaction.actions[0])
    if words is None:
        return _EMPTY_ANSWER
    return WrittenReply(interaction.user.id, words, token=_token_text(interaction))


def is_signed(secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Whether Slack signed exactly these bytes with our secret, in the last five minutes."""
    if _SECONDS.fullmatch(timestamp) is None or abs(now - int(timestamp)) > _LONGEST_AGE:
        return False
    return has_signature(secret, signature, b"v0:" + timestamp.encode() + b":" + body, "v0=")


def _as_reply(action: _Action) -> str | None:
    """The button or text, as words of a comment; None if it is no answer, such as a link."""
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
    blocks = interaction.message.blocks if interaction.message is not None else ()
    values = (element.get("value") for element in _elements(blocks) if element.get("action_id") == CANCEL)
    return next((value for value in values if isinstance(value, str)), "")


def _elements(blocks: Iterable[object]) -> Iterator[Mapping[str, object]]:
    """The buttons and lists in blocks, of which a message may hold any kind."""
    for block in blocks:
        elements = block.get("elements") if isinstance(block, dict) else None
        if isinstance(elements, list):
            yield from (element for element in elements if isinstance(element, dict))
