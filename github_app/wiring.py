"""The one place that builds the App out of its parts: the web application, the worker, and both under a supervisor."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from github_app.settings import Settings, database_url, read_settings

if TYPE_CHECKING:
    from flask import Flask

    from github_app.perform import App
    from github_app.storage.deliveries import Deliveries

_WEB_PROCESSES = 2
_WEB_THREADS = 4


def web_application() -> "Flask":
    """What gunicorn serves. Nothing connects before the first request, so that a fork shares no connection."""
    from github_app.intake.delivery import conversation_key, parse_delivery
    from github_app.storage.conversations import StoredConversations
    from github_app.storage.deliveries import Deliveries, Delivery
    from github_app.web import create_application

    settings = read_settings()
    deliveries = Deliveries(settings.database_url)
    conversations = StoredConversations(settings.database_url)

    def take(event: str, delivery_id: str, payload: Mapping[str, Any]) -> None:
        parsed = parse_delivery(event, payload)
        if parsed is not None:
            needed = parsed.model_dump(mode="json", by_alias=True)
            deliveries.accept(
                Delivery(
                    delivery_id, event, conversation_key(parsed, conversations.issue_of_pull_request), needed
                )
            )

    return create_application(settings.webhook_secret, take, deliveries.is_reachable)


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
        "--workers", str(_WEB_PROCESSES), "--threads", str(_WEB_THREADS), "--worker-class", "gthread",
        "--graceful-timeout", "15", "--no-control-socket", f"{__name__}:{web_application.__name__}()",
    ]  # fmt: skip


def run_worker() -> None:
    """Do stored deliveries until SIGTERM or SIGINT."""
    from github_app import worker
    from github_app.storage.database import prepare

    settings = read_settings()
    prepare(settings.database_url)
    _log_to_stderr()
    app = assembled(settings)
    worker.run(settings.database_url, app, _until_told_to_end(), settings.polling_seconds)


def serve() -> None:
    """Web server and worker as processes of their own, until SIGTERM or SIGINT."""
    from github_app.storage.database import prepare
    from github_app.supervisor import supervise

    settings = read_settings()
    prepare(settings.database_url)
    _log_to_stderr()
    worker = [sys.executable, "-m", "github_app.cli", "worker"]
    supervise({"worker": worker, "web": _web_server(settings)}, _until_told_to_end())


def opened_deliveries() -> "Deliveries":
    """The engine, for commands that only look into it or set something going again.

    Raises:
        DatabaseUnusable: there is none yet; an empty new one would say that all is well.
    """
    from github_app.storage.database import DatabaseUnusable, file_of, prepare
    from github_app.storage.deliveries import Deliveries

    url = database_url()
    if not file_of(url).exists():
        raise DatabaseUnusable(
            f"there is no database at {file_of(url)}. Set ASKFIRST_DATABASE_URL or ASKFIRST_DATA_DIRECTORY as the App"
            " has it."
        )
    prepare(url)
    return Deliveries(url)


def assembled(settings: Settings) -> "App":
    """The App with everything it needs from outside. The database must be prepared.

    Raises:
        UnusableKey: the private key is none. Better heard now than at the first delivery.
    """
    from github_app.conversation.marker import SignedMarkers
    from github_app.gateway.app_auth import AppAuth
    from github_app.gateway.change_publisher import GitHubPublisher
    from github_app.gateway.connections import AppConnections
    from github_app.gateway.github_gateway import GitHubIssues, GitHubPermissions, GitHubWorkflows
    from github_app.gateway.pull_requests import GitHubPullRequests
    from github_app.gateway.run_artifact import GitHubArtifacts
    from github_app.gateway.system_clock import SystemClock
    from github_app.perform import App
    from github_app.storage.conversations import StoredConversations
    from github_app.storage.deliveries import Deliveries
    from github_app.storage.timers import StoredTimers
    from github_app.surfaces.github_markdown import GitHubMarkdown

    clock = SystemClock()
    auth = AppAuth(settings, clock)
    auth.jwt()
    connections = AppConnections(settings, auth)
    return App(
        issues=GitHubIssues(connections),
        permissions=GitHubPermissions(connections),
        workflows=GitHubWorkflows(connections),
        artifacts=GitHubArtifacts(connections, settings),
        publisher=GitHubPublisher(connections),
        pull_requests=GitHubPullRequests(connections),
        conversations=StoredConversations(settings.database_url),
        timers=StoredTimers(Deliveries(settings.database_url), clock),
        clock=clock,
        surface=GitHubMarkdown(settings.server_url),
        markers=SignedMarkers(settings.app_id, settings.marker_key.encode()),
        secret=settings.marker_key.encode(),
    )


def _until_told_to_end() -> threading.Event:
    """An event that SIGTERM and SIGINT set."""
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    return told


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
