"""What is kept between runs, in one SQLite file that several processes may share: facts, registries, texts and histories.

It is only ever a shortcut: damaged entries are made again.

Why not FTS5: a ranking wants, for each term of several queries, how often it stands in each field of each file; FTS5 gives
a score. Why segments: a changed file is a new small segment, and nothing that was written is written again.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import NamedTuple
from zlib import crc32

import orjson

from pipeline.code_registry.rows import Sections

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (kind TEXT, key TEXT, data BLOB NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS section (key TEXT, kind TEXT, part INTEGER, data BLOB NOT NULL, PRIMARY KEY (key, kind, part));
CREATE TABLE IF NOT EXISTS segment (id INTEGER PRIMARY KEY AUTOINCREMENT, head BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS bucket (segment INTEGER, number INTEGER, data BLOB NOT NULL, PRIMARY KEY (segment, number));
CREATE TABLE IF NOT EXISTS file (key TEXT PRIMARY KEY, segment INTEGER NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tree_segment (key TEXT, segment INTEGER, PRIMARY KEY (key, segment)) WITHOUT ROWID;
"""
# What was used within the hour stays, however much others store meanwhile: somebody may be reading it.
_DELETE_OLD = """
DELETE FROM kept WHERE kind = ?1 AND used < strftime('%s', 'now') - 3600
AND key NOT IN (SELECT key FROM kept WHERE kind = ?1 ORDER BY used DESC, rowid DESC LIMIT 20)
"""
_DELETE_UNUSED = (
    "DELETE FROM section WHERE key NOT IN (SELECT key FROM kept WHERE kind = 'registry')",
    "DELETE FROM tree_segment WHERE key NOT IN (SELECT key FROM kept WHERE kind = 'tree')",
    "DELETE FROM segment WHERE id NOT IN (SELECT segment FROM tree_segment)",
    "DELETE FROM bucket WHERE segment NOT IN (SELECT id FROM segment)",
    "DELETE FROM file WHERE segment NOT IN (SELECT id FROM segment)",
)
_TOUCH = "UPDATE kept SET used = strftime('%s', 'now') WHERE kind = ? AND key = ?"
_TOUCH_TREES = """
UPDATE kept SET used = strftime('%s', 'now') WHERE kind = 'tree' AND key IN (
  SELECT tree_segment.key FROM tree_segment JOIN file ON file.segment = tree_segment.segment
  WHERE file.key IN (SELECT value FROM json_each(?)))
"""
_CHECKSUM = 4
"""Bytes of a checksum."""
_PAGE = 65_536
"""Bytes of a page: a row that fits on one costs a quarter of one on a chain of pages."""


class StoreDamaged(Exception):
    """The file cannot be read or written, or does not hold what was written into it."""


class Segment(NamedTuple):
    """The stored postings of a set of files: what is known of the files, and the postings by bucket."""

    head: bytes
    buckets: dict[int, bytes]


class StoredFile(NamedTuple):
    """Where the postings of a file are: its segment, and its number in there."""

    segment: int
    number: int


