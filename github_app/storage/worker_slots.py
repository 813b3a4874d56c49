"""The place of a worker among the workers of one database: a lock that is free again when its process has died.

A slot's name is the engine's executor id, so "is the worker dead that has this row in hand?" is answered by trying its
lock. On SQLite there is one slot, a locked file. On Postgres each slot is an advisory lock of one connection, which the
worker holds for as long as it lives; the same connection locks the conversations that the worker has in hand.
"""

import fcntl
import hashlib
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, Protocol

import sqlalchemy as sa

from github_app.settings import CannotStart
from github_app.storage.database import file_of, first_line, is_postgres, single_connections

_log = logging.getLogger(__name__)

_SLOTS = 64
_SLOT_SPACE = 6_001_002
"""First of the two numbers of a slot's advisory lock. Conversations are locked by one number of 64 bits, which never meets it."""
_PREFIX = "worker-"
_LOCKS_LOST = 3
"""Exit code of a worker that ran and must end: unlike one that cannot start, it is started again."""
_SERVER_PATIENCE = {"tcp_keepalives_idle": 30, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 3}
"""Seconds, and tries: the server lets go of the locks of a machine that is gone after 45 s, when that machine has noticed."""


# A crash, by example. Worker A holds slot 1 of a Postgres database and has a row in hand, on which the engine wrote
# `worker-1`. A is killed: its connection ends, and with it both locks, of the slot and of the conversation. Worker B, in slot
# 2, sees the row and asks `vacant("worker-1")`: B gets the lock of slot 1, so nobody is alive there, and the row is given back
# to the queue. B holds that lock meanwhile, since a worker that starts now would otherwise take slot 1, and B would give back
# what the new worker has in hand. Had A only been slow, its lock would be held and the row stay where it is.


class SecondWorker(CannotStart):
    """No slot is free: another worker process works on this SQLite file already, or too many on a Postgres database."""


class WorkerSlot(Protocol):
    """The slot of this process, held until it dies."""

    @property
    def executor(self) -> str:
        """The engine's executor id."""

    def check(self) -> None:
        """Make sure that the slot is still ours; if it is not, this process ends at once."""

    @contextmanager
    def vacant(self, executor: str) -> Iterator[bool]:
        """Whether the rows of an executor may be given back: it is ours, or its worker is dead and nobody takes its slot
        while this context lasts.
        """

    @contextmanager
    def conversation(self, key: str) -> Iterator[bool]:
        """Whether a conversation is ours while this context lasts. It is not while anybody has it in hand."""


def take_slot(database_url: str) -> WorkerSlot:
    """A slot for this process.

    Raises:
        SecondWorker: none is free.
    """
    return _ServerSlot(database_url) if is_postgres(database_url) else _FileSlot(file_of(database_url))


class _KeysInHand:
    """Conversations that this process has in hand."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: set[str] = set()

    def add(self, key: str) -> bool:
        with self._lock:
            is_new = key not in self._keys
            self._keys.add(key)
        return is_new

    def remove(self, key: str) -> None:
        with self._lock:
            self._keys.discard(key)


class _FileSlot:
    """The one slot of an SQLite file."""

    executor = "worker"

    def __init__(self, database: Path) -> None:
        path = database.with_suffix(".worker.lock")
        self._file = path.open("a")
        self._in_hand = _KeysInHand()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            message = f"another worker holds {path}: stop it first, or let it do the work"
            raise SecondWorker(message) from error

    def check(self) -> None:
        """Only the death of this process frees a file."""

    @contextmanager
    def vacant(self, executor: str) -> Iterator[bool]:
        """Whether it is ours: there is no other worker."""
        yield executor == self.executor

    @contextmanager
    def conversation(self, key: str) -> Iterator[bool]:
        """Whether no other thread has it in hand."""
        is_ours = self._in_hand.add(key)
        try:
            yield is_ours
        finally:
            if is_ours:
                self._in_hand.remove(key)


class _ServerSlot:
    """One of the slots of a Postgres database, and its locks. May be used by several threads."""

    def __init__(self, database_url: str) -> None:
        self._mutex = threading.Lock()
        self._in_hand = _KeysInHand()
        self._connection = single_connections(database_url).connect()
        for name, value in _SERVER_PATIENCE.items():
            self._connection.execute(sa.select(sa.func.set_config(name, str(value), False)))
        self._number = next((number for number in range(1, _SLOTS + 1) if self._try_slot(number)), 0)
        if not self._number:
            raise SecondWorker(f"{_SLOTS} workers work on this database: stop one of them first")
        self.executor = f"{_PREFIX}{self._number}"

    def check(self) -> None:
        """Ask the server for anything: a connection that answers holds its locks."""
        self._ask(sa.select(sa.literal(True)))

    @contextmanager
    def vacant(self, executor: str) -> Iterator[bool]:
        """Whether it is ours, or its worker is dead; then its slot is ours, too, until the context ends."""
        number = executor.removeprefix(_PREFIX)
        if executor == self.executor or not number.isdigit():
            yield executor == self.executor
            return
        is_vacant = self._try_slot(int(number))
        try:
            yield is_vacant
        finally:
            if is_vacant:
                self._ask(sa.select(sa.func.pg_advisory_unlock(_SLOT_SPACE, int(number))))

    @contextmanager
    def conversation(self, key: str) -> Iterator[bool]:
        """Whether neither a thread of this process nor another worker has it in hand.

        The engine alone does not see to it: its look for a running row of the same conversation and its start of the next
        one are two statements, between which another worker may start a row that has just come in with an earlier turn.
        """
        if not self._in_hand.add(key):
            yield False
            return
        number = _lock_number(key)
        try:
            is_ours = self._ask(sa.select(sa.func.pg_try_advisory_lock(number)))
            try:
                yield is_ours
            finally:
                if is_ours:
                    self._ask(sa.select(sa.func.pg_advisory_unlock(number)))
        finally:
            self._in_hand.remove(key)

    def _try_slot(self, number: int) -> bool:
        return self._ask(sa.select(sa.func.pg_try_advisory_lock(_SLOT_SPACE, number)))

    def _ask(self, question: "sa.Select[tuple[bool]]") -> bool:
        with self._mutex:
            try:
                return bool(self._connection.execute(question).scalar_one())
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
