"""Segments and trees between runs, in one SQLite file that several processes may share. It is only ever a shortcut.

Why not FTS5: a ranking wants, for each term of several queries, how often it stands in each field of each file; FTS5 gives
a score. Why segments: a changed file is a new small segment, and nothing that was written is written again.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from pipeline.code_registry.cache_file import CacheDamaged, open_cache, remove_cache, seal, unseal, user_cache
from pipeline.code_registry.rows import code_version
from pipeline.code_registry.text.segments import Segment, SegmentFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS segment (id INTEGER PRIMARY KEY AUTOINCREMENT, head BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS bucket (segment INTEGER, number INTEGER, data BLOB NOT NULL, PRIMARY KEY (segment, number));
CREATE TABLE IF NOT EXISTS file (key TEXT PRIMARY KEY, segment INTEGER NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tree (key TEXT PRIMARY KEY, data BLOB NOT NULL, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS tree_segment (key TEXT, segment INTEGER, PRIMARY KEY (key, segment)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claim (segment INTEGER PRIMARY KEY, expires INTEGER DEFAULT (strftime('%s', 'now') + 3600));
CREATE VIEW IF NOT EXISTS kept AS SELECT segment FROM tree_segment UNION SELECT segment FROM claim;
CREATE TABLE IF NOT EXISTS history (key TEXT PRIMARY KEY, data BLOB NOT NULL, used INTEGER NOT NULL);
"""
_TOUCH_TREE = """
UPDATE tree SET used = (SELECT max(used) FROM tree) + 1 WHERE key = ? AND used < (SELECT max(used) FROM tree)
"""
# A tree is stored after its segments. Until then they belong to no tree, and another process that stores one of its own
# would delete them. So whoever builds a tree claims the segments that it takes, for an hour.
_CLAIM_OF_FILES = """
INSERT OR REPLACE INTO claim (segment) SELECT DISTINCT segment FROM file WHERE key IN (SELECT value FROM json_each(?))
"""
_DELETE_UNUSED = (
    "DELETE FROM tree_segment WHERE key NOT IN (SELECT key FROM tree)",
    "DELETE FROM claim WHERE expires < strftime('%s', 'now') + 0",
    "DELETE FROM segment WHERE id NOT IN kept",
    "DELETE FROM bucket WHERE segment NOT IN kept",
    "DELETE FROM file WHERE segment NOT IN kept",
)
_KEPT_TREES = 20


class StoredFile(NamedTuple):
    """Where the postings of a file are: its segment, and its number in there."""

    segment: int
    number: int


