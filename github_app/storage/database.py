"""Open the database, make what it lacks, and refuse one on which the durable engine would fail.

SQLite on a local disk is the default, for one machine. Postgres is a change of the URL, and serves several. No driver of
Postgres is imported here for SQLite; the engine (dbos) imports one in any case.
"""

import contextlib
import logging
import re
import sqlite3
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from github_app.settings import CannotStart

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

BUSY_SECONDS = 30.0
"""How long a connection waits for another one's write. Writes take milliseconds, but disks of small machines stall."""
_BUSY_PAUSE = 0.02
"""Seconds between two attempts at what SQLite does not wait for by itself."""

_POSTGRES_CONNECTION = {
    "application_name": "askfirst",
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
"""Parameters of libpq: a server that is gone without a word is noticed after about 15 seconds, and not after 15 minutes."""

_SETUP_LOCK = 6_001_001
"""Advisory lock of Postgres under which our tables are made; the engine has one of its own for its tables."""
WAITING_ROWS = "status IN ('DELAYED', 'ENQUEUED')"
"""The engine's rows that no worker holds. Spelled out, since a condition with a parameter uses no partial index."""
_INDEX = (
    "CREATE INDEX IF NOT EXISTS askfirst_waiting_rows ON {schema}workflow_status (queue_partition_key, priority)"
    f" WHERE {WAITING_ROWS}"
)
"""Before a delivery is done, one is looked for that came earlier and waits: among the timers of all open questions."""
_CLOCK_TOLERANCE = 60.0
"""Seconds. GitHub refuses the JWT of an App whose clock is off by more, and timers of several machines would drift."""
_POSTGRES = "postgresql"
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


class DatabaseUnusable(CannotStart):
    """The database cannot be used. Says what to change."""


def prepare(url: str) -> None:
    """Make the database ready: the directory, write-ahead logging, the engine's tables. Repeating it changes nothing.

    Every process calls it before anything else, in whatever order they start: the web process must be able to store a
    delivery before the first worker ever ran. Where several do so at once, one waits for the other.

    Raises:
        DatabaseUnusable: neither SQLite nor Postgres, no place on disk, no access, or versions that do not go together.
    """
    logging.getLogger("dbos").setLevel(logging.WARNING)
    if is_postgres(url):
        _prepare_postgres(url)
    else:
        _prepare_sqlite(url)


def is_postgres(url: str) -> bool:
    """Whether a URL names a database of Postgres, which several machines can share."""
    address = _address(url)
    return address is not None and address.get_backend_name() == _POSTGRES


def _prepare_sqlite(url: str) -> None:
    path = file_of(url)
    refuse_old_sqlite(sys.version_info[:2], sqlite3.sqlite_version_info)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = _use_write_ahead_log(path)
    except (OSError, sqlite3.Error) as error:
        message = f"{path} cannot be opened: {error}. Set ASKFIRST_DATA_DIRECTORY to a directory that may be written."
        raise DatabaseUnusable(message) from error
    if mode != "wal":
        raise DatabaseUnusable(f"{path} lies on a disk without shared memory. Put it on a local disk.")
    _migrate(url)


def _use_write_ahead_log(path: Path) -> str:
    """Switch the file to write-ahead logging, and return the mode that it has then.

    SQLite does not wait for another process that switches at the same moment, as web server and worker do at their first
    start: it answers that the file is busy, whatever the timeout.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        with contextlib.closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
            try:
                return str(connection.execute("PRAGMA journal_mode=WAL").fetchone()[0])
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
        time.sleep(_BUSY_PAUSE)


def _prepare_postgres(url: str) -> None:
    engine = single_connections(url)
    try:
        with engine.connect() as connection:
            refuse_wrong_clock(time.time(), server_time(connection))
        # The engine warns if it may not look into the database "postgres". Ours is there: that was a connection to it.
        logging.getLogger("dbos").setLevel(logging.ERROR)
        _migrate(url)
        logging.getLogger("dbos").setLevel(logging.WARNING)
    except sa.exc.DBAPIError as error:
        raise DatabaseUnusable(
            f"{without_password(url)} cannot be used: {first_line(error)}. ASKFIRST_DATABASE_URL must name a server that"
            " runs, and a database whose owner the user is:"
            " CREATE ROLE askfirst LOGIN PASSWORD '…'; CREATE DATABASE askfirst OWNER askfirst;"
        ) from error
    finally:
        engine.dispose()


def _migrate(url: str) -> None:
    from dbos import DBOS

    DBOS.migrate(patient_url(url))
    engine = connect(url)
    schema = "dbos." if is_postgres(url) else ""
    with engine.begin() as connection:
        connection.exec_driver_sql(_INDEX.format(schema=schema))
    engine.dispose()


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


def refuse_wrong_clock(machine: float, server: float) -> None:
    """Refuse a machine whose clock differs from that of the database (both in seconds of the epoch).

    Raises:
        DatabaseUnusable: by more than a minute.
    """
    difference = machine - server
    if abs(difference) > _CLOCK_TOLERANCE:
        direction = "ahead of" if difference > 0 else "behind"
        raise DatabaseUnusable(
            f"The clock of this machine is {abs(difference):.0f} s {direction} that of the database, and timers would go off"
            " at the wrong time. Set it: timedatectl set-ntp true"
        )


def refuse_missing(url: str) -> None:
    """Refuse a database in which no App has ever run: for commands that would show an empty one as if all were well.

    Raises:
        DatabaseUnusable: there is none.
    """
    location = without_password(url)
    if is_postgres(url):
        engine = single_connections(url)
        try:
            exists = sa.inspect(engine).has_table("workflow_status", schema="dbos")
        except sa.exc.DBAPIError as error:
            raise DatabaseUnusable(f"{location} does not answer: {first_line(error)}.") from error
        finally:
            engine.dispose()
    else:
        exists, location = file_of(url).exists(), str(file_of(url))
    if not exists:
        raise DatabaseUnusable(
            f"there is no database at {location}. Either the App has not run yet (askfirst-app serve), or it has other"
            " settings here: ASKFIRST_DATABASE_URL or ASKFIRST_DATA_DIRECTORY."
        )


def file_of(url: str) -> Path:
    """The file of an SQLite URL.

    Raises:
        DatabaseUnusable: another database, or one in memory, which no second process could see.
    """
    address = _address(url)
    if (
        address is None
        or address.get_backend_name() != "sqlite"
        or address.database in {None, "", ":memory:"}
    ):
        raise DatabaseUnusable(
            "ASKFIRST_DATABASE_URL must name an SQLite file, such as sqlite:////var/lib/askfirst/askfirst.sqlite, or a"
            " database of Postgres, such as postgresql://askfirst:PASSWORD@HOST/askfirst"
        )
    return Path(str(address.database))


def copy_to(url: str, path: Path) -> None:
    """Copy an SQLite file that may be in use to a new file: whole transactions, readable by its owner only.

    Raises:
        DatabaseUnusable: it is no SQLite file, or the new one is there already, or cannot be written.
    """
    if is_postgres(url):
        raise DatabaseUnusable(
            "askfirst-app backup copies an SQLite file. Copy a database of Postgres with its own tool:"
            f" pg_dump --format=custom --file={path} DATABASE"
        )
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
    """A pool of connections. On SQLite, a transaction takes the lock of writers with its first write, and a read takes none.

    So what a transaction reads before it writes may have changed: statements say themselves what they rely on, as they must
    on Postgres. Its pools are small: a server grants about a hundred connections.
    """
    if is_postgres(url):
        return sa.create_engine(
            patient_url(url), hide_parameters=True, pool_size=1, max_overflow=2, pool_pre_ping=True,
            execution_options={"preserve_rowcount": True},  # else an INSERT does not say whether it stored anything
        )  # fmt: skip
    return sa.create_engine(
        url, connect_args={"timeout": BUSY_SECONDS, "isolation_level": "IMMEDIATE"}, hide_parameters=True
    )


def single_connections(url: str) -> sa.Engine:
    """Connections to Postgres that are opened when needed, closed after use, and hold no transaction open."""
    return sa.create_engine(
        patient_url(url), hide_parameters=True, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT"
    )


def open_tables(url: str, tables: sa.MetaData) -> sa.Engine:
    """A pool of connections to a database that has these tables: those that are missing are made, under a lock."""
    engine = connect(url)
    if engine.dialect.name != _POSTGRES:
        with engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            tables.create_all(connection)
    elif not set(tables.tables) <= set(sa.inspect(engine).get_table_names()):
        with engine.begin() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SETUP_LOCK)))
            tables.create_all(connection)
    return engine


def insert_into(engine: sa.Engine, table: sa.Table) -> "postgresql.Insert | sqlite.Insert":
    """An INSERT that can say what to do about a row that is there already: each database has a statement of its own."""
    if engine.dialect.name == _POSTGRES:
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


def json_field(engine: sa.Engine, column: "sa.ColumnElement[str]", name: str) -> "sa.ColumnElement[Any]":
    """A text field of a column that holds a JSON object as text."""
    if engine.dialect.name == _POSTGRES:
        return sa.func.json_extract_path_text(sa.cast(column, sa.JSON), name)
    return sa.func.json_extract(column, f"$.{name}")


def without_nul(json_text: str) -> str:
    r"""JSON whose strings have U+FFFD for U+0000, which Postgres takes out of no JSON: one such record would break each query.

    An even number of backslashes before `\u0000` are backslashes of the text, and the next one begins the escape.
    """
    return _NUL.sub(r"\1\\ufffd", json_text)


def engine_table(engine: sa.Engine, name: str, *columns: str) -> sa.TableClause:
    """A table of the durable engine, which keeps its own in a schema on Postgres."""
    schema = "dbos" if engine.dialect.name == _POSTGRES else None
    return sa.table(name, *(sa.column(column) for column in columns), schema=schema)


def server_time(connection: sa.Connection) -> float:
    """The clock of the Postgres server, in seconds of the epoch."""
    return float(connection.execute(sa.select(EPOCH_OF_SERVER)).scalar_one())


EPOCH_OF_SERVER = sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()), sa.Double)
"""Seconds of the epoch by the clock of the Postgres server, within a statement."""


def patient_url(url: str) -> str:
    """The URL with which everything connects: on Postgres with our driver, and with limits to its patience."""
    if not is_postgres(url):
        return url
    address = sa.make_url(url).set(drivername="postgresql+psycopg")
    missing = {name: value for name, value in _POSTGRES_CONNECTION.items() if name not in address.query}
    return address.update_query_dict(missing).render_as_string(hide_password=False)


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    address = _address(url)
    if address is None:
        return "ASKFIRST_DATABASE_URL"
    shown_address = address.difference_update_query(["password", "passfile", "sslpassword"])
    return shown_address.render_as_string(hide_password=True)


def is_transient(error: sa.exc.SQLAlchemyError) -> bool:
    """Whether the same statement may be taken later: a full disk, a lock, a server that is away or has become a standby.

    A row that breaks a rule of its table, or a statement that is wrong, breaks it each time.
    """
    if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(
        error,
        sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.InternalError | sa.exc.TimeoutError,
    )


def first_line(error: sa.exc.SQLAlchemyError) -> str:
    """What the database itself says, without the statement, its parameters, and advice for programmers."""
    own_words = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    return str(own_words).partition("\n")[0]


def _address(url: str) -> sa.URL | None:
    try:
        return sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):  # a port that is no number is a ValueError
        return None
