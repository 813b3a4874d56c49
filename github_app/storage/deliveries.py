"""The durable engine as everybody but the worker sees it: accept, timer, cancel, stuck, replay, wake.

Every delivery and every timer is one row of the engine's queue, kept under an id that is its memory: the same id twice is
one piece of work. A conversation is a partition of the queue, so its rows are worked off one after another, and rows of
other conversations side by side. A row's priority is its turn, the moment at which its delivery was accepted. A delivery
that is put off goes on as a row of its own, `<id>~<number>`, which has the same turn, a delay, and attributes that say why.

What the engine leaves to us, and why:

- Order behind a row with a delay. A row that is delayed holds up nothing in its partition, so `ahead_of` looks for one.
- Dedup. Its `deduplication_id` is free again when the row ends; a redelivery may come days later. The row's id is not.
- The pace of writes. Its limiters count rows that start, GitHub counts writes: see `pace`.
- Rows of workers that have died: see `worker_slots`.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from github_app.storage.database import WAITING_ROWS, connect, engine_table, json_field
from github_app.storage.delivery import (
    Delivery,
    History,
    ReplayOutcome,
    RetryLater,
    UnfinishedDelivery,
    Wait,
)
from github_app.storage.store_clock import StoreClock
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

_LONG = timedelta(minutes=15)
_FORGOTTEN_AT_ONCE = 500


class _Arrivals:
    """Deliveries that arrive together are stored in one transaction: all of them wait once for the disk, and not each."""

    def __init__(self, write: Callable[[Sequence[Delivery]], None]) -> None:
        self._write = write
        self._pile_lock, self._write_lock = threading.Lock(), threading.Lock()
        self._pile: list[tuple[Delivery, Future[None]]] = []

    def store(self, delivery: Delivery) -> None:
        """Store a delivery, and with it all that arrived while another thread was writing."""
        future: Future[None] = Future()
        with self._pile_lock:
            self._pile.append((delivery, future))
        with self._write_lock:
            if not future.done():
                with self._pile_lock:
                    pile, self._pile = self._pile, []
                self._store(pile)
        future.result()

    def _store(self, pile: Sequence[tuple[Delivery, Future[None]]]) -> None:
        """Where they cannot be stored together, none suffers from another: each is tried alone."""
        try:
            self._write([delivery for delivery, _ in pile])
        except sa.exc.SQLAlchemyError as problem:
            for entry in pile if len(pile) > 1 else ():
                self._store([entry])
            if len(pile) == 1:
                pile[0][1].set_exception(problem)
        else:
            for _, future in pile:
                future.set_result(None)
        finally:
            for _, future in pile:
                future.cancel()  # what is not done by now stays undone: a mistake in the program


class _Store:
    """Connections to the engine's tables, and its client on them."""

    def __init__(self, database_url: str) -> None:
        from dbos import DBOSClient, DBOSPortableJSONSerializer

        self.engine = connect(database_url)
        self.rows = engine_table(
            self.engine, "workflow_status", "workflow_uuid", "queue_partition_key", "priority",
            "delay_until_epoch_ms",
        )  # fmt: skip
        self.client: DBOSClient = DBOSClient(
            system_database_engine=self.engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
        )

    def close(self) -> None:
        """Let go of the connections."""
        self.client.destroy()
        self.engine.dispose()


