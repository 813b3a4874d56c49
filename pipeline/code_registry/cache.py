"""Facts and registries kept between runs, in one SQLite file that several processes may share."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import orjson

from pipeline.code_registry.cache_file import CacheDamaged, open_cache, remove_cache, seal, unseal, user_cache
from pipeline.code_registry.rows import Sections

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS registry (key TEXT PRIMARY KEY, data BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS section (key TEXT, kind TEXT, part INTEGER, data BLOB NOT NULL, PRIMARY KEY (key, kind, part));
"""
_MOST_REGISTRIES = 20


class RegistryCache:
    """A cache file. It is only ever a shortcut: whatever goes wrong with it, the work is done again and it is said.

    `notes` collects what went wrong, for the report.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.notes: list[str] = []

    def registry(self, key: str) -> bytes | None:
        """What is stored about a state of a tree, apart from its entries."""
        blobs: list[bytes | None] = []
        with self._open() as database:
            if database is not None:
                rows = database.execute("SELECT data FROM registry WHERE key = ?", (key,))
                blobs = [self._unseal(row[0]) for row in rows]
        return blobs[0] if blobs else None

    def section(self, key: str, kind: str) -> Sequence[bytes]:
        """The entries of one kind in a registry, in parts; what is no longer there or damaged is left out."""
        parts: list[bytes | None] = []
        with self._open() as database:
            if database is not None:
                rows = database.execute(
                    "SELECT data FROM section WHERE key = ? AND kind = ? ORDER BY part", (key, kind)
                )
                parts = [self._unseal(row[0]) for row in rows]
        return [part for part in parts if part is not None]

    def store_registry(self, key: str, data: bytes, sections: Sections) -> None:
        """Keep a registry; the oldest ones go."""
        rows = (
            (key, kind, number, seal(part))
            for kind, parts in sections.items()
            for number, part in enumerate(parts)
        )
        with self._open() as database:
            if database is not None:
                database.execute("DELETE FROM section WHERE key = ?", (key,))
                database.executemany("INSERT INTO section VALUES (?, ?, ?, ?)", rows)
                database.execute(
                    "INSERT OR REPLACE INTO registry SELECT ?, ?, coalesce(max(used), 0) + 1 FROM registry",
                    (key, seal(data)),
                )
                database.execute(
                    "DELETE FROM registry WHERE key NOT IN (SELECT key FROM registry ORDER BY used DESC LIMIT ?)",
                    (_MOST_REGISTRIES,),
                )
                database.execute("DELETE FROM section WHERE key NOT IN (SELECT key FROM registry)")
                database.commit()

    def facts(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The facts stored for some files, key by key; what is damaged is left out."""
        with self._open() as database:
            if database is not None:
                keys_json = orjson.dumps(sorted(set(keys))).decode()
                rows = database.execute(
                    "SELECT key, data FROM facts WHERE key IN (SELECT value FROM json_each(?))", (keys_json,)
                )
                for key, row_data in rows:
                    data = self._unseal(row_data)
                    if data is not None:
                        yield key, data

    def store_facts(self, facts: Iterable[tuple[str, bytes]]) -> None:
        """Keep the facts of some files."""
        with self._open() as database:
            if database is not None:
                rows = ((key, seal(data)) for key, data in facts)
                database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
                database.commit()

    def _unseal(self, row_data: object) -> bytes | None:
        """What was sealed, or None for what is damaged."""
        try:
            return unseal(row_data if isinstance(row_data, bytes) else b"")
        except CacheDamaged:
            self.notes.append(f"a row of the cache {self.file} was damaged and is made again")
            return None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """A connection, or None where there can be none. A damaged file is removed, once, and made anew."""
        try:
            database = open_cache(self.file, _SCHEMA, large_rows=True)
        except (sqlite3.Error, OSError) as error:
            self._unusable(error)
            yield None
            return
        with closing(database):
            try:
                yield database
            except sqlite3.Error as error:
                self._unusable(error)

    def _unusable(self, error: Exception) -> None:
        note = f"the cache {self.file} was not used: {error}"
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            note += "; it is built anew"
            remove_cache(self.file)
        self.notes.append(note)


def default_cache() -> RegistryCache:
    """The cache of this user: `$XDG_CACHE_HOME/askfirst/registry.sqlite`."""
    return RegistryCache(user_cache("registry.sqlite"))
