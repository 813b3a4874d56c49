"""Which workers live: each holds a lock that is free again when its process has died.

The engine writes on every running row which executor has it in hand, and takes back what belonged to an executor of the
same name when it starts. Of other executors it cannot tell whether they live. On SQLite this is enough, since there is one
worker, and a locked file sees to it. On Postgres each worker takes a name of its own and holds an advisory lock with it;
the same connection locks the conversations that the worker has in hand.
"""

import fcntl
import hashlib
import logging
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, Protocol

import sqlalchemy as sa

from github_app.settings import CannotStart
from github_app.storage.database import file_of, first_line, is_postgres, single_connections

_log = logging.getLogger(__name__)

_WORKER_SPACE = 6_001_002
"""First of the two numbers of a worker's advisory lock. Keys are locked by one number of 64 bits, which never meets it."""
_PREFIX = "worker-"
_LOCKS_LOST = 3
"""Exit code of a worker that ran and must end: unlike one that cannot start, it is started again."""
_SERVER_PATIENCE = {"tcp_keepalives_idle": 30, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 3}
"""Seconds, and tries: the server lets go of the locks of a machine that is gone after 45 s, when that machine has noticed."""

_LIVING = sa.text(
    "SELECT objid::text FROM pg_locks WHERE locktype = 'advisory' AND classid = :space AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class SecondWorker(CannotStart):
    """Another worker process works on this SQLite file already."""


class WorkerSlot(Protocol):
    """The lock of this process, held until it dies."""

    @property
    def executor(self) -> str:
        """The engine's executor id."""

    def check(self) -> None:
        """Make sure that the lock is still ours; if it is not, this process ends at once."""

    def living(self) -> frozenset[str]:
        """The executors that live, this one among them. One that has died never comes back under its name."""

    @contextmanager
    def hold(self, key: str) -> Iterator[bool]:
        """Whether a key is ours while this context lasts. It is not while another worker holds it."""


def take_slot(database_url: str) -> WorkerSlot:
    """A slot for this process.

    Raises:
        SecondWorker: on SQLite, there is one.
    """
    return _ServerSlot(database_url) if is_postgres(database_url) else _FileSlot(file_of(database_url))


class _FileSlot:
    """The one slot of an SQLite file."""

    executor = "worker"

    def __init__(self, database: Path) -> None:
        path = database.with_suffix(".worker.lock")
        self._file = path.open("a")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            message = f"another worker holds {path}: stop it first, or let it do the work"
            raise SecondWorker(message) from error

    def check(self) -> None:
        """Only the death of this process frees a file."""

    def living(self) -> frozenset[str]:
        """There is no other worker."""
        return frozenset({self.executor})

    @contextmanager
    def hold(self, key: str) -> Iterator[bool]:  # noqa: ARG002
        """Always: there is no other worker."""
        yield True


class _ServerSlot:
    """A worker of a Postgres database, and its locks. May be used by several threads."""

    def __init__(self, database_url: str) -> None:
        self._mutex = threading.Lock()
        self._connection = single_connections(database_url).connect()
        for name, value in _SERVER_PATIENCE.items():
            self._connection.execute(sa.select(sa.func.set_config(name, str(value), False)))
        number = secrets.randbits(31)
        self._ask(sa.select(sa.func.pg_advisory_lock(_WORKER_SPACE, number)))
        self.executor = f"{_PREFIX}{number}"

    def check(self) -> None:
        """Ask the server for anything: a connection that answers holds its locks."""
        self._ask(sa.select(sa.literal(True)))

    def living(self) -> frozenset[str]:
        """Those whose locks are held."""
        return frozenset(f"{_PREFIX}{number}" for number in self._ask(_LIVING, space=_WORKER_SPACE))

    @contextmanager
    def hold(self, key: str) -> Iterator[bool]:
        """Whether no other worker holds it.

        The engine alone does not see to it: its look for a running row of the same conversation and its start of the next
        one are two statements, between which another worker may start a row that has just come in with an earlier turn.
        """
        number = _lock_number(key)
        [is_ours] = self._ask(sa.select(sa.func.pg_try_advisory_lock(number)))
        try:
            yield bool(is_ours)
        finally:
            if is_ours:
                self._ask(sa.select(sa.func.pg_advisory_unlock(number)))

    def _ask(self, question: sa.Executable, **parameters: object) -> list[object]:
        """The first column of the answer."""
        with self._mutex:
            try:
                return list(self._connection.execute(question, parameters).scalars())
            except sa.exc.DBAPIError as error:
                _end_process(first_line(error))


def _lock_number(key: str) -> int:
    """64 bits of a hash, signed as Postgres takes them. Two keys with the same number only wait for each other."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big", signed=True)


def _end_process(problem: str) -> NoReturn:
    """End without finishing what is in hand: from now on another worker may have it."""
    _log.error("the connection that holds this worker's locks is gone (%s); the worker ends", problem)
    logging.shutdown()
    os._exit(_LOCKS_LOST)
