"""The addresses for replies from surfaces: `POST /reply/<token>`, and `POST /surfaces/<name>` for those that sign.

A link that somebody only opens answers nothing.
"""

from flask import Flask, request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response

from github_app.surfaces.door import LARGEST_REPLY, DoorAnswer, ReplyDoor
from github_app.surfaces.signed_door import SignedDoor

_TOO_LARGE = DoorAnswer(413, f"A reply has at most {LARGEST_REPLY} bytes.")


def add_reply_doors(application: Flask, door: ReplyDoor, signed: SignedDoor) -> None:
    """Let replies in."""

    @application.post("/reply/<token>")
    def reply(token: str) -> Response:
        # Flask logs the path of a request that fails, and this one is a key.
        request.path = "/reply/<token>"
        body = _body()
        return _response(_TOO_LARGE if body is None else door.take(token, body))

    @application.post("/surfaces/<name>")
    def interaction(name: str) -> Response:
        body = _body()
        headers = {header.lower(): value for header, value in request.headers.items()}
        return _response(_TOO_LARGE if body is None else signed.take(name, headers, body))


def _body() -> bytes | None:
    """The body of the request; None for one that is too large. Nothing is known to be genuine yet, so little is read."""
    request.max_content_length = LARGEST_REPLY
    try:
        return request.get_data()
    except RequestEntityTooLarge:
        return None


def _response(answer: DoorAnswer) -> Response:
    return Response(f"{answer.text}\n" if answer.text else "", answer.status, mimetype="text/plain")
