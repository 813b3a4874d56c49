"""The one place that builds the App out of its parts: the web application, the worker, and both under a supervisor.

The supervisor imports none of the parts: it would hold their memory for nothing.
"""

import logging
import os
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from github_app.logs import log_to_stderr
from github_app.serving.stop_signal import end_without_threads, stop_event
from github_app.settings import Settings, database_url, read_settings
from pipeline.contract.version import VERSION

if TYPE_CHECKING:
    from github_app.app import App
    from github_app.counting import Counts
    from github_app.gateway.connections import WritePace
    from github_app.health.open_conversations import OpenConversation
    from github_app.ports.conversations import Clock, Conversations
    from github_app.ports.surfaces import Announcements
    from github_app.storage.deliveries import Deliveries
    from github_app.storage.health import Health
    from github_app.sweep.sweep import Sweep

_log = logging.getLogger(__name__)


def run_web() -> int:
    """Take requests until SIGTERM, and end when those that came in are answered. Return the exit code.

    A busy port is no refusal: `serve` keeps its worker, and tries again.
    """
    from github_app.serving.web_server import WebServer, port_is_free
    from github_app.storage.database import is_postgres, prepare
    from github_app.web_wiring import web_application

    settings = read_settings()
    prepare(settings.database_url)
    log_to_stderr(settings.log_format)
    if not port_is_free(settings.host, settings.port):
        _log.error(
            "Port %s of %s is in use by another process. Stop that process (`ss -ltnp` names it), or set ASKFIRST_PORT.",
            settings.port,
            settings.host,
        )
        return os.EX_TEMPFAIL
    _say_who_starts("web", settings)
    # SQLite has one writer: two processes acknowledge no more than one, and one needs less memory.
    processes = 2 if is_postgres(settings.database_url) else 1
    WebServer(settings.host, settings.port, processes, lambda: web_application(settings)).serve()
    return os.EX_OK


def run_worker(look_at_setup: Callable[[Settings], None]) -> None:
    """Do stored deliveries until SIGTERM or SIGINT. Whether the App is set up as it says is looked at meanwhile."""
    from github_app.counting import Counts
    from github_app.serving import worker
    from github_app.storage.database import prepare
    from github_app.storage.health import Health

    settings = read_settings()
    prepare(settings.database_url)
    log_to_stderr(settings.log_format)
    _say_who_starts("worker", settings)
    counts, pulse = Counts(), threading.Event()
    app, sweep = assemble(settings, counts, pulse.set)
    vitals = worker.Vitals(Health(settings.database_url), counts, pulse)
    retention = timedelta(days=settings.retention_days)
    threading.Thread(target=look_at_setup, args=(settings,), name="setup", daemon=True).start()
    worker.run(settings.database_url, app, sweep, vitals, stop_event(), settings.polling_seconds, retention)
    end_without_threads()


def serve() -> bool:
    """Web server and worker as processes of their own, until SIGTERM or SIGINT; False if one of them cannot start."""
    from github_app.serving.supervisor import supervise

    log_to_stderr(read_settings().log_format)
    commands = {name: [sys.executable, "-m", "github_app.cli", name] for name in ("worker", "web")}
    return supervise(commands, stop_event())


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
    from github_app.conversation.record import OPEN_STATES
    from github_app.health.open_conversations import list_open
    from github_app.storage.conversations import StoredConversations
    from github_app.storage.health import Health

    open_deliveries().close()
    url = database_url()
    health, conversations = Health(url), StoredConversations(url)

    name_of = partial(_name_of, health)
    return list(list_open(conversations.in_states(OPEN_STATES), name_of))


def spent_today() -> "dict[str, float]":
    """The dollars that the runs of each repository have cost today (UTC), as they told when they ended."""
    from github_app.daily_budget import day_of
    from github_app.storage.costs import StoredCosts
    from github_app.storage.health import Health

    url = database_url()
    costs = StoredCosts(url).of_repositories(day_of(datetime.now(UTC)))
    health = Health(url)
    return {_name_of(health, repository_id): dollars for repository_id, dollars in costs.items() if dollars}


