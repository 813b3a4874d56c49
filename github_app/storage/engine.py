"""The durable engine as the worker has it: every stored delivery is done, in its turn, and put off where it must wait.

Each worker process has a slot, and its rows bear the slot's name (see `worker_slots`). A row that a crash interrupted is
taken up again when a worker starts in that slot, or by a worker that lives; a row whose end could not be written, because
the disk was full, by its own worker.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from github_app.logs import take_engine_log
from github_app.storage.database import first_line, is_postgres, is_transient, patient_url
from github_app.storage.deliveries import (
    APPLICATION,
    VERSION,
    WORKFLOW,
    Deliveries,
    Delivery,
    History,
    RetryLater,
)
from github_app.storage.waiting import Wait
from github_app.storage.worker_slots import WorkerSlot, take_slot

if TYPE_CHECKING:
    from dbos import DBOSConfig

_log = logging.getLogger(__name__)

Result = TypeVar("Result")

AT_ONCE = 48
"""Conversations worked on side by side. A delivery spends its time waiting for GitHub's answers."""
_RECOVERIES = 100
"""Crashes of the worker that one delivery survives, before it counts as their cause and as stuck."""
_TRIES = 4
"""Tries of a delivery that fails by a mistake in the program: after 0, 1, 3 and 7 seconds."""
_FAILURES = 18
"""Times a delivery is put off because GitHub cannot be reached, before it counts as stuck: about seven hours."""
_STRANDED_EVERY = 20
"""Looks for work between two looks for rows that nobody runs. What looks so twice is given back: a worker whose slot is free
notices that within a second, and ends.
"""
_IN_HAND_ELSEWHERE = 0.5
"""Seconds until a delivery is tried again whose conversation another worker has in hand."""
_POOL = 10
"""Connections to Postgres for the engine's own statements, which take milliseconds."""


class GaveUp(Exception):
    """A delivery failed for good. It stays in the database as stuck, until somebody replays it."""

    def __init__(self, delivery_id: str, event: str, problem: Exception) -> None:
        # What the store says goes without the statement and its parameters, which are what people wrote.
        words = first_line(problem) if isinstance(problem, SQLAlchemyError) else problem
        super().__init__(f"delivery {delivery_id} ({event}) is stuck: {type(problem).__name__}: {words}")


@dataclass
class Chore:
    """Something that the worker does again and again beside its deliveries, in the thread that waits for its end."""

    name: str
    every: float
    do: Callable[[], None]
    due: float = field(default=0.0)

    def look(self) -> None:
        """Do it if it is due. A store that cannot be written is tried again the next time."""
        if time.monotonic() < self.due:
            return
        self.due = time.monotonic() + self.every
        try:
            self.do()
        except SQLAlchemyError as error:
            _log.warning("%s was left out: the store answers %s", self.name, type(error).__name__)


class _InHand:
    """The rows that this process works on, and those that nobody does."""

    def __init__(self, slot: WorkerSlot) -> None:
        self._slot = slot
        self._lock = threading.Lock()
        self._rows: set[str] = set()
        self._stranded: frozenset[str] = frozenset()

    @contextmanager
    def holding(self, row_id: str) -> Iterator[None]:
        with self._lock:
            self._rows.add(row_id)
        try:
            yield
        finally:
            with self._lock:
                self._rows.discard(row_id)

    def resume_stranded(self, deliveries: Deliveries) -> None:
        """Give back what looked stranded the last time, too: rows of ours, and of workers that have died."""
        with self._lock:
            rows = frozenset(self._rows)
        stranded: frozenset[str] = frozenset()
        for executor in sorted({str(row.executor_id) for row in deliveries.running()}):
            with self._slot.vacant(executor) as is_vacant:
                if is_vacant:
                    stranded |= deliveries.resume_stranded(executor, rows, self._stranded)
        self._stranded = stranded


def work(
    database_url: str,
    do: Callable[[Delivery], None],
    until: threading.Event,
    *,
    polling_seconds: float = 0.5,
    grace_seconds: float = 20.0,
    chores: Sequence[Chore] = (),
) -> None:
    """Be the worker of a prepared database: do each delivery, until the event is set.

    What is in hand then has `grace_seconds` to finish; what takes longer is in the hands of threads still, and is done again
    by the next worker.

    `do` may raise `RetryLater`. Any other exception is tried again a few times and then left as stuck, logged whole.

    Raises:
        SecondWorker: on SQLite, there is one.
    """
    from dbos import DBOS

    slot = take_slot(database_url)
    deliveries, in_hand = Deliveries(database_url), _InHand(slot)
    # What the engine finds when it begins it takes up at once; what comes later waits for it to look again.
    deliveries.register_queue(AT_ONCE, polling_seconds)
    for chore in chores:
        chore.look()
    body = _body(deliveries, do, in_hand, slot)
    DBOS.workflow(name=WORKFLOW, max_recovery_attempts=_RECOVERIES)(body)
    DBOS(config=_configuration(database_url, slot.executor))
    take_engine_log().addFilter(OncePerMinute())
    DBOS.launch()
    resume_chore = Chore(
        "stranded", _STRANDED_EVERY * polling_seconds, lambda: in_hand.resume_stranded(deliveries)
    )
    try:
        while not until.wait(min(1.0, polling_seconds)):
            slot.check()
            for chore in (resume_chore, *chores):
                chore.look()
    finally:
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=int(grace_seconds))
        deliveries.close()


