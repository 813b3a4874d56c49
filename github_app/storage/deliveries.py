"""The durable engine behind a few functions: accept, timer, cancel, stuck, replay, and the worker that does the work.

Every delivery and every timer is one row, kept under an id that is its memory: the same id twice is one piece of work.
Rows of one conversation are worked off one after another, rows of different conversations side by side. A row that a
crash interrupted is taken up again when the worker starts.

One worker process per database: its executor id is fixed, and a lock that the operating system frees on death sees to
it that there is only one. A later version gives each of several workers a slot of its own here, adds Postgres, a sweep
of deliveries that GitHub failed to bring, and a retention of finished rows (not shorter than the three days in which
GitHub can redeliver, since the row is what makes a redelivery harmless).
"""

import fcntl
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from github_app.settings import CannotStart
from github_app.storage.database import file_of

if TYPE_CHECKING:
    from dbos import DBOSClient, DBOSConfig, EnqueueOptions, WorkflowStatus

_log = logging.getLogger(__name__)

_APPLICATION = "askfirst"
_QUEUE = "deliveries"
_WORKFLOW = "deliver"
_VERSION = "1"
"""Pinned: by default it is a hash of the source, and every deployment would strand the rows of the one before."""
_EXECUTOR = "worker"

_FAILED = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_WAITING = ["ENQUEUED", "DELAYED"]

_AT_ONCE = 8
"""Conversations worked on side by side. A delivery spends its time waiting for GitHub."""
_RECOVERIES = 100
"""Crashes of the worker that one delivery survives, before it counts as their cause and as stuck."""
_TRIES = 4
"""Tries of a delivery without letting go of its conversation: after 0, 1, 3 and 7 seconds."""
_POSTPONEMENTS = 12
"""Times a delivery is put off for later, up to an hour each, before it counts as stuck."""
_LONGEST_WAIT = 3600.0
_LONG = timedelta(minutes=15)
_PRIORITY_SECONDS = 0.001


@dataclass(frozen=True)
class Delivery:
    """One piece of work. `id` is GitHub's delivery GUID, or our own id of a timer.

    `conversation` is the key under which work is done in turn. `payload` is JSON.
    """

    id: str
    event: str
    conversation: str
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Stuck:
    """A delivery that does not get on: it failed for good, or runs or waits suspiciously long (is there a worker?)."""

    id: str
    status: str
    event: str
    conversation: str
    since: datetime
    error: str | None


