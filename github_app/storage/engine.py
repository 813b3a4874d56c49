"""The durable engine as the worker has it: every stored delivery is done, in its turn, and put off where it must wait.

Each worker process has a name that its rows bear (see `worker_slots`). A row that a crash interrupted is taken up again by the
next worker, or by one that lives; a row whose end could not be written, because the disk was full, by its own worker.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from github_app.logs import take_engine_log
from github_app.storage.database import first_line, is_postgres, is_transient, patient_url
from github_app.storage.deliveries import APPLICATION, VERSION, WORKFLOW, Deliveries
from github_app.storage.delivery import Delivery, History, RetryLater, Wait
from github_app.storage.worker_slots import WorkerSlot, take_slot

if TYPE_CHECKING:
    from dbos import DBOSConfig

_log = logging.getLogger(__name__)

Result = TypeVar("Result")

AT_ONCE = 48
"""Conversations worked on side by side. A delivery spends its time waiting for GitHub's answers."""
_RECOVERIES = 100
"""Crashes of the worker that one delivery survives, before it counts as their cause and as stuck."""
_MOST_FAILURES = {Wait.MISTAKE: 3, Wait.OUTAGE: 18}
"""Times a delivery is put off before it counts as stuck: seven seconds after a mistake in the program, and seven hours while
GitHub cannot be reached.
"""
_STRANDED_EVERY = 20
"""Looks for work between two looks for rows that no worker runs."""
_IN_HAND_ELSEWHERE = 0.5
"""Seconds until a delivery is tried again whose conversation another worker has in hand."""
_GIVING_BACK = "stranded rows"
"""Key of the lock under which rows are given back."""
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
    """A task that the worker repeats, apart from its deliveries, in the thread that waits for its end."""

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
    """The rows that this process works on, and those that no living process does."""

    def __init__(self, slot: WorkerSlot) -> None:
        self._slot = slot
        self._lock = threading.Lock()
        self._rows: set[str] = set()
        self._suspects: frozenset[str] = frozenset()

    @contextmanager
    def holding(self, row_id: str) -> Iterator[None]:
        with self._lock:
            self._rows.add(row_id)
        try:
            yield
        finally:
            with self._lock:
                self._rows.discard(row_id)

    def give_back(self, deliveries: Deliveries) -> None:
        """Give back what dead workers had in hand, and rows of ours that no thread runs: that looked so the last time, too.

        One worker does so at a time, and lists the rows before it asks who lives: a worker that starts meanwhile has none.
        """
        with self._slot.hold(_GIVING_BACK) as is_ours:
            if not is_ours:
                return
            rows = deliveries.running()
            living = self._slot.living()
            with self._lock:
                in_hand = frozenset(self._rows)
            ours = {row for row, executor in rows.items() if executor == self._slot.executor} - in_hand
            dead = {row for row, executor in rows.items() if executor not in living}
            deliveries.give_back(frozenset(dead | (ours & self._suspects)))
            self._suspects = frozenset(ours - self._suspects)


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
    stranded = Chore(
        "stranded rows", _STRANDED_EVERY * polling_seconds, lambda: in_hand.give_back(deliveries)
    )
    try:
        while not until.wait(min(1.0, polling_seconds)):
            slot.check()
            for chore in (stranded, *chores):
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
    """The workflow of one delivery. Its arguments are the stored row. It has no steps: what was done is found again."""
    from dbos import DBOS

    def deliver(
        event: str, conversation: str, payload: dict[str, Any], history_fields: dict[str, Any]
    ) -> str:
        row_id = str(DBOS.workflow_id)
        delivery = Delivery(row_id.partition("~")[0], event, conversation, payload)
        history = History(**history_fields)
        with in_hand.holding(row_id), slot.hold(conversation) as is_ours:
            problem: Exception | None = _retry_write(
                lambda: _too_early(deliveries, delivery, history, is_ours=is_ours)
            )
            problem = problem or _attempt(do, delivery)
            if problem is None:
                return "done"
            later = problem if isinstance(problem, RetryLater) else _after_mistake(delivery, problem)
            if history.failures >= _MOST_FAILURES.get(later.kind, sys.maxsize):
                raise _gave_up(delivery, problem) from problem
            return f"put off as {_retry_write(lambda: deliveries.put_off(delivery, later, history))}"

    return deliver


def _too_early(
    deliveries: Deliveries, delivery: Delivery, history: History, *, is_ours: bool
) -> RetryLater | None:
    """Why it is not this delivery's turn, if it is not."""
    if not is_ours:
        return RetryLater("its conversation is in hand", _IN_HAND_ELSEWHERE, Wait.TURN)
    ahead = deliveries.ahead_of(delivery, history)
    if ahead is None or ahead.next_try is None:
        return None
    seconds = max(0.0, ahead.next_try.timestamp() - deliveries.clock.now()) + 0.2
    return RetryLater(f"{ahead.id} came first and waits: {ahead.error}", seconds, Wait.TURN)


def _after_mistake(delivery: Delivery, problem: Exception) -> RetryLater:
    """A mistake in the program may be one of a bad moment, so it is tried again."""
    words = f"{type(problem).__name__}: {problem}"
    _log.warning("a delivery failed and is tried again: %s of %s: %s", delivery.event, delivery.id, words)
    return RetryLater(words, kind=Wait.MISTAKE)


def _gave_up(delivery: Delivery, problem: Exception) -> GaveUp:
    """The end of a delivery that failed for good, logged with what to do. Only a mistake in the program has a traceback."""
    outcome = GaveUp(delivery.id, delivery.event, problem)
    _log.error(
        "gave up on %s: %s. See askfirst-app stuck; to do it again: askfirst-app replay %s",
        delivery.conversation, outcome, delivery.id,
        exc_info=None if isinstance(problem, RetryLater) else problem,
    )  # fmt: skip
    return outcome


def _attempt(do: Callable[[Delivery], None], delivery: Delivery) -> Exception | None:
    """What kept a delivery from being done, if anything did."""
    try:
        do(delivery)
    except RetryLater as later:
        return later
    except SQLAlchemyError as problem:
        return RetryLater(f"the store: {first_line(problem)}") if is_transient(problem) else problem
    except Exception as mistake:  # noqa: BLE001 the outer edge: one delivery that breaks must not end the others
        return mistake
    return None


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
        message = record.getMessage().partition("\n")[0]
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