def _configuration(database_url: str, executor: str) -> "DBOSConfig":
    from dbos import DBOSPortableJSONSerializer

    configuration: DBOSConfig = {
        "name": APPLICATION,
        "system_database_url": patient_url(database_url),
        "serializer": DBOSPortableJSONSerializer(),
        "application_version": VERSION,
        "executor_id": executor,
        "log_level": "WARNING",
        "db_engine_kwargs": {"hide_parameters": True},
    }
    if is_postgres(database_url):
        configuration["sys_db_pool_size"] = _POOL
    return configuration


def _body(
    deliveries: Deliveries,
    do: Callable[[Delivery], None],
    in_hand: _InHand,
    slot: WorkerSlot,
) -> Callable[..., str]:
    """The workflow of one delivery. Its arguments are the stored row."""
    from dbos import DBOS, error

    @DBOS.step(name="do", retries_allowed=True, max_attempts=_TRIES)
    def try_to_do(event: str, conversation: str, payload: dict[str, Any], delivery_id: str) -> dict[str, Any]:
        return _attempt(do, Delivery(delivery_id, event, conversation, payload))

    def deliver(
        event: str,
        conversation: str,
        payload: dict[str, Any],
        history_fields: dict[str, int],
    ) -> str:
        row_id = str(DBOS.workflow_id)
        delivery = Delivery(row_id.partition("~")[0], event, conversation, payload)
        history = History(**history_fields)

        def put_off(later: RetryLater) -> str:
            return f"put off as {_retry_write(lambda: deliveries.put_off(delivery, later, history))}"

        with in_hand.holding(row_id), slot.conversation(conversation) as is_ours:
            if not is_ours:
                return put_off(RetryLater("its conversation is in hand", _IN_HAND_ELSEWHERE, Wait.TURN))
            ahead = _retry_write(lambda: deliveries.ahead_of(delivery, history))
            if ahead is not None:
                wait = max(0.0, ahead.due - _retry_write(deliveries.clock.now)) + 0.2
                why = f"{ahead.delivery_id} came first and waits: {ahead.why}"
                return put_off(RetryLater(why, wait, Wait.TURN))
            try:
                postponement = try_to_do(event, conversation, payload, delivery.id)
            except error.DBOSMaxStepRetriesExceeded as exhaustion:
                _retry_write(lambda: deliveries.remove_waiting(delivery.id))
                raise _gave_up(delivery, exhaustion.errors[-1]) from exhaustion.errors[-1]
            if not postponement:
                # Also at the first try: one that is done after a crash may have been put off by half before it.
                _retry_write(lambda: deliveries.remove_waiting(delivery.id))
                return "done"
            later = RetryLater(postponement["why"], postponement["seconds"], Wait(postponement["kind"]))
            if later.kind is Wait.OUTAGE and history.failures >= _FAILURES:
                _retry_write(lambda: deliveries.remove_waiting(delivery.id))
                raise _gave_up(delivery, later)
            return put_off(later)

    return deliver


def _gave_up(delivery: Delivery, problem: Exception) -> GaveUp:
    """The end of a delivery that failed for good, logged with what to do. Only a mistake in the program has a traceback."""
    outcome = GaveUp(delivery.id, delivery.event, problem)
    _log.error(
        "gave up on %s: %s. See askfirst-app stuck; to do it again: askfirst-app replay %s",
        delivery.conversation, outcome, delivery.id,
        exc_info=None if isinstance(problem, RetryLater) else problem,
    )  # fmt: skip
    return outcome


def _attempt(do: Callable[[Delivery], None], delivery: Delivery) -> dict[str, Any]:
    """Nothing, or why and for how long the delivery is put off: as data, so that it survives a crash."""
    try:
        do(delivery)
    except RetryLater as later:
        return {"why": str(later), "seconds": later.seconds, "kind": later.kind.value}
    except SQLAlchemyError as problem:
        if not is_transient(problem):
            raise
        return {"why": f"the store: {first_line(problem)}", "seconds": None, "kind": Wait.OUTAGE.value}
    return {}


def _retry_write(write: Callable[[], Result]) -> Result:
    """What the store answers, asked again each second while it cannot: a delivery that is put off must not be lost.

    Also while the worker ends: an error would end the row for good, and a row that is still in hand when the process is
    gone is taken up by the next worker.

    Raises:
        SQLAlchemyError: it never will.
    """
    while True:
        try:
            return write()
        except SQLAlchemyError as problem:
            if not is_transient(problem):
                raise
            time.sleep(1.0)


_RETRIED = ("Step being automatically retried", "a delivery failed and is tried again")
"""How the engine says it, and how we do."""


class OncePerMinute(logging.Filter):
    """Lets the same complaint of a library through once a minute, and without its traceback unless something failed for good.

    A disk that is full for an hour, or a delivery that is tried four times, is a line and not sixty.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        problem = record.exc_info[1] if record.exc_info else None
        if isinstance(problem, GaveUp):
            return False  # it has been logged, in our words
        if record.levelno >= logging.ERROR and not isinstance(problem, SQLAlchemyError):
            return True
        message = record.getMessage().partition("\n")[0].replace(*_RETRIED)
        if problem is not None:
            words = str(problem).partition("\n")[0]
            message = f"{message} {type(problem).__name__}: {words}"
            record.exc_info, record.exc_text = None, None
        record.msg, record.args = message, ()
        now = time.monotonic()
        with self._lock:
            is_new = now - self._last.get(record.msg, -60.0) >= 60.0
            if is_new:
                self._last = {words: at for words, at in self._last.items() if now - at < 60.0} | {
                    record.msg: now
                }
        return is_new
