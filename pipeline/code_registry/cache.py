"""Facts and registries kept between runs, in one SQLite file that several processes may share."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import orjson

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS registry (key TEXT PRIMARY KEY, data BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
"""
_KEPT_REGISTRIES = 20


class RegistryCache:
    """A cache file. It is only ever a shortcut: whatever goes wrong with it, the work is done again and it is said.

    `notes` collects what went wrong, for the report.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notes: list[str] = []

    def registry(self, key: str) -> bytes | None:
        """The registry stored for a state of a tree."""
        found: list[bytes] = []
        with self._open() as database:
            if database is not None:
                rows = database.execute("SELECT data FROM registry WHERE key = ?", (key,))
                found = [row[0] for row in rows]
        return found[0] if found else None

    def store_registry(self, key: str, data: bytes) -> None:
        """Keep a registry; the oldest go."""
        with self._open() as database:
            if database is not None:
                database.execute(
                    "INSERT OR REPLACE INTO registry SELECT ?, ?, coalesce(max(used), 0) + 1 FROM registry",
                    (key, data),
                )
                database.execute(
                    "DELETE FROM registry WHERE key NOT IN (SELECT key FROM registry ORDER BY used DESC LIMIT ?)",
                    (_KEPT_REGISTRIES,),
                )
                database.commit()

    def facts(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The facts stored for some files, by key."""
        found: dict[str, bytes] = {}
        with self._open() as database:
            if database is not None:
                wanted = orjson.dumps(sorted(set(keys))).decode()
                rows = database.execute(
                    "SELECT key, data FROM facts WHERE key IN (SELECT value FROM json_each(?))", (wanted,)
                )
                found = dict(rows)
        return found

    def store_facts(self, facts: Mapping[str, bytes]) -> None:
        """Keep the facts of some files."""
        with self._open() as database:
            if database is not None and facts:
                database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", sorted(facts.items()))
                database.commit()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """A connection, or None where there can be none. A damaged file is removed, once, and made anew."""
        try:
            database = self._connect()
        except (sqlite3.Error, OSError) as error:
            self._unusable(error)
            yield None
            return
        with closing(database):
            try:
                yield database
            except sqlite3.Error as error:
                self._unusable(error)

    def _connect(self) -> sqlite3.Connection:
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        database = sqlite3.connect(self.file, timeout=10)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.executescript(_SCHEMA)
        return database

    def _unusable(self, error: Exception) -> None:
        note = f"the cache {self.file} was not used: {error}"
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            note += "; it is built anew"
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.file}{suffix}").unlink(missing_ok=True)
        self.notes.append(note)


def default_cache() -> RegistryCache:
    """The cache of this user: `$XDG_CACHE_HOME/askfirst/registry.sqlite`."""
    home = os.environ.get("XDG_CACHE_HOME")
    folder = Path(home) if home else Path.home() / ".cache"
    return RegistryCache(folder / "askfirst" / "registry.sqlite")
