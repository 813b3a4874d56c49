"""Index a tree that the cache does not know: read what is new, link everything."""

import atexit
import gc
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pipeline.code_registry.all_languages import LANGUAGES, language_of
from pipeline.code_registry.assembly import link_whole
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.entries import Entries
from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.linking_parts import KeptUnits, link_in_parts
from pipeline.code_registry.parse_probe import Probe, ProbeRequest
from pipeline.code_registry.probe_process import PARSERS
from pipeline.code_registry.reading import (
    LINKED_AT_ONCE,
    PROCESSES,
    READ_AT_ONCE,
    FileReading,
    ReadRequest,
    UnreadableFile,
    abandoned_file,
    parts_of,
    read_facts,
    read_in_parts,
    read_source,
    warm_up,
)
from pipeline.code_registry.rows import (
    RowsInvalid,
    Sections,
    Unit,
    code_version,
    from_bytes,
    join_sections,
    sections_of,
)
from pipeline.code_registry.seen_tree import SeenTree
from pipeline.code_registry.stored_facts import FactSpan, FactStore, StoredFacts
from pipeline.code_registry.tree import FileSources

WORTH_TWO_PROCESSES = 3_000_000
"""Bytes of source from which a second process saves more than its start costs."""


class IndexResult(NamedTuple):
    """All entries of a tree, how many files were known before, and whether the next run would find the same."""

    units: Sequence[Unit]
    reused_count: int
    lasting: bool


def index_tree(tree: SeenTree, cache: RegistryCache | None, probe: Probe) -> IndexResult:
    """Read and link the files of a tree. What is read is kept in the cache; what cannot be read is noted in the tree.

    A small tree is read in this process, after `probe` has said which of its sources come back from the parser.

    Raises:
        ParserUnavailable: the probe does not start.
    """
    sizes = _sizes(tree)
    if sum(sizes.values()) < WORTH_TWO_PROCESSES:
        return _Alone(tree, _facts_keys(tree), cache, probe).index()
    with (
        TemporaryDirectory(prefix="askfirst-index-") as folder,
        ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn"), initializer=_begin) as pool,
    ):
        pool.submit(warm_up)
        return _InParts(tree, _facts_keys(tree), sizes, cache, Path(folder), pool).index()


def _begin() -> None:
    """What a process does first. It makes no garbage, and leaves all it holds to the system when it ends: to give back
    millions of facts one by one takes a second.
    """
    gc.disable()
    atexit.register(os._exit, 0)


def _facts_keys(tree: SeenTree) -> dict[str, str]:
    return {path: _facts_key(path, blob) for path, blob in tree.blobs.items()}


def _facts_key(path: str, blob: str) -> str:
    language = language_of(path)
    return f"{language.version() if language is not None else ''}:{blob}"


def _sizes(tree: SeenTree) -> dict[str, int]:
    root = os.fspath(tree.root)
    return {path: _size(f"{root}/{path}") for path in tree.blobs}


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


class _Alone:
    """Indexes a small tree in this process."""

    def __init__(
        self, tree: SeenTree, keys: dict[str, str], cache: RegistryCache | None, probe: Probe
    ) -> None:
        self._tree = tree
        self._keys = keys
        self._cache = cache
        self._probe = probe

    def index(self) -> IndexResult:
        facts = self._cached_facts()
        reused_count, lasting = len(facts), True
        fresh: dict[str, bytes] = {}
        for path, read in self._read([path for path in self._keys if path not in facts]):
            if isinstance(read, UnreadableFile):
                self._tree.refuse(read)
                lasting = lasting and read.lasting
                continue
            facts[path] = read.facts
            lasting = lasting and read.sure
            if read.sure and self._cache is not None:
                fresh[self._keys[path]] = read.data
        if self._cache is not None and fresh:
            self._cache.store_facts(sorted(fresh.items()))
        sections = join_sections([*self._link(facts), _failures(self._tree)])
        return IndexResult([Unit("", sections)], reused_count, lasting)

    def _read(self, paths: Sequence[str]) -> Iterator[tuple[str, FileReading | UnreadableFile]]:
        """The facts of files. Each source is parsed here only after the probe has come back from it."""
        files = FileSources(self._tree.root)
        sources = {path: read_source(files, path) for path in paths}
        requests = {
            path: ProbeRequest(language.name, source)
            for path, source in sources.items()
            if not isinstance(source, UnreadableFile)
            and (language := language_of(path)) is not None
            and language.name in PARSERS
        }
        reasons = iter(self._probe(tuple(requests.values())))
        for path, source in sources.items():
            reason = next(reasons) if path in requests else None
            if reason is not None:
                yield path, abandoned_file(path, reason)
            elif isinstance(source, UnreadableFile):
                yield path, source
            else:
                yield path, read_facts(_read_request(self._tree, path), source)

    def _cached_facts(self) -> dict[str, FileFacts]:
        by_key: dict[str, FileFacts] = {}
        for key, data in self._cache.facts(self._keys.values()) if self._cache is not None else ():
            try:
                by_key[key] = from_bytes(data, FileFacts)
            except RowsInvalid:
                continue
        return {path: by_key[key] for path, key in self._keys.items() if key in by_key}

    def _link(self, facts: dict[str, FileFacts]) -> Iterator[Sections]:
        for language in LANGUAGES:
            files = {path: file_facts for path, file_facts in facts.items() if language_of(path) is language}
            if files:
                yield from map(sections_of, link_whole(language, files, facts.keys()))


