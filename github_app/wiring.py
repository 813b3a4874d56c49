"""The one place that builds the App out of its parts: the web application, the worker, and both under a supervisor."""

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from github_app.logs import log_to_stderr
from github_app.serving.stop_signal import stop_event
from github_app.settings import Settings, database_url, read_settings
from pipeline.contract.version import VERSION

if TYPE_CHECKING:
    from flask import Flask

    from github_app.counting import Counts
    from github_app.gateway.connections import WritePace
    from github_app.health.open_conversations import OpenConversation
    from github_app.perform import App
    from github_app.ports.conversations import Clock, Conversations
    from github_app.ports.surfaces import Announcements
    from github_app.storage.deliveries import Deliveries
    from github_app.sweep.sweep import Sweep

_log = logging.getLogger(__name__)

_WEB_PROCESSES = 2
_WEB_THREADS = 8


def web_application() -> "Flask":
    """What gunicorn serves. Nothing connects before the first request, so that a fork shares no connection."""
    from sqlalchemy.exc import SQLAlchemyError

    from github_app.counting import ACCEPTED_DELIVERIES, REJECTED_SIGNATURES, Counts, Flusher
    from github_app.health.probes import Probing
    from github_app.intake.delivery import conversation_key, parse_delivery
    from github_app.serving.web import Probes, RejectedSignatures, create_application
    from github_app.storage.conversations import StoredConversations
    from github_app.storage.deliveries import Deliveries, Delivery

    settings = read_settings()
    log_to_stderr(settings.log_format)
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
    application = create_application(
        _valid_secrets(settings.webhook_secret, settings.webhook_secret_before), take, probes
    )
    if settings.surfaces is not None:
        from github_app.gateway.system_clock import SystemClock
        from github_app.serving.surface_web import add_reply_doors
        from github_app.storage.surface_rows import StoredMessageReferences, message_store, reply_store
        from github_app.surfaces.door import ReplyDoor
        from github_app.surfaces.signed_door import SignedDoor

        secret, now = settings.marker_key.encode(), SystemClock().now
        door = ReplyDoor(settings.surfaces, secret, conversations, now, reply_store(deliveries.accept))
        references = StoredMessageReferences(settings.database_url)
        signed_door = SignedDoor(door, references, message_store(deliveries.accept))
        add_reply_doors(application, door, signed_door)
    return application


def become_web_server() -> None:
    """Replace this process by gunicorn with our application. It ends on SIGTERM when it has answered what came in."""
    from github_app.storage.database import prepare

    settings = read_settings()
    prepare(settings.database_url)
    command = _web_server(settings)
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606  no shell is wanted


def _web_server(settings: Settings) -> list[str]:
    """The command of the web server. The database must be prepared."""
    return [
        sys.executable, "-m", "gunicorn", "--bind", f"{settings.host}:{settings.port}",
        "--workers", str(_WEB_PROCESSES), "--threads", str(_WEB_THREADS), "--worker-class", "github_app.serving.web_worker.BufferingWorker",
        "--graceful-timeout", "15", "--no-control-socket", f"{__name__}:{web_application.__name__}()",
    ]  # fmt: skip


def run_worker() -> None:
    """Do stored deliveries until SIGTERM or SIGINT."""
    from github_app.counting import Counts, Pulse
    from github_app.serving import worker
    from github_app.storage.database import prepare
    from github_app.storage.health import Health

    settings = read_settings()
    prepare(settings.database_url)
    log_to_stderr(settings.log_format)
    _say_who_starts("worker", settings)
    counts, pulse = Counts(), Pulse()
    app, sweep = assemble(settings, counts, pulse.beat)
    vitals = worker.Vitals(Health(settings.database_url), counts, pulse)
    retention = timedelta(days=settings.retention_days)
    worker.run(settings.database_url, app, sweep, vitals, stop_event(), settings.polling_seconds, retention)


def serve() -> None:
    """Web server and worker as processes of their own, until SIGTERM or SIGINT."""
    from github_app.serving.supervisor import supervise
    from github_app.storage.database import prepare

    settings = read_settings()
    prepare(settings.database_url)
    log_to_stderr(settings.log_format)
    _say_who_starts("serve", settings)
    worker = [sys.executable, "-m", "github_app.cli", "worker"]
    supervise({"worker": worker, "web": _web_server(settings)}, stop_event())


def open_deliveries() -> "Deliveries":
    """The engine, for commands that only look into it or set something going again.

    Raises:
        DatabaseUnusable: there is none yet; an empty new one would say that all is well.
    """
    from github_app.storage.database import prepare, refuse_missing
    from github_app.storage.deliveries import Deliveries

    url = database_url()
    refuse_missing(url)
    prepare(url)
    return Deliveries(url)


def open_conversations() -> "list[OpenConversation]":
    """The open conversations, those first that have waited longest.

    Raises:
        DatabaseUnusable: there is no database yet.
    """
    from github_app.health.open_conversations import OPEN_STATES, list_open
    from github_app.storage.conversations import StoredConversations
    from github_app.storage.health import REPOSITORY, Health

    open_deliveries().close()
    url = database_url()
    health, conversations = Health(url), StoredConversations(url)

    def name_of(repository_id: int) -> str:
        note = health.note(f"{REPOSITORY}{repository_id}")
        return str(note.value["full_name"]) if note else f"repository {repository_id}"

    return list(list_open(conversations.in_states(OPEN_STATES), name_of))


