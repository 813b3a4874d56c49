"""Builds the web application out of its parts. Importing this module imports all of them, so that forked processes share them."""

import contextlib
import logging
from collections.abc import Mapping
from typing import Any

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from github_app.counting import ACCEPTED_DELIVERIES, REJECTED_SIGNATURES, Counts, Flusher
from github_app.gateway.system_clock import SystemClock
from github_app.health.probes import Probing
from github_app.intake.delivery import conversation_key, parse_delivery
from github_app.serving.surface_web import add_reply_doors
from github_app.serving.web import Probes, RejectedSignatures, create_application
from github_app.settings import Settings
from github_app.storage.conversations import StoredConversations
from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import Delivery
from github_app.storage.surface_rows import StoredMessageReferences, message_store, reply_store
from github_app.surfaces.door import ReplyDoor
from github_app.surfaces.signed_door import SignedDoor

_log = logging.getLogger(__name__)


def web_application(settings: Settings) -> Flask:
    """What gunicorn serves. It connects to the store: to be called after the fork."""
    counts, probing, rejections = Counts(), Probing(settings.database_url), RejectedSignatures()

    def flush() -> None:
        rejections.report()
        with contextlib.suppress(SQLAlchemyError):  # it is counted again
            counts.write(lambda values: probing.health().add(values))

    flusher = Flusher(flush)
    deliveries = Deliveries(settings.database_url)
    conversations = StoredConversations(settings.database_url)

    def take(event: str, delivery_id: str, payload: Mapping[str, Any]) -> None:
        webhook_delivery = parse_delivery(event, payload)
        repository = getattr(webhook_delivery, "repository", None)
        if repository is not None and not settings.allows(repository.full_name):
            _log.info("left out %s of %s: ASKFIRST_ALLOW does not name it", event, repository.full_name)
        elif webhook_delivery is not None:
            fields = webhook_delivery.model_dump(mode="json", by_alias=True)
            deliveries.accept(
                Delivery(
                    delivery_id,
                    event,
                    conversation_key(webhook_delivery, conversations.issue_of_pull_request),
                    fields,
                )
            )

    def on_accepted(event: str) -> None:
        counts.add(ACCEPTED_DELIVERIES, event=event)
        flusher.begin()

    def on_rejected() -> None:
        counts.add(REJECTED_SIGNATURES)
        rejections.add()
        flusher.begin()

    probes = Probes(probing.problems, probing.metrics, on_accepted, on_rejected)
    application = create_application(settings.webhook_secrets, take, probes)
    if settings.surfaces is not None:
        now = SystemClock().now
        door = ReplyDoor(
            settings.surfaces, settings.marker_keys, conversations, now, reply_store(deliveries.accept)
        )
        references = StoredMessageReferences(settings.database_url)
        signed_door = SignedDoor(door, references, message_store(deliveries.accept))

        def on_rejected_reply(name: str, advice: str) -> None:
            counts.add(REJECTED_SIGNATURES, door=name)
            rejections.add(advice)
            flusher.begin()

        add_reply_doors(application, door, signed_door, on_rejected_reply)
    return application
