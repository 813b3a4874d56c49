"""The addresses for replies from surfaces: `POST /reply/<token>`, and `POST /surfaces/<name>` for those that sign.

A link that somebody only opens answers nothing.
"""

import logging
from collections.abc import Callable

from flask import Flask, request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response

from github_app.surfaces.door import LARGEST_REPLY, DoorAnswer, ReplyDoor
from github_app.surfaces.signed_door import SignedDoor

_log = logging.getLogger(__name__)

_UNAUTHORIZED, _UNREADABLE = 401, 400
_ADDRESS_REJECTED = "They came to /reply. Addresses of before a rotation are taken while ASKFIRST_MARKER_KEY_BEFORE holds the key of then."
_SURFACE_REJECTED = (
    "They came to /surfaces/{name}. If replies from there are missing, `secret` of {name} in the file of"
    " ASKFIRST_SURFACES_FILE is another one than there, or this machine's clock is wrong."
)
_TOO_LARGE = DoorAnswer(413, f"A reply has at most {LARGEST_REPLY} bytes.")


def add_reply_doors(
    application: Flask,
    door: ReplyDoor,
    signed_door: SignedDoor,
    on_rejected: Callable[[str, str], None] = lambda _name, _advice: None,
) -> None:
    """Let replies in. `on_rejected` hears of each one without a valid signature: for which door, and what to do about it."""

    @application.post("/reply/<token>")
    def reply(token: str) -> Response:
        # Flask logs the path of a request that fails, and this one is a key.
        request.path = "/reply/<token>"
        body = _body()
        answer = _TOO_LARGE if body is None else door.take(token, body)
        if answer.status == _UNAUTHORIZED:
            on_rejected("reply", _ADDRESS_REJECTED)
        return _response(answer)

    @application.post("/surfaces/<name>")
    def interaction(name: str) -> Response:
        body = _body()
        headers = {header.lower(): value for header, value in request.headers.items()}
        answer = _TOO_LARGE if body is None else signed_door.take(name, headers, body)
        if answer.status == _UNAUTHORIZED:
            on_rejected(name, _SURFACE_REJECTED.format(name=name))
        elif answer.status == _UNREADABLE:
            _log.warning("refused a signed request to /surfaces/%s: %s", name, answer.text)
        return _response(answer)


def _body() -> bytes | None:
    """The body of the request; None for one that is too large. Nothing is known to be genuine yet, so little is read."""
    request.max_content_length = LARGEST_REPLY
    try:
        return request.get_data()
    except RequestEntityTooLarge:
        return None


def _response(answer: DoorAnswer) -> Response:
    return Response(f"{answer.text}\n" if answer.text else "", answer.status, mimetype="text/plain")