def back_up(path: Path) -> None:
    """Copy the database to a file, readable by its owner only, while the App runs.

    Raises:
        DatabaseUnusable: there is no database yet, or the file is there already or cannot be written.
    """
    from github_app.storage.database import copy_to

    open_deliveries().close()
    copy_to(database_url(), path)


def order_sweep() -> None:
    """Store the order to look for what was missed; the worker does it.

    Raises:
        DatabaseUnusable: there is no database yet.
    """
    from github_app.gateway.system_clock import SystemClock
    from github_app.sweep.sweep import sweep_delivery

    deliveries = open_deliveries()
    for sweep_kind in ("deliveries", "conversations"):
        deliveries.accept(sweep_delivery(sweep_kind, SystemClock()))


def assemble(settings: Settings, counts: "Counts", on_answer: Callable[[], None]) -> "tuple[App, Sweep]":
    """The App with everything it needs from outside, and what looks for what it missed. The database must be prepared.

    Raises:
        UnusableKey: the private key is none. Better heard now than at the first delivery.
    """
    from github_app.conversation.marker import SignedMarkers
    from github_app.gateway.app_auth import AppAuth
    from github_app.gateway.change_publisher import GitHubPublisher
    from github_app.gateway.checks import GitHubChecks
    from github_app.gateway.connections import AppConnections
    from github_app.gateway.github_gateway import GitHubIssues, GitHubPermissions, GitHubWorkflows
    from github_app.gateway.inventory import GitHubInventory
    from github_app.gateway.pull_requests import GitHubPullRequests
    from github_app.gateway.run_artifact import GitHubArtifacts
    from github_app.gateway.system_clock import RequeueingClock
    from github_app.perform import App
    from github_app.ports.github import Lags
    from github_app.storage.deliveries import Deliveries
    from github_app.storage.observed import ObservedConversations
    from github_app.storage.timers import StoredTimers
    from github_app.surfaces.github_markdown import GitHubMarkdown
    from github_app.sweep.sweep import Sweep

    clock = RequeueingClock()
    auth = AppAuth(settings, clock, on_answer)
    auth.jwt()
    connections = AppConnections(settings, auth, _write_pace(settings))
    conversations = ObservedConversations(settings.database_url, counts)
    deliveries = Deliveries(settings.database_url)
    inventory = GitHubInventory(settings, auth, connections)
    app = App(
        issues=GitHubIssues(connections),
        permissions=GitHubPermissions(connections),
        workflows=GitHubWorkflows(connections),
        artifacts=GitHubArtifacts(connections, settings),
        publisher=GitHubPublisher(connections),
        pull_requests=GitHubPullRequests(connections),
        checks=GitHubChecks(connections),
        conversations=conversations,
        timers=StoredTimers(deliveries, clock),
        clock=clock,
        surface=GitHubMarkdown(settings.server_url),
        markers=SignedMarkers(
            settings.app_id,
            *(k.encode() for k in _valid_secrets(settings.marker_key, settings.marker_key_before)),
        ),
        secret=settings.marker_key.encode(),
        lags=Lags(settings.comment_lag, settings.run_lag),
        announcements=_announcements(settings, conversations, clock, deliveries),
    )
    return app, Sweep(inventory, deliveries, conversations, clock, settings.allows)


def _write_pace(settings: Settings) -> "WritePace":
    """The pace of this process, which is the only one that writes; on Postgres, of all workers together."""
    from github_app.gateway.rest import Pace
    from github_app.storage.database import is_postgres
    from github_app.storage.pace import SharedPace

    seconds = settings.seconds_between_writes
    if is_postgres(settings.database_url):
        return SharedPace(settings.database_url, seconds)
    return Pace(seconds)


def _announcements(
    settings: Settings, conversations: "Conversations", clock: "Clock", deliveries: "Deliveries"
) -> "Announcements | None":
    """The surfaces besides GitHub; None where the operator has named none."""
    if settings.surfaces is None:
        return None
    from github_app.storage.surface_rows import StoredMessageReferences, message_store
    from github_app.surfaces.announcement import Announcer
    from github_app.surfaces.announcing import QueuedAnnouncements
    from github_app.surfaces.http_post import HttpPost

    announcer = Announcer(settings.surfaces, settings.server_url, settings.marker_key.encode())
    references = StoredMessageReferences(settings.database_url)
    store = message_store(deliveries.accept)
    return QueuedAnnouncements(announcer, conversations, clock, store, HttpPost(), references)


def _valid_secrets(now: str, before: str) -> tuple[str, ...]:
    """A secret, and the one before it while a rotation goes on."""
    return (now, before) if before else (now,)


def _say_who_starts(program: str, settings: Settings) -> None:
    """The first line of a log: which program, which App, which store, which GitHub."""
    from github_app.storage.database import without_password

    store = without_password(settings.database_url)
    _log.info(
        "askfirst-app %s %s starts: App %s (%s) at %s, store %s",
        VERSION, program, settings.app_id, settings.client_id, settings.api_url, store,
    )  # fmt: skip