class _InParts:
    """Indexes a large tree in several processes, none of which holds all of it."""

    def __init__(
        self,
        tree: SeenTree,
        keys: dict[str, str],
        sizes: dict[str, int],
        cache: RegistryCache | None,
        folder: Path,
        pool: Executor,
    ) -> None:
        self._tree = tree
        self._keys = keys
        self._sizes = sizes
        self._cache = cache
        self._folder = folder
        self._pool = pool
        self._files: list[Path] = []
        self._where: dict[str, FactSpan] = {}
        self._lasting = True

    def index(self) -> IndexResult:
        self._take_known()
        reused_count = len(self._where)
        fresh = self._read_missing()
        with ThreadPoolExecutor(1) as aside:
            storing = aside.submit(self._store, fresh)
            units = [*self._link(), Unit("", _failures(self._tree))]
            storing.result()
        return IndexResult(units, reused_count, self._lasting)

    def _take_known(self) -> None:
        """Copy the facts that the cache has to where all processes can read them."""
        if self._cache is None:
            return
        paths: dict[str, list[str]] = {}
        for path, key in self._keys.items():
            paths.setdefault(key, []).append(path)
        file = self._folder / "known"
        with file.open("wb") as stream:
            for key, data in self._cache.facts(paths):
                span = FactSpan(0, stream.tell(), len(data))
                stream.write(data)
                self._where.update(dict.fromkeys(paths[key], span))
        self._files.append(file)

    def _read_missing(self) -> list[str]:
        """Read what the cache has not; gives the files whose facts may be kept."""
        missing = [path for path in self._keys if path not in self._where]
        requests = [_read_request(self._tree, path) for path in missing]
        fresh: list[str] = []
        parts = parts_of(requests, [self._sizes[path] for path in missing], READ_AT_ONCE)
        for part in read_in_parts(self._tree.root, parts, self._folder, self._pool):
            for path, start, size, sure in part.spans:
                self._where[path] = FactSpan(len(self._files), start, size)
                self._lasting = self._lasting and sure
                if sure:
                    fresh.append(path)
            self._files.append(part.file)
            for unreadable in part.unreadable:
                self._tree.refuse(unreadable)
                self._lasting = self._lasting and unreadable.lasting
        return fresh

    def _store(self, fresh: list[str]) -> None:
        if self._cache is not None and fresh:
            shelf = FactStore(self._files, self._where)
            by_key = {self._keys[path]: path for path in fresh}
            self._cache.store_facts((key, shelf.data_of(path)) for key, path in sorted(by_key.items()))

    def _link(self) -> Iterator[Unit]:
        all_paths = frozenset(self._where)
        for language in LANGUAGES:
            spans = {path: at for path, at in sorted(self._where.items()) if language_of(path) is language}
            if spans and language.apart:
                # As many files in each part, whatever their sizes: one that grows moves no file to another part.
                average = sum(self._sizes[path] for path in spans) // len(spans)
                parts = parts_of(list(spans), [average] * len(spans), LINKED_AT_ONCE)
                context = (code_version(), language.version(), *sorted(all_paths))
                kept_units = KeptUnits(self._cache, self._keys, context)
                yield from link_in_parts(
                    language, self._files, spans, parts, all_paths, self._folder, self._pool, kept_units
                )
            elif spans:
                files = StoredFacts(FactStore(self._files, spans), spans)
                sections = map(sections_of, link_whole(language, dict(files), all_paths))
                yield from (Unit("", part) for part in sections)


def _failures(tree: SeenTree) -> Sections:
    return sections_of(Entries(failures=tuple(tree.failures)))


def _read_request(tree: SeenTree, path: str) -> ReadRequest:
    return ReadRequest(path, tree.blobs[path] if path in tree.rehashed_paths else None)