class Later(Exception):
    """The work cannot be done now: do it again after some seconds, by a backoff of our own where none are given."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds

    def wait(self, postponed: int) -> float:
        """Seconds to wait after so many postponements: never shorter than asked for, longer each time."""
        shortest = 30.0 if self.seconds is None else 1.0
        return max(self.seconds or 0.0, min(shortest * 2.0**postponed, _LONGEST_WAIT))


class GaveUp(Exception):
    """A delivery failed for good. It stays in the database as stuck, until somebody replays it."""

    def __init__(self, delivery_id: str, event: str, problem: Exception) -> None:
        super().__init__(f"delivery {delivery_id} ({event}) is stuck: {type(problem).__name__}: {problem}")


class SecondWorker(CannotStart):
    """Another worker process works on this database already."""


class Deliveries:
    """The engine, seen from outside a worker. It connects when it is first used, so it may be made before a fork."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._lock = threading.Lock()
        self._connected: DBOSClient | None = None

    def accept(self, delivery: Delivery) -> None:
        """Store a delivery; when this returns, it survives a crash. The same id again does nothing more...

        ...unless it had failed: a redelivery is how an operator asks for another try.
        """
        from dbos import error

        options = _options(delivery)
        options["workflow_id_reuse_policy"] = "reject"
        try:
            self._client().enqueue(options, *_arguments(delivery))
        except error.DBOSWorkflowIDInUseError:
            row = self._newest(delivery.id)
            if row is not None and row.status in _FAILED:
                self._rewind(row)

    def timer(self, delivery: Delivery, seconds: float, postponed: int = 0) -> None:
        """Store a delivery that becomes due after some seconds. The same id again changes nothing.

        `postponed` counts how often the work was put off already.
        """
        options = _options(delivery, max(0.0, seconds))
        options["delay_seconds"] = max(0.0, seconds)
        self._client().enqueue(options, *_arguments(delivery, postponed))

    def cancel(self, delivery_id: str) -> None:
        """Take back what has not begun; what runs, is done or never was, stays as it is."""
        waiting = [row.workflow_id for row in self._rows(delivery_id) if row.status in _WAITING]
        if waiting:
            self._client().cancel_workflows(waiting)

    def stuck(self) -> list[Stuck]:
        """What an operator should look at, oldest first."""
        rows = self._client().list_workflows(
            status=[*_FAILED, "PENDING", "ENQUEUED"], name=_WORKFLOW, application_name=_APPLICATION
        )
        long_ago = datetime.now(UTC) - _LONG
        found = [_as_stuck(row) for row in rows]
        return [one for one in found if one.status in _FAILED or one.since < long_ago]

    def replay(self, delivery_id: str) -> bool:
        """Do a delivery again that has ended, however it ended; False if there is none, or it has not ended."""
        row = self._newest(delivery_id)
        if row is None or row.status in {*_WAITING, "PENDING"}:
            return False
        self._rewind(row)
        return True

    def is_reachable(self) -> bool:
        """Whether the database answers."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self._client().check_connection()
        except SQLAlchemyError:
            return False
        return True

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            if self._connected is not None:
                self._connected.destroy()
                self._connected = None

    def _client(self) -> "DBOSClient":
        with self._lock:
            if self._connected is None:
                from dbos import DBOSClient, DBOSPortableJSONSerializer

                self._connected = DBOSClient(
                    system_database_url=self._url,
                    serializer=DBOSPortableJSONSerializer(),
                    application_name=_APPLICATION,
                    retry_connection_errors=False,
                )
            return self._connected

    def _rows(self, delivery_id: str) -> "list[WorkflowStatus]":
        """The row of a delivery and those of its postponements, oldest first."""
        client = self._client()
        first = client.list_workflows(workflow_ids=[delivery_id])
        return [*first, *client.list_workflows(workflow_id_prefix=f"{delivery_id}~")]

    def _newest(self, delivery_id: str) -> "WorkflowStatus | None":
        rows = self._rows(delivery_id)
        return rows[-1] if rows else None

    def _rewind(self, row: "WorkflowStatus") -> None:
        key = _conversation_of(row)
        self._client().rewind_workflow(row.workflow_id, queue_name=_QUEUE, queue_partition_key=key)


def work(
    database_url: str, do: Callable[[Delivery], None], until: threading.Event, *, polling_seconds: float = 0.5
) -> None:
    """Be the worker of a prepared database: do each delivery, until the event is set; what is in hand is finished first.

    `do` may raise `Later`. Any other exception is tried again a few times and then left as stuck, logged whole.

    Raises:
        SecondWorker: there is one.
    """
    with _only_worker(database_url):
        from dbos import DBOS

        deliveries = Deliveries(database_url)
        DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=_RECOVERIES)(_body(deliveries, do))
        DBOS(config=_configuration(database_url))
        DBOS.launch()
        DBOS.register_queue(
            _QUEUE, partition_concurrency=1, worker_concurrency=_AT_ONCE, polling_interval_sec=polling_seconds
        )
        try:
            until.wait()
        finally:
            DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=20)
            deliveries.close()


def _configuration(database_url: str) -> "DBOSConfig":
    from dbos import DBOSPortableJSONSerializer

    return {
        "name": _APPLICATION,
        "system_database_url": database_url,
        "serializer": DBOSPortableJSONSerializer(),
        "application_version": _VERSION,
        "executor_id": _EXECUTOR,
        "log_level": "WARNING",
    }


def _body(deliveries: Deliveries, do: Callable[[Delivery], None]) -> Callable[..., str]:
    """The workflow of one delivery. Its arguments are the stored row: change them only compatibly."""
    from dbos import DBOS, error

    @DBOS.step(name="do", retries_allowed=True, max_attempts=_TRIES, should_retry=_is_worth_waiting)
    def try_to_do(event: str, conversation: str, payload: dict[str, Any], delivery_id: str) -> None:
        do(Delivery(delivery_id, event, conversation, payload))

    def deliver(event: str, conversation: str, payload: dict[str, Any], postponed: int) -> str:
        delivery_id = str(DBOS.workflow_id).partition("~")[0]
        try:
            try_to_do(event, conversation, payload, delivery_id)
        except error.DBOSMaxStepRetriesExceeded as failed:
            problem: Exception = failed.errors[-1]
        except Later as later:
            problem = later
        else:
            return "done"
        if not isinstance(problem, Later) or postponed >= _POSTPONEMENTS:
            raise GaveUp(delivery_id, event, problem) from problem
        put_off = Delivery(f"{delivery_id}~{postponed + 1:02}", event, conversation, payload)
        deliveries.timer(put_off, problem.wait(postponed), postponed + 1)
        _log.warning("delivery %s (%s) is put off as %s: %s", delivery_id, event, put_off.id, problem)
        return f"put off as {put_off.id}"

    return deliver


def _is_worth_waiting(problem: BaseException) -> bool:
    """Whether to try again at once: not where GitHub said how long to wait."""
    return not (isinstance(problem, Later) and problem.seconds is not None)


@contextmanager
def _only_worker(database_url: str) -> Iterator[None]:
    """Hold the lock of the one worker. The operating system frees it when the process dies, however it dies."""
    path = file_of(database_url).with_suffix(".worker.lock")
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"another worker holds {path}: stop it first, or let it do the work"
            raise SecondWorker(message) from error
        yield


def _options(delivery: Delivery, due_in: float = 0.0) -> "EnqueueOptions":
    """How a row is queued: under its id, in its conversation, ordered by when it is due.

    The order is spelled out as a priority because the engine's own timestamps count whole seconds on older SQLite. It
    starts anew every 24 days; around that moment two neighbours may swap, as those of GitHub may anyway.
    """
    return {
        "workflow_name": _WORKFLOW,
        "queue_name": _QUEUE,
        "workflow_id": delivery.id,
        "queue_partition_key": delivery.conversation,
        "app_version": _VERSION,
        "priority": 1 + int((time.time() + due_in) / _PRIORITY_SECONDS) % (2**31 - 2),
    }


def _arguments(delivery: Delivery, postponed: int = 0) -> tuple[str, str, dict[str, Any], int]:
    return (delivery.event, delivery.conversation, dict(delivery.payload), postponed)


def _conversation_of(row: "WorkflowStatus") -> str:
    return str(row.input["args"][1]) if row.input else ""


def _as_stuck(row: "WorkflowStatus") -> Stuck:
    event, conversation = row.input["args"][:2] if row.input else ("", "")
    return Stuck(
        id=row.workflow_id.partition("~")[0],
        status=row.status,
        event=event,
        conversation=conversation,
        since=datetime.fromtimestamp((row.updated_at or row.created_at or 0) / 1000, UTC),
        error=str(row.error) if row.error is not None else None,
    )