def place_names() -> Callable[[str], str]:
    """What a conversation is called for people: `acme/orders#418`, as far as the repository's name is known."""
    from github_app.storage.health import Health

    health = Health(database_url())

    def place_of(conversation: str) -> str:
        repository_id, separator, issue = conversation.partition("#")
        if not separator or not repository_id.isdigit():
            return conversation
        return f"{_name_of(health, int(repository_id))}#{issue}"

    return place_of


def _name_of(health: "Health", repository_id: int) -> str:
    from github_app.storage.health import REPOSITORY

    note = health.note(f"{REPOSITORY}{repository_id}")
    return str(note.value["full_name"]) if note else f"repository {repository_id}"


def missing_worker() -> str:
    """A sentence for a person who orders work while no worker lives; "" where one does."""
    from github_app.health.probes import WORKER_SECONDS
    from github_app.storage.health import WORKER, Health

    health = Health(database_url())
    note, now = health.note(WORKER), health.now()
    health.close()
    if note is not None and now - note.at <= WORKER_SECONDS:
        return ""
    last_sign = (
        "no worker has been heard yet"
        if note is None
        else f"the worker was last heard {now - note.at:.0f} s ago"
    )
    return f" But {last_sign}: start askfirst-app worker, or look at its log."


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
    from github_app.app import App
    from github_app.conversation.marker import SignedMarkers
    from github_app.counting import DOLLARS, count_changes
    from github_app.daily_budget import DailyBudget
    from github_app.gateway.app_auth import AppAuth
    from github_app.gateway.change_publisher import GitHubPublisher
    from github_app.gateway.checks import GitHubChecks
    from github_app.gateway.connections import AppConnections
    from github_app.gateway.github_gateway import GitHubIssues, GitHubPermissions, GitHubWorkflows
    from github_app.gateway.inventory import GitHubInventory
    from github_app.gateway.pull_requests import GitHubPullRequests
    from github_app.gateway.run_artifact import GitHubArtifacts
    from github_app.gateway.system_clock import RequeueingClock
    from github_app.ports.github import Lags
    from github_app.storage.conversations import StoredConversations
    from github_app.storage.costs import StoredCosts
    from github_app.storage.deliveries import Deliveries
    from github_app.storage.timers import StoredTimers
    from github_app.surfaces.github_markdown import GitHubMarkdown
    from github_app.sweep.sweep import Sweep

    clock = RequeueingClock()
    auth = AppAuth(settings, clock, on_answer)
    auth.jwt()
    connections = AppConnections(settings, auth, _write_pace(settings))
    conversations = StoredConversations(settings.database_url)
    deliveries = Deliveries(settings.database_url)
    inventory = GitHubInventory(settings, auth, connections)
    artifacts = GitHubArtifacts(connections, settings)
    costs = StoredCosts(settings.database_url, partial(counts.add, DOLLARS))
    app = App(
        issues=GitHubIssues(connections),
        permissions=GitHubPermissions(connections),
        workflows=GitHubWorkflows(connections),
        artifacts=artifacts,
        publisher=GitHubPublisher(connections),
        pull_requests=GitHubPullRequests(connections),
        checks=GitHubChecks(connections),
        conversations=conversations,
        timers=StoredTimers(deliveries, clock),
        clock=clock,
        surface=GitHubMarkdown(settings.server_url),
        markers=SignedMarkers(settings.app_id, *settings.marker_keys),
        secret=settings.marker_key.encode(),
        lags=Lags(settings.comment_lag, settings.run_lag),
        announcements=_announcements(settings, conversations, clock, deliveries),
        budget=DailyBudget(costs, artifacts, clock, settings.dollars_per_day),
        on_change=lambda before, after: count_changes(counts, before, after, clock.now()),
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


def _say_who_starts(program: str, settings: Settings) -> None:
    """The first line of a log: which program, which App, which store, which GitHub."""
    from github_app.storage.database import without_password

    store = without_password(settings.database_url)
    _log.info(
        "askfirst-app %s %s starts: App %s (%s) at %s, store %s",
        VERSION, program, settings.app_id, settings.client_id, settings.api_url, store,
    )  # fmt: skip
