"""SQLite files that are kept between runs: several processes may share one, and each row has a checksum."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from zlib import crc32

_CHECKSUM = 4
"""Bytes of a checksum."""
_PAGE = 65_536
"""Bytes of a page of a file of large rows: one that fits on a page costs a quarter of one on a chain of pages."""


class CacheDamaged(Exception):
    """A cache file cannot be read or written, or does not hold what was written into it."""


def seal(data: bytes) -> bytes:
    """Data with the checksum before it by which damage is seen."""
    return crc32(data).to_bytes(_CHECKSUM) + data


def unseal(row_data: bytes) -> bytes:
    """What was sealed.

    Raises:
        CacheDamaged: it is not what was written.
    """
    data = row_data[_CHECKSUM:]
    if len(row_data) < _CHECKSUM or crc32(data) != int.from_bytes(row_data[:_CHECKSUM]):
        raise CacheDamaged("a row does not hold what was written into it")
    return data


def open_cache(file: Path, schema: str, *, large_rows: bool = False) -> sqlite3.Connection:
    """A cache file, made if it is not there."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = sqlite3.connect(file, timeout=10)
    with closing(database.cursor()) as cursor:
        if large_rows:
            cursor.execute(f"PRAGMA page_size = {_PAGE}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.executescript(schema)
    return database


def remove_cache(file: Path) -> None:
    """Remove a damaged file, with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)


def user_cache(name: str) -> Path:
    """A cache file of this user: below `$XDG_CACHE_HOME/askfirst`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "askfirst" / name
