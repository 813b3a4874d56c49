"""The door of the App: take a webhook delivery, check it, store it, answer 202. Everything else happens in the worker."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Flask, request
from pydantic_core import from_json
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.wrappers import Response

from github_app.intake.delivery import UnusableDelivery
from github_app.intake.signature import HEADER, is_genuine
from github_app.storage.database import first_line

_log = logging.getLogger(__name__)

LARGEST_DELIVERY = 25 * 1024 * 1024
"""Bytes. GitHub sends no event whose payload is larger. Source: docs.github.com, "Webhook events and payloads"."""

_LONGEST_ID = 100

Take = Callable[[str, str, Mapping[str, Any]], None]
"""Stores what an event needs, by event name, delivery id and payload, or lets it go. Returns when it is on disk; raises
`UnusableDelivery` where a field is missing, so that GitHub shows the delivery as failed, with the reason."""


@dataclass(frozen=True)
class Probes:
    """What the door says of the App, and whom it tells of what comes in."""

    problems: Callable[[], list[str]]
    metrics: Callable[[], str]
    on_accepted: Callable[[str], None] = lambda _event: None
    on_rejected: Callable[[], None] = lambda: None


GITHUB_REJECTED = "If GitHub shows failed deliveries with 401, ASKFIRST_WEBHOOK_SECRET differs from the webhook secret on the App's page."


class RejectedSignatures:
    """Counts what was not signed as it must be, and says so once a minute: an attack, or a secret that differs."""

    def __init__(self, every: float = 60.0) -> None:
        self._every = every
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._said = -every

    def add(self, advice: str = GITHUB_REJECTED) -> None:
        """One more; `advice` says where it came, and what to do if it should have been taken."""
        with self._lock:
            self._counts[advice] += 1

    def report(self) -> None:
        """Say how many there were since the last line, if it is time for one."""
        now = time.monotonic()
        with self._lock:
            if not self._counts or now - self._said < self._every:
                return
            counts, self._counts, self._said = self._counts, Counter(), now
        for advice, count in counts.items():
            _log.warning(
                "%s without a valid signature. %s", "1 request" if count == 1 else f"{count} requests", advice
            )


def create_application(webhook_secrets: Sequence[str], take: Take, probes: Probes) -> Flask:
    """The WSGI application: `POST /webhook`, and for operators `GET /healthz`, `/readyz`, `/metrics`.

    During a rotation there are two webhook secrets, and either one proves a delivery. The order of the checks is the order of trust: size, signature over the raw bytes, JSON, headers. Nothing is parsed
    that was not signed, and nothing is acknowledged that is not stored: when storing fails, the answer is a 503, GitHub
    keeps the delivery as failed, and it is taken up by the next sweep.
    """
    application = Flask("askfirst")
    application.config["MAX_CONTENT_LENGTH"] = LARGEST_DELIVERY

    @application.post("/webhook")
    def webhook() -> Response:
        body = request.get_data()
        header = request.headers.get(HEADER)
        if not any(is_genuine(secret, body, header) for secret in webhook_secrets):
            probes.on_rejected()
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
        probes.on_accepted(event)
        return _answer(202, "stored")

    @application.errorhandler(SQLAlchemyError)
    def store_failed(error: SQLAlchemyError) -> Response:
        delivery = request.headers.get("X-GitHub-Delivery", request.path)
        _log.error(
            "did not store %s: the database answers: %s. GitHub keeps a delivery as failed, and the next sweep takes it up.",
            delivery,
            first_line(error),
        )
        return _answer(503, "the database does not answer: see the log of the App")

    @application.get("/healthz")
    def healthz() -> Response:
        return _answer(200, "ok")

    @application.get("/readyz")
    def readyz() -> Response:
        problems = probes.problems()
        return _answer(503, "\n".join(problems)) if problems else _answer(200, "ready")

    @application.get("/metrics")
    def metrics() -> Response:
        return _answer(200, probes.metrics().rstrip("\n"), "text/plain; version=0.0.4")

    return application


def _answer(status: int, message: str, content_type: str = "text/plain") -> Response:
    return Response(message + "\n", status, content_type=f"{content_type}; charset=utf-8")


def _is_plain(delivery_id: str) -> bool:
    """Whether an id may become a key of ours: GitHub's are GUIDs."""
    return (
        0 < len(delivery_id) <= _LONGEST_ID
        and delivery_id.replace("-", "").isalnum()
        and delivery_id.isascii()
    )
