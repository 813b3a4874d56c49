"""What people write in agent sessions of Linear: its webhook, signed, and sent within the last minute.

Source: linear.app/developers, "Webhooks" (`Linear-Signature`, a hexadecimal HMAC-SHA256 of the body; `webhookTimestamp` in
milliseconds, to be within a minute) and "Developing the Agent Interaction" (`AgentSessionEvent`: `created` wants an activity
within ten seconds, `prompted` carries what a person wrote or chose; the signal `stop`).
"""

import re
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, ValidationError

from github_app.intake.signature import has_signature
from github_app.surface_settings import LinearSetting
from github_app.surfaces.door import DoorAnswer
from github_app.surfaces.incoming import (
    Name,
    OpenedSession,
    SignedRequest,
    VendorPayload,
    WrittenReply,
    unreadable,
)

_LONGEST_AGE = 60.0
_NOT_OURS = DoorAnswer(401, "This request is not signed by Linear for this application, or it is too old.")
_NO_REPLY = DoorAnswer(200, "")
_USER = re.compile(r'<user id="([^"<>\s]{1,100})"[^<>]{0,100}>[^<>]{0,200}</user>')


class _Issue(VendorPayload):
    identifier: Name


class _Session(VendorPayload):
    id: Name
    issue: _Issue | None = None


class _Activity(VendorPayload):
    user_id: Annotated[Name, Field(alias="userId")]
    created_at: Annotated[AwareDatetime, Field(alias="createdAt")]
    content: dict[str, Any] = Field(default_factory=dict)
    signal: str | None = None


class _Delivery(VendorPayload):
    type: str


class _SessionDelivery(_Delivery):
    action: str
    session: Annotated[_Session, Field(alias="agentSession")]
    activity: Annotated[_Activity | None, Field(alias="agentActivity")] = None
    our_id: Annotated[str | None, Field(alias="appUserId")] = None


class _SessionEvent(VendorPayload):
    timestamp: Annotated[float, Field(alias="webhookTimestamp")]


def read_linear(request: SignedRequest, setting: LinearSetting) -> WrittenReply | OpenedSession | DoorAnswer:
    """What somebody wrote or chose in a session, or a session that somebody opened. `all_surfaces.Reader`."""
    if not has_signature(setting.secret, request.headers.get("linear-signature", ""), request.body):
        return _NOT_OURS
    try:
        event = _SessionEvent.model_validate_json(request.body)
    except ValidationError:
        return _NOT_OURS
    if not abs(request.now.timestamp() - event.timestamp / 1000) <= _LONGEST_AGE:
        return _NOT_OURS
    try:
        if _Delivery.model_validate_json(request.body).type != "AgentSessionEvent":
            return _NO_REPLY
        delivery = _SessionDelivery.model_validate_json(request.body)
    except ValidationError as error:
        return unreadable("Linear", error)
    if delivery.action == "created":
        return _opened_session(delivery.session, setting)
    return _written_reply(delivery) if delivery.action == "prompted" else _NO_REPLY


def _opened_session(session: _Session, setting: LinearSetting) -> OpenedSession | DoorAnswer:
    if session.issue is None:
        return _NO_REPLY
    ticket = session.issue.identifier
    if setting.ticket_among([ticket]) is None:
        words = f"Questions stand on tickets of {setting.team} only."
    else:
        words = f"Label an issue on GitHub that names {ticket}, and its questions will stand here."
    return OpenedSession(session.id, ticket, words)


def _written_reply(delivery: _SessionDelivery) -> WrittenReply | DoorAnswer:
    prompt = delivery.activity
    if prompt is None:
        return _NO_REPLY
    body = prompt.content.get("body")
    words = body if isinstance(body, str) else ""
    words = _USER.sub(lambda user: "@askfirst" if user[1] == delivery.our_id else f"@<{user[1]}>", words)
    return WrittenReply(
        account=prompt.user_id,
        words="/cancel" if prompt.signal == "stop" else words,
        thread=delivery.session.id,
        written_at=prompt.created_at,
        is_addressed=True,
        ticket=None if delivery.session.issue is None else delivery.session.issue.identifier,
    )
