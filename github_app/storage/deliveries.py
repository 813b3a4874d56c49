"""The durable engine as everybody but the worker sees it: accept, timer, cancel, stuck, replay, wake.

Every delivery and every timer is one row, kept under an id that is its memory: the same id twice is one piece of work.
Rows of one conversation are worked off one after another, rows of different conversations side by side. A delivery that
is put off goes on as a row of its own, `<id>~<number>`, and keeps its turn (see `waiting`).
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from github_app.storage.database import patient_url
from github_app.storage.store_clock import StoreClock
from github_app.storage.waiting import Wait, Waiting, WaitingDeliveries
from pipeline.contract.version import FORMAT

if TYPE_CHECKING:
    from dbos import DBOSClient, EnqueueOptions, WorkflowStatus

APPLICATION = "askfirst"
QUEUE = "deliveries"
WORKFLOW = "deliver"
VERSION = str(FORMAT)
"""What the engine calls the App's version. Its own default, a hash of the source, would strand all rows at each deployment."""

_FAILED_STATUSES = ["ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_WAITING_STATUSES = ["ENQUEUED", "DELAYED"]
_UNFINISHED_STATUSES = [*_WAITING_STATUSES, "PENDING"]
"""A delivery without such a row is not done any more: somebody has cancelled it by hand."""

_LONGEST_WAIT = 3600.0
_LONGEST_WAIT_FOR_OPERATOR = 600.0
_LONG = timedelta(minutes=15)
_PRIORITY_MS = 1
_FORGOTTEN_AT_ONCE = 500
_POOL = 2
"""Connections to Postgres at most, for statements that take milliseconds: a server grants about a hundred to all machines."""


@dataclass(frozen=True)
class Delivery:
    """One piece of work. `id` is GitHub's delivery GUID, or our own id of a timer.

    `conversation` is the key under which work is done in turn. `payload` is JSON.
    """

    id: str
    event: str
    conversation: str
    payload: Mapping[str, Any]

    @property
    def installation_id(self) -> int | None:
        """The installation that the work is for, as far as the payload tells."""
        return _installation_of(self.payload)


@dataclass(frozen=True)
class History:
    """What a delivery has behind it, a part of its row. `turn` is the moment at which it was accepted, in milliseconds of the epoch.

    `postponements` counts how often it was put off, `failures` how often because something failed.
    """

    turn: int
    postponements: int = 0
    failures: int = 0


@dataclass(frozen=True)
class StuckDelivery:
    """A delivery that does not get on: it failed for good, waits for an operator, or takes suspiciously long."""

    id: str
    status: str
    event: str
    conversation: str
    since: datetime
    error: str | None


class ReplayOutcome(StrEnum):
    """What became of the wish to do a delivery again."""

    ORDERED = "ordered"
    IN_HAND = "in hand"
    UNKNOWN = "unknown"


class RetryLater(Exception):
    """The work cannot be done now: do it again after some seconds, by a backoff of our own where none are given."""

    def __init__(self, why: str, seconds: float | None = None, kind: Wait = Wait.OUTAGE) -> None:
        super().__init__(why)
        self.seconds = seconds
        self.kind = kind

    def wait(self, failures: int) -> float:
        """Seconds to wait after so many failures: never shorter than asked for, longer each time."""
        shortest = self.seconds or 0.0
        if self.kind is Wait.TURN:
            return max(shortest, 0.05)
        if self.kind is Wait.WITHHELD:
            return max(shortest, min(15.0 * 2.0**failures, _LONGEST_WAIT_FOR_OPERATOR))
        return max(shortest, min(2.0**failures, _LONGEST_WAIT))


class Deliveries:
    """The engine, seen from outside a worker. It connects when it is first used, so it may be made before a fork."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._lock = threading.Lock()
        self._connected: DBOSClient | None = None
        self._table: WaitingDeliveries | None = None
        self.clock = StoreClock(database_url)

    def register_queue(self, at_once: int, polling_seconds: float) -> None:
        """Let workers do so many deliveries side by side, of each conversation one, and look for them so often."""
        self._client().register_queue(
            QUEUE, partition_concurrency=1, worker_concurrency=at_once, polling_interval_sec=polling_seconds
        )

    def accept(self, delivery: Delivery) -> None:
        """Store a delivery; when this returns, it survives a crash. The same id again does nothing more...

        ...unless it had failed: a redelivery is how an operator asks for another try.
        """
        from dbos import error

        turn = int(self.clock.now() * 1000)
        options = _options(delivery, delivery.id, turn)
        options["workflow_id_reuse_policy"] = "reject"
        try:
            self._client().enqueue(options, *_arguments(delivery, History(turn)))
        except error.DBOSWorkflowIDInUseError:
            row = self._newest(delivery.id)
            if row is not None and row.status in _FAILED_STATUSES:
                self._rewind(row)

    def timer(self, delivery: Delivery, seconds: float) -> None:
        """Store a delivery that becomes due after some seconds. The same id again changes nothing."""
        delay = max(0.0, seconds)
        turn = int((self.clock.now() + delay) * 1000)
        options = _options(delivery, delivery.id, turn)
        options["delay_seconds"] = delay
        self._client().enqueue(options, *_arguments(delivery, History(turn)))

    def put_off(self, delivery: Delivery, later: RetryLater, history: History) -> str:
        """Store the next try of a delivery, in its turn, and why it waits; the id of its row."""
        seconds = later.wait(history.failures)
        failures = history.failures + (later.kind is not Wait.TURN)
        row_id = f"{delivery.id}~{history.postponements + 1:04}"
        self._waiting().put(
            Waiting(
                delivery_id=delivery.id, row_id=row_id, event=delivery.event, conversation=delivery.conversation,
                installation_id=delivery.installation_id, turn=history.turn, kind=later.kind, why=str(later),
                due=self.clock.now() + seconds,
            )
        )  # fmt: skip
        options = _options(delivery, row_id, history.turn)
        options["delay_seconds"] = seconds
        again = History(history.turn, history.postponements + 1, failures)
        self._client().enqueue(options, *_arguments(delivery, again))
        return row_id

    def ahead_of(self, delivery: Delivery, history: History) -> Waiting | None:
        """A delivery of the same conversation that waits and came earlier, if there is one. One that nobody will do is forgotten."""
        table = self._waiting()
        while (ahead := table.ahead_of(delivery.id, delivery.conversation, history.turn)) is not None:
            if any(row.status in _UNFINISHED_STATUSES for row in self._rows(ahead.delivery_id)):
                return ahead
            table.remove(ahead.delivery_id)
        return None

    def remove_waiting(self, delivery_id: str) -> None:
        """A delivery that had been put off has ended."""
        self._waiting().remove(delivery_id)

    def cancel(self, delivery_id: str) -> None:
        """Take back what has not begun; what runs, is done or never was, stays as it is."""
        waiting = [row.workflow_id for row in self._rows(delivery_id) if row.status in _WAITING_STATUSES]
        if waiting:
            self._client().cancel_workflows(waiting)
            self.remove_waiting(delivery_id)

    def waiting_deliveries(self) -> list[Waiting]:
        """What was put off and is tried again by itself, those first who have waited longest."""
        return self._waiting().all()

    def stuck_deliveries(self) -> list[StuckDelivery]:
        """What an operator should look at, oldest first."""
        rows = self._client().list_workflows(
            status=[*_FAILED_STATUSES, "PENDING", "ENQUEUED"], name=WORKFLOW, application_name=APPLICATION
        )
        long_ago = datetime.now(UTC) - _LONG
        waiting = self._waiting().all()
        candidates = [_as_stuck(row) for row in rows]
        suspicious = [
            candidate
            for candidate in candidates
            if candidate.status in _FAILED_STATUSES or candidate.since < long_ago
        ]
        return [
            *suspicious,
            *(_as_waiting(delivery) for delivery in waiting if _is_stuck(delivery, long_ago)),
        ]

    def replay(self, delivery_id: str) -> ReplayOutcome:
        """Do a delivery again that has ended, or now that waits, and then what waits behind it."""
        row = self._newest(delivery_id)
        if row is None:
            return ReplayOutcome.UNKNOWN
        if row.status in {"ENQUEUED", "PENDING"}:
            return ReplayOutcome.IN_HAND
        if row.status == "DELAYED":
            self._client().set_workflow_delay(row.workflow_id, delay_seconds=0)
            self._make_due(self._waiting().of_conversation(_conversation_of(row)))
        else:
            self._rewind(row)
        return ReplayOutcome.ORDERED

    def wake(self, installation_id: int) -> int:
        """Let all that waits in an installation be tried at once: somebody has granted something. How many it is."""
        waiting = self._waiting().of_installation(installation_id)
        self._make_due(waiting)
        return len(waiting)

    def wake_withheld(self) -> None:
        """Let all that waits for an operator be tried at once, with what waits behind it: whoever starts a worker has perhaps
        done what was asked.
        """
        waiting = self._waiting().all()
        conversations = {delivery.conversation for delivery in waiting if delivery.kind is Wait.WITHHELD}
        self._make_due([delivery for delivery in waiting if delivery.conversation in conversations])

    def is_known(self, delivery_id: str) -> bool:
        """Whether a delivery was accepted, whatever became of it."""
        return bool(self._client().list_workflows(workflow_ids=[delivery_id], load_input=False))

    def waits(self, conversation: str) -> bool:
        """Whether a delivery of a conversation waits."""
        return any(delivery.conversation == conversation for delivery in self._waiting().all())

    def forget(self, before: datetime) -> int:
        """Delete the rows of deliveries that ended before a moment; how many. Their ids are then unknown again."""
        client, count = self._client(), 0
        while rows := client.list_workflows(
            status=["SUCCESS", "CANCELLED", *_FAILED_STATUSES], completed_before=before.isoformat(), limit=_FORGOTTEN_AT_ONCE,
            name=WORKFLOW, application_name=APPLICATION, load_input=False, load_output=False,
        ):  # fmt: skip
            client.delete_workflows([row.workflow_id for row in rows])
            count += len(rows)
        return count

    def running(self, executor: str | None = None) -> "list[WorkflowStatus]":
        """The rows that count as running: of one executor, or all."""
        return self._client().list_workflows(
            status="PENDING", name=WORKFLOW, executor_id=executor, application_name=APPLICATION, load_input=False
        )  # fmt: skip

    def resume_stranded(
        self, executor: str, in_hand: frozenset[str], suspects: frozenset[str]
    ) -> frozenset[str]:
        """Give rows of an executor back to the queue that count as running and that nobody runs.

        Their worker has died, or their end could not be written. `suspects` are the rows that looked so the last time;
        only those are given back. Returns those that look so now.
        """
        orphans = frozenset(row.workflow_id for row in self.running(executor)) - in_hand
        if again := sorted(orphans & suspects):
            self._client().resume_workflows(again, queue_name=QUEUE)
        return orphans - suspects

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            if self._connected is not None:
                self._connected.destroy()
                self._connected = None
            if self._table is not None:
                self._table.close()
                self._table = None

    def _client(self) -> "DBOSClient":
        with self._lock:
            if self._connected is None:
                from dbos import DBOSClient, DBOSPortableJSONSerializer

                self._connected = DBOSClient(
                    system_database_url=patient_url(self._url),
                    serializer=DBOSPortableJSONSerializer(),
                    application_name=APPLICATION,
                    retry_connection_errors=False,
                    system_database_pool_size=_POOL,
                )
            return self._connected

    def _waiting(self) -> WaitingDeliveries:
        with self._lock:
            if self._table is None:
                self._table = WaitingDeliveries(self._url)
            return self._table

    def _make_due(self, waiting: Sequence[Waiting]) -> None:
        """First in the table of what waits, by which others wait, too; then for the engine."""
        now = self.clock.now()
        for delivery in waiting:
            self._waiting().make_due(delivery.delivery_id, now)
        for delivery in waiting:
            self._client().set_workflow_delay(delivery.row_id, delay_seconds=0)

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
        self._client().rewind_workflow(row.workflow_id, queue_name=QUEUE, queue_partition_key=key)


def _options(delivery: Delivery, row_id: str, turn: int) -> "EnqueueOptions":
    """How a row is queued: under its id, in its conversation, ordered by its turn.

    The order is spelled out as a priority because the engine's own timestamps count whole seconds on older SQLite. It
    starts anew every 24 days; around that moment two neighbours may swap, as those of GitHub may anyway.
    """
    return {
        "workflow_name": WORKFLOW,
        "queue_name": QUEUE,
        "workflow_id": row_id,
        "queue_partition_key": delivery.conversation,
        "app_version": VERSION,
        "priority": 1 + (turn // _PRIORITY_MS) % (2**31 - 2),
    }


def _arguments(delivery: Delivery, history: History) -> tuple[str, str, dict[str, Any], dict[str, int]]:
    """What a row holds, in the order in which the workflow takes it."""
    return delivery.event, delivery.conversation, dict(delivery.payload), asdict(history)


def _conversation_of(row: "WorkflowStatus") -> str:
    return str(row.input["args"][1]) if row.input else ""


def _installation_of(payload: Mapping[str, Any]) -> int | None:
    """The installation's id: beside the repository in GitHub's payloads, in it in our own timers, a field of a reply."""
    installation, repository = payload.get("installation"), payload.get("repository")
    if isinstance(installation, Mapping):
        return installation.get("id")
    holder = repository if isinstance(repository, Mapping) else payload
    return holder.get("installation_id")


def _as_stuck(row: "WorkflowStatus") -> StuckDelivery:
    event, conversation = row.input["args"][:2] if row.input else ("", "")
    return StuckDelivery(
        id=row.workflow_id.partition("~")[0],
        status=row.status,
        event=event,
        conversation=conversation,
        since=datetime.fromtimestamp((row.updated_at or row.created_at or 0) / 1000, UTC),
        error=str(row.error) if row.error is not None else None,
    )


def _is_stuck(waiting: Waiting, long_ago: datetime) -> bool:
    return waiting.kind is Wait.WITHHELD or waiting.waits_since < long_ago


def _as_waiting(waiting: Waiting) -> StuckDelivery:
    return StuckDelivery(
        id=waiting.delivery_id,
        status="WAITING",
        event=waiting.event,
        conversation=waiting.conversation,
        since=waiting.waits_since,
        error=waiting.why,
    )