class IndexStore:
    """A store. `notes` collects what went wrong with it, for the report.

    Without a file, or where the file cannot be used, everything is held in memory for this run. Every method may raise
    `StoreDamaged`; the next one works in memory, where nothing is known, and a damaged file is removed.
    """

    def __init__(self, file: Path | None) -> None:
        self.notes: list[str] = []
        self._file = file
        self._lock = RLock()
        self._database = self._connect()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def load(self, kind: str, key: str) -> bytes | None:
        """The stored value of a kind under a key. It counts as the last that was used."""
        with self._using() as database:
            database.execute(_TOUCH, (kind, key))
            row = database.execute("SELECT data FROM kept WHERE kind = ? AND key = ?", (kind, key)).fetchone()
            return None if row is None else _unseal(row[0])

    def save(self, kind: str, key: str, data: bytes) -> None:
        """Keep something; of its kind the oldest go."""
        with self._using() as database:
            _save(database, kind, key, data)

    def facts(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The facts stored for some files."""
        with self._using() as database:
            rows = database.execute(
                "SELECT key, data FROM facts WHERE key IN (SELECT value FROM json_each(?))",
                (_json(sorted(set(keys))),),
            )
            return {key: _unseal(data) for key, data in rows}

    def store_facts(self, facts: Mapping[str, bytes]) -> None:
        """Keep the facts of some files."""
        with self._using() as database:
            rows = ((key, _seal(data)) for key, data in sorted(facts.items()))
            database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)

    def section(self, key: str, kind: str) -> list[bytes]:
        """The entries of one kind in a registry, in parts; fewer where another run has removed them."""
        with self._using() as database:
            rows = database.execute(
                "SELECT data FROM section WHERE key = ? AND kind = ? ORDER BY part", (key, kind)
            )
            return [_unseal(data) for (data,) in rows]

    def store_registry(self, key: str, header: bytes, sections: Sections) -> None:
        """Keep a registry."""
        rows = (
            (key, kind, number, _seal(part))
            for kind, parts in sections.items()
            for number, part in enumerate(parts)
        )
        with self._using() as database:
            database.execute("DELETE FROM section WHERE key = ?", (key,))
            database.executemany("INSERT INTO section VALUES (?, ?, ?, ?)", rows)
            _save(database, "registry", key, header)

    def files(self, keys: Sequence[str]) -> dict[str, StoredFile]:
        """Where the files with these keys are; those that no segment has are left out."""
        with self._using() as database:
            database.execute(_TOUCH_TREES, (_json(keys),))
            rows = database.execute(
                "SELECT key, segment, number FROM file WHERE key IN (SELECT value FROM json_each(?))",
                (_json(keys),),
            )
            return {key: StoredFile(segment, number) for key, segment, number in rows}

    def store_tree(
        self,
        key: str,
        segments: Sequence[tuple[Segment, Sequence[str]]],
        describe: Callable[[Mapping[str, StoredFile]], tuple[bytes, Iterable[int]]],
    ) -> bytes:
        """Keep a tree with the segments that it adds, each with the keys of its files.

        `describe` says, from where the files of these segments are, what is known of the tree, and which segments it needs. Both
        are stored at once: until then no other process removes what it reads, and sees nothing of what it adds.
        """
        with self._using() as database:
            new_files: dict[str, StoredFile] = {}
            for segment, keys in segments:
                cursor = database.execute("INSERT INTO segment (head) VALUES (?)", (_seal(segment.head),))
                number = cursor.lastrowid or 0
                rows = ((number, bucket, _seal(data)) for bucket, data in sorted(segment.buckets.items()))
                database.executemany("INSERT INTO bucket VALUES (?, ?, ?)", rows)
                new_files |= {file_key: StoredFile(number, place) for place, file_key in enumerate(keys)}
            database.executemany(
                "INSERT OR REPLACE INTO file VALUES (?, ?, ?)",
                ((file_key, *place) for file_key, place in new_files.items()),
            )
            data, segment_ids = describe(new_files)
            database.executemany(
                "INSERT OR IGNORE INTO tree_segment VALUES (?, ?)",
                [(key, number) for number in set(segment_ids)],
            )
            _save(database, "tree", key, data)
            return data

    def heads(self, segments: Iterable[int]) -> dict[int, bytes]:
        """The heads of some segments."""
        with self._using() as database:
            rows = database.execute(
                "SELECT id, head FROM segment WHERE id IN (SELECT value FROM json_each(?))",
                (_json(sorted(segments)),),
            )
            return {number: _unseal(data) for number, data in rows}

    def bucket(self, segment: int, number: int) -> bytes | None:
        """One bucket of a segment's postings; None where no term of the segment is in it."""
        with self._using() as database:
            row = database.execute(
                "SELECT data FROM bucket WHERE segment = ? AND number = ?", (segment, number)
            ).fetchone()
            return None if row is None else _unseal(row[0])

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._database.in_transaction:  # a part of what another method does
                yield self._database
                return
            try:
                with self._database:
                    yield self._database
            except (sqlite3.Error, StoreDamaged) as error:
                self._give_up(error)
                raise StoreDamaged(str(error)) from error

    def _give_up(self, error: Exception) -> None:
        """Go on in memory. A damaged file is removed, with SQLite's files next to it."""
        self._database.close()
        note = f"the cache {self._file} was not used: {error}"
        if self._file is not None and not isinstance(error, sqlite3.OperationalError):
            note += "; it is built anew"
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self._file}{suffix}").unlink(missing_ok=True)
        self.notes.append(note)
        self._file = None
        self._database = self._connect()

    def _connect(self) -> sqlite3.Connection:
        if self._file is not None:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                return _open(os.fspath(self._file))
            except sqlite3.DatabaseError as error:
                if not isinstance(error, sqlite3.OperationalError):
                    for suffix in ("", "-wal", "-shm"):
                        Path(f"{self._file}{suffix}").unlink(missing_ok=True)
                self.notes.append(f"the cache {self._file} was not used: {error}; it is built anew")
            except OSError as error:
                self.notes.append(f"the cache {self._file} was not used: {error}")
        return _open(":memory:")


def _open(name: str) -> sqlite3.Connection:
    # Threads take turns by the store's lock.
    database = sqlite3.connect(name, timeout=10, check_same_thread=False)
    with closing(database.cursor()) as cursor:
        cursor.execute(f"PRAGMA page_size = {_PAGE}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.executescript(_SCHEMA)
    return database


def _save(database: sqlite3.Connection, kind: str, key: str, data: bytes) -> None:
    row = (kind, key, _seal(data))
    database.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, strftime('%s', 'now'))", row)
    if database.execute(_DELETE_OLD, (kind,)).rowcount:
        for statement in _DELETE_UNUSED:
            database.execute(statement)


def _json(values: Sequence[object]) -> str:
    return orjson.dumps(list(values)).decode()


def _seal(data: bytes) -> bytes:
    """Data with the checksum before it by which damage is seen."""
    return crc32(data).to_bytes(_CHECKSUM) + data


def _unseal(row_data: object) -> bytes:
    data = row_data if isinstance(row_data, bytes) else b""
    if len(data) < _CHECKSUM or crc32(data[_CHECKSUM:]) != int.from_bytes(data[:_CHECKSUM]):
        raise StoreDamaged("a row does not hold what was written into it")
    return data[_CHECKSUM:]


def default_store() -> IndexStore:
    """The store of this user: `$XDG_CACHE_HOME/askfirst/index.sqlite`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return IndexStore((Path(home) if home else Path.home() / ".cache") / "askfirst" / "index.sqlite")