class Deliveries:
    """The engine, seen from outside a worker. It connects when it is first used, so it may be made before a fork."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._lock = threading.Lock()
        self._arrivals = _Arrivals(self._store_together)
        self.clock = StoreClock(database_url)

    def register_queue(self, at_once: int, polling_seconds: float) -> None:
        """Let workers do so many deliveries side by side, of each conversation one, and look for them so often."""
        self._client.register_queue(
            QUEUE, partition_concurrency=1, worker_concurrency=at_once, polling_interval_sec=polling_seconds
        )

    def accept(self, delivery: Delivery) -> None:
        """Store a delivery; when this returns, it survives a crash. The same id again does nothing more...

        ...unless it had failed: a redelivery is how an operator asks for another try.
        """
        self._arrivals.store(delivery)

    def timer(self, delivery: Delivery, seconds: float) -> None:
        """Store a delivery that becomes due after some seconds. The same id again changes nothing."""
        delay = max(0.0, seconds)
        history = History(int((self.clock.now() + delay) * 1000))
        options = _options(delivery, delivery.id, history.turn)
        options["delay_seconds"] = delay
        self._client.enqueue(options, *_arguments(delivery, history))

    def put_off(self, delivery: Delivery, later: RetryLater, history: History) -> str:
        """Store the next try of a delivery, in its turn, and why it waits; the id of its row."""
        now = self.clock.now()
        again = History(
            history.turn,
            history.postponements + 1,
            history.failures + (later.kind is not Wait.TURN),
            history.since or now,
        )
        row_id = f"{delivery.id}~{again.postponements:04}"
        options = _options(delivery, row_id, history.turn)
        options["delay_seconds"] = later.wait(history.failures)
        options["attributes"] = {
            "event": delivery.event, "installation_id": delivery.installation_id, "kind": later.kind.value,
            "why": str(later), "since": again.since,
        }  # fmt: skip
        self._client.enqueue(options, *_arguments(delivery, again))
        return row_id

    def ahead_of(self, delivery: Delivery, history: History) -> UnfinishedDelivery | None:
        """A delivery of the same conversation that waits and came earlier, if there is one."""
        rows = self._store.rows.c
        return next(
            iter(
                self._put_off(
                    rows.queue_partition_key == delivery.conversation,
                    rows.priority < _priority(history.turn),
                )
            ),
            None,
        )

    def cancel(self, delivery_id: str) -> None:
        """Take back a delivery that has not begun. One that runs, is done or never was does not change."""
        waiting = [row.workflow_id for row in self._rows(delivery_id) if row.status in _WAITING_STATUSES]
        if waiting:
            self._client.cancel_workflows(waiting)

    def waiting_deliveries(self) -> list[UnfinishedDelivery]:
        """The deliveries that were put off and are retried automatically, the longest waiting first."""
        return sorted(self._put_off(), key=lambda waiting: waiting.since)

    def stuck_deliveries(self) -> list[UnfinishedDelivery]:
        """What an operator should look at, oldest first."""
        rows = self._client.list_workflows(
            status=[*_FAILED_STATUSES, "PENDING", "ENQUEUED"], name=WORKFLOW, application_name=APPLICATION
        )
        long_ago = datetime.now(UTC) - _LONG
        return [
            delivery
            for delivery in (*map(_as_unfinished, rows), *self.waiting_deliveries())
            if delivery.status in _FAILED_STATUSES
            or delivery.kind is Wait.WITHHELD
            or delivery.since < long_ago
        ]

    def replay(self, delivery_id: str) -> ReplayOutcome:
        """Do a delivery again that has ended, or now that waits, and then what waits behind it."""
        row = self._newest(delivery_id)
        if row is None:
            return ReplayOutcome.UNKNOWN
        if row.status in {"ENQUEUED", "PENDING"}:
            return ReplayOutcome.IN_HAND
        if row.status == "DELAYED":
            self._client.set_workflow_delay(row.workflow_id, delay_seconds=0)
            self._make_due(self._put_off(self._store.rows.c.queue_partition_key == row.queue_partition_key))
        else:
            self._rewind(row)
        return ReplayOutcome.ORDERED

    def wake(self, installation_id: int) -> int:
        """Let all that waits in an installation be tried at once: somebody has granted something. How many it is."""
        waiting = [entry for entry in self._put_off() if entry.installation_id == installation_id]
        self._make_due(waiting)
        return len(waiting)

    def wake_withheld(self) -> None:
        """Try at once all that waits for an operator, with what waits behind it: a person who starts a worker has perhaps
        done what was asked.
        """
        waiting = self._put_off()
        conversations = {entry.conversation for entry in waiting if entry.kind is Wait.WITHHELD}
        self._make_due([entry for entry in waiting if entry.conversation in conversations])

    def is_known(self, delivery_id: str) -> bool:
        """Whether a delivery was accepted, whatever became of it."""
        return bool(self._client.list_workflows(workflow_ids=[delivery_id], load_input=False))

    def waits(self, conversation: str) -> bool:
        """Whether a delivery of a conversation waits."""
        return bool(self._put_off(self._store.rows.c.queue_partition_key == conversation))

    def forget(self, before: datetime) -> int:
        """Delete the rows of deliveries that ended before a moment; how many. Their ids are then unknown again."""
        client, count = self._client, 0
        while rows := client.list_workflows(
            status=["SUCCESS", "CANCELLED", *_FAILED_STATUSES], completed_before=before.isoformat(), limit=_FORGOTTEN_AT_ONCE,
            name=WORKFLOW, application_name=APPLICATION, load_input=False, load_output=False,
        ):  # fmt: skip
            client.delete_workflows([row.workflow_id for row in rows])
            count += len(rows)
        return count

    def running(self) -> dict[str, str]:
        """The rows that count as running, and the executor of each."""
        rows = self._client.list_workflows(
            status="PENDING", name=WORKFLOW, application_name=APPLICATION, load_input=False, load_output=False
        )
        return {row.workflow_id: str(row.executor_id) for row in rows}

    def give_back(self, row_ids: frozenset[str]) -> None:
        """Let rows be taken up again that count as running and that no thread runs."""
        if row_ids:
            self._client.resume_workflows(sorted(row_ids), queue_name=QUEUE)

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            store: _Store | None = self.__dict__.pop("_connected", None)
        if store is not None:
            store.close()

    @property
    def _store(self) -> _Store:
        with self._lock:
            return self._connected

    @cached_property
    def _connected(self) -> _Store:
        return _Store(self._url)

    @property
    def _client(self) -> "DBOSClient":
        return self._store.client

    def _store_together(self, deliveries: Sequence[Delivery]) -> None:
        """Store deliveries in one transaction; those that were known and had failed are then done again."""
        from dbos import error

        known: list[str] = []
        now = int(self.clock.now() * 1000)
        store = self._store
        with store.engine.begin() as transaction:
            for turn, delivery in enumerate(deliveries, now):
                options = _options(delivery, delivery.id, turn)
                options["workflow_id_reuse_policy"] = "reject"
                try:
                    arguments = _arguments(delivery, History(turn))
                    store.client.enqueue_in_transaction(transaction, options, *arguments)
                except error.DBOSWorkflowIDInUseError:
                    known.append(delivery.id)
        for delivery_id in known:
            row = self._newest(delivery_id)
            if row is not None and row.status in _FAILED_STATUSES:
                self._rewind(row)

    def _put_off(self, *conditions: "sa.ColumnElement[bool]") -> list[UnfinishedDelivery]:
        """Deliveries that were put off and are not in hand, in their turn. A timer has no attributes."""
        store, rows = self._store, self._store.rows.c
        fields = [
            json_field(store.engine, sa.literal_column("attributes"), name)
            for name in ("event", "installation_id", "kind", "why", "since")
        ]
        query = (
            sa.select(rows.workflow_uuid, rows.queue_partition_key, rows.delay_until_epoch_ms, *fields)
            .where(sa.text(WAITING_ROWS), fields[2].is_not(None), *conditions)
            .order_by(rows.priority)
        )
        with store.engine.connect() as connection:
            return [
                UnfinishedDelivery(
                    row_id.partition("~")[0], "WAITING", event, conversation, _moment(float(since)), why, row_id,
                    None if installation is None else int(installation), Wait(kind), _moment(due / 1000),
                )
                for row_id, conversation, due, event, installation, kind, why, since in connection.execute(query)
            ]  # fmt: skip

    def _make_due(self, waiting: Sequence[UnfinishedDelivery]) -> None:
        for entry in waiting:
            self._client.set_workflow_delay(entry.row_id, delay_seconds=0)

    def _rows(self, delivery_id: str) -> "list[WorkflowStatus]":
        """The row of a delivery and those of its postponements, oldest first."""
        first = self._client.list_workflows(workflow_ids=[delivery_id], load_input=False)
        return [*first, *self._client.list_workflows(workflow_id_prefix=f"{delivery_id}~", load_input=False)]

    def _newest(self, delivery_id: str) -> "WorkflowStatus | None":
        return next(iter(self._rows(delivery_id)[::-1]), None)

    def _rewind(self, row: "WorkflowStatus") -> None:
        self._client.rewind_workflow(
            row.workflow_id, queue_name=QUEUE, queue_partition_key=row.queue_partition_key
        )


def _options(delivery: Delivery, row_id: str, turn: int) -> "EnqueueOptions":
    """How a row is queued: under its id, in its conversation, ordered by its turn."""
    return {
        "workflow_name": WORKFLOW,
        "queue_name": QUEUE,
        "workflow_id": row_id,
        "queue_partition_key": delivery.conversation,
        "app_version": VERSION,
        "priority": _priority(turn),
    }


def _priority(turn: int) -> int:
    """The engine's own timestamps count whole seconds on older SQLite, so the order is spelled out in milliseconds.

    It starts anew every 24 days; around that moment two neighbours may swap, as those of GitHub may anyway.
    """
    return 1 + turn % (2**31 - 2)


def _arguments(delivery: Delivery, history: History) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
    """What a row holds, in the order in which the workflow takes it."""
    return delivery.event, delivery.conversation, dict(delivery.payload), asdict(history)


def _as_unfinished(row: "WorkflowStatus") -> UnfinishedDelivery:
    return UnfinishedDelivery(
        id=row.workflow_id.partition("~")[0],
        status=row.status,
        event=row.input["args"][0] if row.input else "",
        conversation=row.queue_partition_key or "",
        since=_moment((row.updated_at or row.created_at or 0) / 1000),
        error=str(row.error) if row.error is not None else None,
    )


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
