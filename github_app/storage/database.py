"""Open the database, make what it lacks, and refuse one on which the durable engine would fail.

SQLite on a local disk is the default. Postgres is a change of the URL, once executor slots by advisory lock exist:
until then `prepare` refuses it, because two workers could take each other's work for abandoned.
"""

import contextlib
import logging
import sqlite3
import sys
from pathlib import Path

import sqlalchemy as sa

from github_app.settings import CannotStart

BUSY_SECONDS = 30.0
"""How long a connection waits for another one's write. Writes take milliseconds, but disks of small machines stall."""


class DatabaseUnusable(CannotStart):
    """The database cannot be used as it is. Says what to change."""


def prepare(url: str) -> None:
    """Make the database ready: the directory, write-ahead logging, the engine's tables. Repeating it changes nothing.

    Every process calls it before anything else, in whatever order they start: the web process must be able to store a
    delivery before the first worker ever ran.

    Raises:
        DatabaseUnusable: not SQLite, no place on disk, or a Python and SQLite that do not go together.
    """
    path = file_of(url)
    refuse_old_sqlite(sys.version_info[:2], sqlite3.sqlite_version_info)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path, timeout=BUSY_SECONDS) as connection:
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        connection.close()
    except (OSError, sqlite3.Error) as error:
        message = f"{path} cannot be opened: {error}. Set ASKFIRST_DATA_DIRECTORY to a directory that may be written."
        raise DatabaseUnusable(message) from error
    if mode != "wal":
        raise DatabaseUnusable(f"{path} lies on a disk without shared memory. Put it on a local disk.")

    from dbos import DBOS

    logging.getLogger("dbos").setLevel(logging.WARNING)
    DBOS.migrate(url)


def refuse_old_sqlite(python: tuple[int, int], library: tuple[int, int, int]) -> None:
    """Refuse a pair of versions on which the engine's first insert fails for a missing timestamp.

    From Python 3.12 on the engine asks SQLite for `unixepoch('subsec')`, which is NULL before 3.42.

    Raises:
        DatabaseUnusable: that pair.
    """
    if python >= (3, 12) and library < (3, 42, 0):
        have = ".".join(map(str, library))
        raise DatabaseUnusable(
            f"Python {python[0]}.{python[1]} comes with SQLite {have} here, and the engine needs SQLite 3.42 or newer"
            " with it. Use an image with a newer SQLite (python:3.13-slim-trixie), or Python 3.11."
        )


def file_of(url: str) -> Path:
    """The file of an SQLite URL.

    Raises:
        DatabaseUnusable: another database, or one in memory, which no second process could see.
    """
    try:
        address = sa.make_url(url)
    except sa.exc.ArgumentError:
        address = None
    if (
        address is None
        or address.get_backend_name() != "sqlite"
        or address.database in {None, "", ":memory:"}
    ):
        raise DatabaseUnusable(
            "ASKFIRST_DATABASE_URL must name an SQLite file, such as sqlite:////var/lib/askfirst/askfirst.sqlite"
        )
    return Path(str(address.database))


def copy_to(url: str, path: Path) -> None:
    """Copy a database that may be in use to a new file: whole transactions, readable by its owner only.

    Raises:
        DatabaseUnusable: the file is there already, or cannot be written.
    """
    try:
        path.touch(mode=0o600, exist_ok=False)
        with (
            contextlib.closing(sqlite3.connect(file_of(url), timeout=BUSY_SECONDS)) as source,
            contextlib.closing(sqlite3.connect(path)) as target,
        ):
            source.backup(target)
    except FileExistsError as error:
        raise DatabaseUnusable(
            f"{path} exists, and a backup is not written over. Name another file."
        ) from error
    except (OSError, sqlite3.Error) as error:
        raise DatabaseUnusable(
            f"{path} cannot be written: {error}. Name a file on a disk with room."
        ) from error


def connect(url: str) -> sa.Engine:
    """A pool of connections on which a transaction that will write says so when it begins.

    Otherwise two transactions that both read and then write could each wait for the other.
    """
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS}, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def _leave_transactions_to_us(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None

    @sa.event.listens_for(engine, "begin")
    def _lock_at_once(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
