"""The durable engine as the worker has it: every stored delivery is done, in its turn, and put off where it must wait.

One worker process per database: its executor id is fixed, and a lock that the operating system frees on death sees to
it that there is only one. A row that a crash interrupted is taken up again when the worker starts; a row whose end could
not be written, because the disk was full, while it runs.
"""

import fcntl
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from github_app.settings import CannotStart
from github_app.storage.database import file_of
from github_app.storage.deliveries import (
    APPLICATION,
    QUEUE,
    VERSION,
    WORKFLOW,
    Deliveries,
    Delivery,
    History,
    RetryLater,
)
from github_app.storage.waiting import Wait

if TYPE_CHECKING:
    from dbos import DBOSConfig

_log = logging.getLogger(__name__)

Result = TypeVar("Result")

_EXECUTOR = "worker"
_AT_ONCE = 48
"""Conversations worked on side by side. A delivery spends its time waiting for GitHub's answers."""
_RECOVERIES = 100
"""Crashes of the worker that one delivery survives, before it counts as their cause and as stuck."""
_TRIES = 4
"""Tries of a delivery that fails by a mistake in the program: after 0, 1, 3 and 7 seconds."""
_FAILURES = 18
"""Times a delivery is put off because GitHub cannot be reached, before it counts as stuck: about seven hours."""
_STRANDED_EVERY = 20
"""Looks for work between two looks for rows that nobody runs."""


class GaveUp(Exception):
    """A delivery failed for good. It stays in the database as stuck, until somebody replays it."""

    def __init__(self, delivery_id: str, event: str, problem: Exception) -> None:
        super().__init__(f"delivery {delivery_id} ({event}) is stuck: {type(problem).__name__}: {problem}")


class SecondWorker(CannotStart):
    """Another worker process works on this database already."""


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
    """The rows that this process works on."""

    def __init__(self) -> None:
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
        with self._lock:
            rows = frozenset(self._rows)
        self._stranded = deliveries.resume_stranded(_EXECUTOR, rows, self._stranded)


def work(
    database_url: str,
    do: Callable[[Delivery], None],
    until: threading.Event,
    *,
    polling_seconds: float = 0.5,
    chores: Sequence[Chore] = (),
) -> None:
    """Be the worker of a prepared database: do each delivery, until the event is set; what is in hand is finished first.

    `do` may raise `RetryLater`. Any other exception is tried again a few times and then left as stuck, logged whole.

    Raises:
        SecondWorker: there is one.
    """
    with _only_worker(database_url):
        from dbos import DBOS

        deliveries, in_hand = Deliveries(database_url), _InHand()
        DBOS.workflow(name=WORKFLOW, max_recovery_attempts=_RECOVERIES)(_body(deliveries, do, in_hand, until))
        DBOS(config=_configuration(database_url))
        logging.getLogger("dbos").addFilter(OncePerMinute())
        DBOS.launch()
        DBOS.register_queue(
            QUEUE, partition_concurrency=1, worker_concurrency=_AT_ONCE, polling_interval_sec=polling_seconds
        )
        resume_chore = Chore(
            "stranded", _STRANDED_EVERY * polling_seconds, lambda: in_hand.resume_stranded(deliveries)
        )
        try:
            while not until.wait(min(1.0, polling_seconds)):
                for chore in (resume_chore, *chores):
                    chore.look()
        finally:
            DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=20)
            deliveries.close()


def _configuration(database_url: str) -> "DBOSConfig":
    from dbos import DBOSPortableJSONSerializer

    return {
        "name": APPLICATION,
        "system_database_url": database_url,
        "serializer": DBOSPortableJSONSerializer(),
        "application_version": VERSION,
        "executor_id": _EXECUTOR,
        "log_level": "WARNING",
    }


def _body(
    deliveries: Deliveries, do: Callable[[Delivery], None], in_hand: _InHand, until: threading.Event
) -> Callable[..., str]:
    """The workflow of one delivery. Its arguments are the stored row: change them only compatibly."""
    from dbos import DBOS, error

    @DBOS.step(name="do", retries_allowed=True, max_attempts=_TRIES)
    def try_to_do(event: str, conversation: str, payload: dict[str, Any], delivery_id: str) -> dict[str, Any]:
        """Nothing, or why and for how long the delivery is put off: as data, so that it survives a crash."""
        try:
            do(Delivery(delivery_id, event, conversation, payload))
        except RetryLater as later:
            return {"why": str(later), "seconds": later.seconds, "kind": later.kind.value}
        except SQLAlchemyError as problem:
            return {"why": f"the store: {problem}", "seconds": None, "kind": Wait.OUTAGE.value}
        return {}

    def deliver(
        event: str,
        conversation: str,
        payload: dict[str, Any],
        postponements: int,
        history_fields: dict[str, int] | None = None,
    ) -> str:
        row_id = str(DBOS.workflow_id)
        delivery = Delivery(row_id.partition("~")[0], event, conversation, payload)
        history = History(
            postponements=postponements, **(history_fields or {"turn": int(time.time() * 1000)})
        )
        with in_hand.holding(row_id):
            ahead = _retry_write(lambda: deliveries.ahead_of(delivery, history), until)
            if ahead is not None:
                wait = max(0.0, ahead.due - time.time()) + 0.2
                behind = RetryLater(f"{ahead.delivery_id} came first and waits: {ahead.why}", wait, Wait.TURN)
                return (
                    f"put off as {_retry_write(lambda: deliveries.put_off(delivery, behind, history), until)}"
                )
            try:
                put_off = try_to_do(event, conversation, payload, delivery.id)
            except error.DBOSMaxStepRetriesExceeded as exhaustion:
                deliveries.remove_waiting(delivery.id)
                raise GaveUp(delivery.id, event, exhaustion.errors[-1]) from exhaustion.errors[-1]
            if not put_off:
                if postponements:
                    _retry_write(lambda: deliveries.remove_waiting(delivery.id), until)
                return "done"
            later = RetryLater(put_off["why"], put_off["seconds"], Wait(put_off["kind"]))
            if later.kind is Wait.OUTAGE and history.failures >= _FAILURES:
                deliveries.remove_waiting(delivery.id)
                raise GaveUp(delivery.id, event, later)
            return f"put off as {_retry_write(lambda: deliveries.put_off(delivery, later, history), until)}"

    return deliver


def _retry_write(write: Callable[[], Result], until: threading.Event) -> Result:
    """What the store answers, asked again each second while it cannot: a delivery that is put off must not be lost."""
    while True:
        try:
            return write()
        except SQLAlchemyError:
            if until.wait(1.0):
                raise


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
        if record.levelno >= logging.ERROR and not isinstance(problem, SQLAlchemyError):
            return True
        if problem is not None:
            first_line = str(problem).partition("\n")[0]
            record.msg = f"{record.getMessage()} {type(problem).__name__}: {first_line}"
            record.args, record.exc_info, record.exc_text = (), None, None
        now = time.monotonic()
        with self._lock:
            is_new = now - self._last.get(record.msg, -60.0) >= 60.0
            if is_new:
                self._last = {words: at for words, at in self._last.items() if now - at < 60.0} | {
                    record.msg: now
                }
        return is_new


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
