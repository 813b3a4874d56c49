"""Facts of many files in files on the disk: read when somebody asks, so that no process holds them all."""

import mmap
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.rows import from_bytes

MOST_READ = 8_000_000
"""Bytes, as written, of the facts that are kept at hand; in memory they take six times as much."""


class FactSpan(NamedTuple):
    """Where facts are written: the number of the file, the first byte, how many."""

    file: int
    start: int
    size: int


class FactStore:
    """Files that facts were written to. Those that were asked for last are kept at hand."""

    def __init__(self, files: Sequence[Path], spans: Mapping[str, FactSpan]) -> None:
        self.spans = spans
        self._data = [_map_file(file) for file in files]
        self._cache: OrderedDict[str, FileFacts] = OrderedDict()
        self._size = 0

    def data_of(self, path: str) -> bytes:
        """The facts of a file as they are written."""
        file, start, size = self.spans[path]
        return self._data[file][start : start + size]

    def facts(self, path: str) -> FileFacts:
        """The facts of a file."""
        facts = self._cache.get(path)
        if facts is None:
            facts = self._cache[path] = from_bytes(self.data_of(path), FileFacts)
            self._size += self.spans[path].size
            while self._size > MOST_READ and len(self._cache) > 1:
                oldest_path, _ = self._cache.popitem(last=False)
                self._size -= self.spans[oldest_path].size
        return facts


class StoredFacts(Mapping[str, FileFacts]):
    """The facts of some files by path, in the order of the paths. Looking up finds every file of the shelf.

    `read_paths` are the files whose facts were looked up.
    """

    def __init__(self, shelf: FactStore, paths: Iterable[str]) -> None:
        self._shelf = shelf
        self._paths = sorted(paths)
        self.read_paths: set[str] = set()

    def __getitem__(self, path: str) -> FileFacts:
        self.read_paths.add(path)
        return self._shelf.facts(path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, path: object) -> bool:
        return path in self._shelf.spans


def _map_file(file: Path) -> "mmap.mmap | bytes":
    with file.open("rb") as stream:
        if not file.stat().st_size:
            return b""
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
