"""The door of the App: take a webhook delivery, check it, store it, answer 202. Everything else happens in the worker."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from github_app.intake.delivery import UnusableDelivery
from github_app.intake.signature import HEADER, is_genuine

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.wrappers import Response

LARGEST_DELIVERY = 25 * 1024 * 1024
"""Bytes. GitHub sends no event whose payload is larger. Source: docs.github.com, "Webhook events and payloads"."""

_LONGEST_ID = 100

Take = Callable[[str, str, Mapping[str, Any]], None]
"""Stores what an event needs, by event name, delivery id and payload, or lets it go. Returns when it is on disk; raises
`UnusableDelivery` where a field is missing, so that GitHub shows the delivery as failed, with the reason."""


def create_application(webhook_secret: str, take: Take, is_ready: Callable[[], bool]) -> "Flask":
    """The WSGI application: `POST /webhook`, `GET /healthz`.

    The order of the checks is the order of trust: size, signature over the raw bytes, JSON, headers. Nothing is parsed
    that was not signed, and nothing is acknowledged that is not stored: when storing fails, the answer is a 500, GitHub
    keeps the delivery as failed, and it can be redelivered.
    """
    from flask import Flask, request
    from pydantic_core import from_json

    application = Flask("askfirst")
    application.config["MAX_CONTENT_LENGTH"] = LARGEST_DELIVERY

    @application.post("/webhook")
    def webhook() -> "Response":
        body = request.get_data()
        if not is_genuine(webhook_secret, body, request.headers.get(HEADER)):
            return _answer(401, "the signature is missing or wrong")
        delivery_id = request.headers.get("X-GitHub-Delivery", "")
        event = request.headers.get("X-GitHub-Event", "")
        if not event or not _is_plain(delivery_id):
            return _answer(400, "X-GitHub-Event and X-GitHub-Delivery must say what this is")
        try:
            payload = from_json(body, allow_inf_nan=False)
        except ValueError:
            return _answer(400, "the body is no JSON: set the webhook's content type to application/json")
        if not isinstance(payload, dict):
            return _answer(400, "the payload must be an object")
        try:
            take(event, delivery_id, payload)
        except UnusableDelivery as error:
            return _answer(400, str(error))
        return _answer(202, "stored")

    @application.get("/healthz")
    def healthz() -> "Response":
        return _answer(200, "ok") if is_ready() else _answer(503, "the database does not answer")

    return application


def _answer(status: int, message: str) -> "Response":
    from werkzeug.wrappers import Response

    return Response(message + "\n", status, mimetype="text/plain")


def _is_plain(delivery_id: str) -> bool:
    """Whether an id may become a key of ours: GitHub's are GUIDs."""
    return (
        0 < len(delivery_id) <= _LONGEST_ID
        and delivery_id.replace("-", "").isalnum()
        and delivery_id.isascii()
    )
