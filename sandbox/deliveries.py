"""Brings events to the App: signs each payload, posts it from a thread of its own, keeps the list of attempts."""

import hashlib
import hmac
import http.client
import itertools
import json
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from sandbox.documents.announcements import ALWAYS_SENT, installation_for, payload_of
from sandbox.documents.documents import Documents
from sandbox.faults import Faults
from sandbox.world.refusals import NotFound
from sandbox.world.state import RegisteredApp, WebhookDelivery
from sandbox.world.world import Happening

_PATIENCE = 10.0
"""Seconds in which GitHub wants its 2xx."""


class DeliverySender:
    """The webhook side of the sandbox.

    One thread sends in order of due time, one delivery after another; a delayed delivery is overtaken by younger ones.
    Nothing is sent again by itself, as on GitHub: the App has to ask for redelivery.
    """

    def __init__(self, documents: Documents, faults: Faults) -> None:
        self._documents = documents
        self._faults = faults
        self._ids = itertools.count(1)
        self._wake = threading.Condition()
        self._due: list[tuple[float, WebhookDelivery]] = []
        self._sending = False
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="sandbox-deliveries", daemon=True)
        self.attempts: list[WebhookDelivery] = []

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def stop(self) -> None:
        """Send nothing more and wait for the thread."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        self._thread.join(timeout=_PATIENCE + 1)

    def announce(self, happening: Happening) -> None:
        """Queue the delivery of a happening, if the App is installed there and has subscribed to the event."""
        app = self._documents.world.app
        installation = installation_for(self._documents, happening)
        if app is None or installation is None or happening.event not in (*app.events, *ALWAYS_SENT):
            return
        if installation.suspended_at is not None and happening.event != "installation":
            return
        body = json.dumps(payload_of(self._documents, happening)).encode()
        guid = str(uuid.uuid4())
        delivery = WebhookDelivery(
            next(self._ids),
            guid,
            happening.event,
            happening.action,
            body,
            _headers(app, happening.event, guid, body),
            installation.id,
            happening.repository.id if happening.repository else None,
            self._documents.world.clock.now(),
        )
        self._queue(delivery)

    def redeliver(self, delivery_id: int) -> None:
        """Send an event again: a new attempt with a new id and the same GUID."""
        earlier = self.find(delivery_id)
        fresh = replace(
            earlier, id=next(self._ids), redelivery=True, status="pending", status_code=0, is_lost=False,
            response_body="", duration=0.0, delivered_at=self._documents.world.clock.now(),
        )  # fmt: skip
        self._put(fresh, 0.0)

    def send(
        self, event: str, body: bytes, *, headers: Callable[[dict[str, str]], dict[str, str]]
    ) -> WebhookDelivery:
        """Send bytes of a test's own making; `headers` may change or drop any header of a proper delivery."""
        app = self._documents.world.the_app
        guid = str(uuid.uuid4())
        delivery = WebhookDelivery(
            next(self._ids), guid, event, None, body, headers(_headers(app, event, guid, body)), None, None,
            self._documents.world.clock.now(),
        )  # fmt: skip
        self.attempts.append(delivery)
        self._send(delivery)
        return delivery

    def find(self, delivery_id: int) -> WebhookDelivery:
        """The attempt of that id."""
        for delivery in self.attempts:
            if delivery.id == delivery_id:
                return delivery
        raise NotFound

    def pending(self) -> list[WebhookDelivery]:
        """What is queued, being sent, or sent and not acknowledged by its latest attempt; lost ones do not count."""
        with self._wake:
            latest = {delivery.guid: delivery for delivery in self.attempts}
            waiting = [delivery for _, delivery in self._due]
        unacknowledged_attempts = [
            d for d in latest.values() if not d.is_acknowledged and not d.is_lost and d not in waiting
        ]
        return waiting + unacknowledged_attempts

    def _queue(self, delivery: WebhookDelivery) -> None:
        fault = self._faults.of_delivery(delivery.event)
        if fault is not None and fault.lose:
            delivery.is_lost = True
            delivery.status = "timed out"
            delivery.status_code = 504
            with self._wake:
                self.attempts.append(delivery)
            return
        self._put(delivery, fault.delay if fault else 0.0)
        for _ in range(1, fault.copies if fault else 1):
            self._put(replace(delivery, id=next(self._ids)), fault.delay if fault else 0.0)

    def _put(self, delivery: WebhookDelivery, delay: float) -> None:
        with self._wake:
            self.attempts.append(delivery)
            self._due.append((time.monotonic() + delay, delivery))
            self._wake.notify_all()

    def _run(self) -> None:
        while (delivery := self._next()) is not None:
            self._send(delivery)
            with self._wake:
                self._due = [item for item in self._due if item[1] is not delivery]

    def _next(self) -> WebhookDelivery | None:
        """The delivery that is due, kept in the queue while it is sent so that it counts as pending."""
        with self._wake:
            while not self._stopping:
                if not self._due:
                    self._wake.wait()
                    continue
                moment, delivery = min(self._due, key=lambda item: (item[0], item[1].id))
                remaining = moment - time.monotonic()
                if remaining <= 0:
                    return delivery
                self._wake.wait(remaining)
            return None

    def _send(self, delivery: WebhookDelivery) -> None:
        app = self._documents.world.the_app
        if app.webhook_url is None:
            delivery.status, delivery.is_lost = "no webhook address", True
            return
        address = urlsplit(app.webhook_url)
        start = time.monotonic()
        connection = http.client.HTTPConnection(address.hostname or "", address.port or 80, timeout=_PATIENCE)
        try:
            target = (address.path or "/") + (f"?{address.query}" if address.query else "")
            connection.request("POST", target, body=delivery.body, headers=delivery.headers)
            answer = connection.getresponse()
            delivery.response_body = answer.read(65_536).decode("utf-8", "replace")
            delivery.status_code = answer.status
            delivery.status = "OK" if delivery.is_acknowledged else answer.reason
        except TimeoutError:
            delivery.status, delivery.status_code = "timed out", 504
        except (OSError, http.client.HTTPException):
            delivery.status, delivery.status_code = "failed to connect to host", 502
        finally:
            connection.close()
            delivery.duration = time.monotonic() - start


def signature(secret: str, body: bytes, algorithm: str = "sha256") -> str:
    """The value of `X-Hub-Signature-256` (or, with `sha1`, of the older header)."""
    return f"{algorithm}=" + hmac.new(secret.encode(), body, getattr(hashlib, algorithm)).hexdigest()


def _headers(app: RegisteredApp, event: str, guid: str, body: bytes) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/sandbox",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid,
        "X-GitHub-Hook-ID": "1",
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-Hub-Signature": signature(app.webhook_secret, body, "sha1"),
        "X-Hub-Signature-256": signature(app.webhook_secret, body),
    }