class IndexStore:
    """The cache file of the index. `notes` collects what went wrong with it, for the report.

    Without a file, or where the file cannot be used, everything is held in memory for this run. Every method but `close` and
    `give_up` raises `CacheDamaged`.
    """

    def __init__(self, file: Path | None) -> None:
        self.notes: list[str] = []
        self._file = file
        self._database = self._connect()

    def give_up(self, error: CacheDamaged) -> None:
        """Go on in memory. A file that is damaged is removed."""
        self._database.close()
        self.notes.append(f"the cache {self._file} was not used: {error}")
        if self._file is not None and not isinstance(error.__cause__, sqlite3.OperationalError):
            remove_cache(self._file)
        self._file = None
        self._database = self._connect()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def tree(self, key: str) -> bytes | None:
        """What is stored about a tree. It counts as the last that was used."""
        data = self._data("SELECT data FROM tree WHERE key = ?", key)
        if data is not None:
            with self._writing() as database:
                database.execute(_TOUCH_TREE, (key,))
        return data

    def store_tree(self, key: str, data: bytes, segments: Iterable[int]) -> None:
        """Keep what is known of a tree; the oldest trees go, and the segments that only they used."""
        with self._writing() as database:
            database.execute(
                "INSERT OR REPLACE INTO tree SELECT ?, ?, coalesce(max(used), 0) + 1 FROM tree",
                (key, seal(data)),
            )
            database.executemany(
                "INSERT OR IGNORE INTO tree_segment VALUES (?, ?)", [(key, number) for number in segments]
            )
            database.execute(
                "DELETE FROM tree WHERE key NOT IN (SELECT key FROM tree ORDER BY used DESC LIMIT ?)",
                (_KEPT_TREES,),
            )
            for statement in _DELETE_UNUSED:
                database.execute(statement)

    def history(self, key: str) -> bytes | None:
        """What is stored about the history of a commit."""
        return self._data("SELECT data FROM history WHERE key = ?", key)

    def store_history(self, key: str, data: bytes) -> None:
        """Keep a history; the oldest go."""
        with self._writing() as database:
            database.execute(
                "INSERT OR REPLACE INTO history SELECT ?, ?, coalesce(max(used), 0) + 1 FROM history",
                (key, seal(data)),
            )
            database.execute(
                "DELETE FROM history WHERE key NOT IN (SELECT key FROM history ORDER BY used DESC LIMIT ?)",
                (_KEPT_TREES,),
            )

    def claim_files(self, keys: Sequence[str]) -> dict[str, StoredFile]:
        """Where the files with these keys are; those that no segment has are left out.

        The segments stay for an hour, however many trees other processes store meanwhile.
        """
        key_list = orjson.dumps(list(keys)).decode()
        with self._writing() as database:
            database.execute(_CLAIM_OF_FILES, (key_list,))
            rows = database.execute(
                "SELECT key, segment, number FROM file WHERE key IN (SELECT value FROM json_each(?))",
                (key_list,),
            )
            return {key: StoredFile(segment, number) for key, segment, number in rows}

    def add_segment(self, segment: Segment, files: Sequence[SegmentFile]) -> int:
        """Keep a segment; its files are found by their keys from now on. Returns its id."""
        with self._writing() as database:
            cursor = database.execute("INSERT INTO segment (head) VALUES (?)", (seal(segment.head),))
            number = cursor.lastrowid or 0
            database.executemany(
                "INSERT INTO bucket VALUES (?, ?, ?)",
                ((number, bucket, seal(data)) for bucket, data in sorted(segment.buckets.items())),
            )
            database.executemany(
                "INSERT OR REPLACE INTO file VALUES (?, ?, ?)",
                ((file_key(file), number, place) for place, file in enumerate(files)),
            )
            database.execute("INSERT OR REPLACE INTO claim (segment) VALUES (?)", (number,))
        return number

    def heads(self, segments: Iterable[int]) -> dict[int, bytes]:
        """The heads of some segments."""
        rows: list[tuple[int, bytes]] = self._rows(
            "SELECT id, head FROM segment WHERE id IN (SELECT value FROM json_each(?))",
            orjson.dumps(sorted(segments)).decode(),
        )
        return {number: unseal(data) for number, data in rows}

    def bucket(self, segment: int, number: int) -> bytes | None:
        """One bucket of a segment's postings; None where no term of the segment is in it."""
        rows = self._rows("SELECT data FROM bucket WHERE segment = ? AND number = ?", segment, number)
        return unseal(rows[0][0]) if rows else None

    def claim_segments(self, segments: Iterable[int]) -> bool:
        """Whether all of some segments are still there; then they stay for an hour."""
        ids = sorted(set(segments))
        query = "INSERT OR REPLACE INTO claim (segment) SELECT id FROM segment WHERE id IN (SELECT value FROM json_each(?))"
        with self._writing() as database:
            return database.execute(query, (orjson.dumps(ids).decode(),)).rowcount == len(ids)

    def _data(self, query: str, key: str) -> bytes | None:
        rows = self._rows(query, key)
        return unseal(rows[0][0]) if rows else None

    def _rows(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise CacheDamaged(str(error)) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._database:
                yield self._database
        except sqlite3.Error as error:
            raise CacheDamaged(str(error)) from error

    def _connect(self) -> sqlite3.Connection:
        if self._file is not None:
            try:
                return open_cache(self._file, _SCHEMA)
            except (sqlite3.Error, OSError) as error:
                self.notes.append(f"the cache {self._file} was not used: {error}")
        database = sqlite3.connect(":memory:")
        database.executescript(_SCHEMA)
        return database


def file_key(file: SegmentFile) -> str:
    """The key of a file: the code that reads it, the id of its content, and the style in which it was read."""
    return f"{text_version()}:{file.style}:{file.blob}"


def text_version() -> str:
    """A digest of the code that makes segments: what other code made is never used again."""
    return code_version("text", "../domain/history.py", "../domain/terms.py")


def default_store() -> IndexStore:
    """The cache of this user: `$XDG_CACHE_HOME/askfirst/text.sqlite`."""
    return IndexStore(user_cache("text.sqlite"))


def group_by_segment(files: Mapping[int, StoredFile]) -> dict[int, list[int]]:
    """The numbers of files by their segment."""
    groups: dict[int, list[int]] = {}
    for number, file_ in files.items():
        groups.setdefault(file_.segment, []).append(number)
    return groups
