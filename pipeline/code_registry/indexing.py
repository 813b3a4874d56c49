"""The facts of a tree and what follows from them: most entries at once, the edges of calls when somebody asks."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from threading import RLock

from pipeline.code_registry.all_languages import LANGUAGES, language_of
from pipeline.code_registry.entries import CallEdge, Entries, FileFailure
from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.linker import Linker
from pipeline.code_registry.reading import FileReading, ReadFiles, ReadRequest
from pipeline.code_registry.rows import RowsInvalid, Sections, from_bytes, join_sections, sections_of
from pipeline.code_registry.seen_tree import SeenTree
from pipeline.code_registry.store import IndexStore, StoreDamaged

MOST_READ = 8_000_000
"""Bytes, as written, of the facts that are kept at hand; in memory they take six times as much."""


class StoredFacts(Mapping[str, FileFacts]):
    """The facts of files by path, in the order of the paths. Those that were asked for last are kept at hand."""

    def __init__(self, data: Mapping[str, bytes]) -> None:
        self._data = dict(sorted(data.items()))
        self._at_hand: OrderedDict[str, FileFacts] = OrderedDict()
        self._size = 0

    def __getitem__(self, path: str) -> FileFacts:
        facts = self._at_hand.get(path)
        if facts is None:
            facts = self._at_hand[path] = from_bytes(self._data[path], FileFacts)
            self._size += len(self._data[path])
            while self._size > MOST_READ and len(self._at_hand) > 1:
                oldest_path, _ = self._at_hand.popitem(last=False)
                self._size -= len(self._data[oldest_path])
        return facts

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, path: object) -> bool:
        return path in self._data


class IndexedTree:
    """Reads and links the files of a tree. The cache keeps the facts; the tree notes unreadable files.

    `lasting`: whether the next run would find the same. Several threads may ask at the same time.
    """

    def __init__(self, tree: SeenTree, cache: IndexStore | None, read: ReadFiles) -> None:
        self._tree = tree
        self._cache = cache
        self._read = read
        self._lock = RLock()
        self.reused_count = 0
        self.lasting = True

    def entries(self) -> Sections:
        """All entries but the edges of calls.

        Raises:
            ParserUnavailable: no process can be started that reads sources.
        """
        with self._lock:
            parts = [entries for linker in self._linkers for entries in linker.link()]
            parts.append(Entries(failures=tuple(self._tree.failures)))
            return join_sections(map(sections_of, parts))

    def callers(self, id_: str) -> list[CallEdge]:
        """The edges of calls that lead to a definition."""
        with self._lock:
            return [edge for linker in self._linkers for edge in linker.callers(id_)]

    def callees(self, id_: str) -> list[CallEdge]:
        """The edges of calls that lead from a definition, or from the code at the top of a file."""
        with self._lock:
            return [edge for linker in self._linkers for edge in linker.callees(id_)]

    def edges(self) -> list[CallEdge]:
        """All edges of calls."""
        with self._lock:
            return [edge for linker in self._linkers for edge in linker.edges()]

    @property
    def failures(self) -> Iterable[FileFailure]:
        """What went wrong while calls were linked."""
        linkers = vars(self).get("_linkers", ())
        return [failure for linker in linkers for failure in linker.failures]

    @cached_property
    def _linkers(self) -> list[Linker]:
        data = self._facts()
        linkers = []
        for language in LANGUAGES:
            files = {path: data[path] for path in data if language_of(path) is language}
            if files:
                linkers.append(Linker(language, StoredFacts(files), data.keys()))
        return linkers

    def _facts(self) -> dict[str, bytes]:
        """The stored form of the facts of all files: from the cache, or read now."""
        keys = {path: _facts_key(path, blob) for path, blob in self._tree.blobs.items()}
        facts_by_key: dict[str, bytes] = {}
        with suppress(StoreDamaged):
            facts_by_key = self._cache.facts(keys.values()) if self._cache is not None else {}
        data = {path: facts_by_key[key] for path, key in keys.items() if _is_readable(facts_by_key.get(key))}
        self.reused_count = len(data)
        missing = [
            ReadRequest(path, self._tree.blobs[path] if path in self._tree.rehashed_paths else None)
            for path in keys
            if path not in data
        ]
        fresh: dict[str, bytes] = {}
        for path, reading in self._read(self._tree.root, missing) if missing else ():
            if not isinstance(reading, FileReading):
                self._tree.refuse(path, reading.reason, reading.failure)
                self.lasting = self.lasting and reading.lasting
                continue
            data[path] = reading.data
            self.lasting = self.lasting and reading.sure
            if reading.sure:
                fresh[keys[path]] = reading.data
        with suppress(StoreDamaged):
            if self._cache is not None and fresh:
                self._cache.store_facts(fresh)
        return data


def _is_readable(data: bytes | None) -> bool:
    try:
        return data is not None and bool(from_bytes(data, FileFacts))
    except RowsInvalid:
        return False


def _facts_key(path: str, blob: str) -> str:
    language = language_of(path)
    return f"{language.version() if language is not None else ''}:{blob}"
