"""Build the registry of a directory: list, read what is new, link, and keep the result for the next run."""

import gc
import hashlib
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pipeline.code_registry.all_languages import LANGUAGES, language_of
from pipeline.code_registry.assembly import assemble
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.code_version import code_version
from pipeline.code_registry.entries import BuildReport, SkippedFile, Value
from pipeline.code_registry.facts import FileFacts, FileUnfit, TooDeep, TooSlow
from pipeline.code_registry.paths import escaped
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.rows import RowsInvalid, from_bytes, to_bytes
from pipeline.code_registry.tree import FileRefused, TreeFile, blob_id, list_tree, read_source

__all__ = ["BuildReport", "build_registry"]

WORTH_TWO_PROCESSES = 3_000_000
"""Bytes of source from which a second process saves more than its start costs."""


class _Stored(Value, frozen=True):
    """What the cache keeps of a tree: its registry, and what was left out."""

    registry: bytes
    skipped: tuple[SkippedFile, ...]


class _Source(NamedTuple):
    """A file to be read: its path, the key of its facts, its content."""

    path: str
    key: str
    data: bytes


def build_registry(root: Path, *, cache: RegistryCache | None) -> Registry:
    """The registry of the tree at `root`, as it lies on the disk, changed files included.

    Nothing of the tree is imported or run. Files that cannot be read are skipped and listed in `registry.report`.

    Raises:
        RepositoryUnreadable: `root` is not a directory that may be read.
    """
    with _no_collections():
        return _build(root, cache)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep the garbage collector from walking millions of facts that are all in use: it costs more than the work."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _build(root: Path, cache: RegistryCache | None) -> Registry:
    started = time.perf_counter()
    tree = list_tree(root, lambda path: language_of(path) is not None)
    skipped: list[SkippedFile] = []
    contents: dict[str, bytes] = {}
    blobs: dict[str, str] = {}
    for file in tree.files:
        if file.blob is not None:
            blobs[file.path] = file.blob
        elif (data := _read(root, file, skipped)) is not None:
            contents[file.path] = data
            blobs[file.path] = blob_id(data)
    key = _tree_key(blobs)
    notes = list(tree.notes)

    def report(reused: int) -> BuildReport:
        said = (*notes, *(cache.notes if cache is not None else ()))
        seconds = time.perf_counter() - started
        return BuildReport(len(blobs), reused, tuple(sorted(skipped, key=lambda s: s.path)), seconds, said)

    stored = cache.registry(key) if cache is not None else None
    if stored is not None:
        try:
            known = from_bytes(stored, _Stored)
            skipped += [skip for skip in known.skipped if skip not in skipped]
            return Registry.from_bytes(known.registry, report(len(blobs)))
        except (RowsInvalid, ValueError, AttributeError) as error:
            notes.append(f"the stored registry was not readable and is built anew: {error}")
    facts, reused, lasting = _facts(root, blobs, contents, cache, skipped)
    registry = _link(facts, report(reused))
    if cache is not None and lasting:
        stored_skips = tuple(sorted(skipped, key=lambda s: s.path))
        cache.store_registry(key, to_bytes(_Stored(registry.to_bytes(), stored_skips)))
    registry.report = report(reused)
    return registry


def _tree_key(blobs: dict[str, str]) -> str:
    digest = hashlib.sha256(
        "\n".join([code_version(), *(language.version() for language in LANGUAGES)]).encode()
    )
    for path, blob in sorted(blobs.items()):
        digest.update(f"\0{path}\0{blob}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _read(root: Path, file: TreeFile, skipped: list[SkippedFile]) -> bytes | None:
    try:
        return read_source(root, file)
    except FileRefused as refusal:
        skipped.append(SkippedFile(escaped(file.path), str(refusal)))
        return None


def _facts(
    root: Path,
    blobs: dict[str, str],
    contents: dict[str, bytes],
    cache: RegistryCache | None,
    skipped: list[SkippedFile],
) -> tuple[dict[str, FileFacts], int, bool]:
    """Facts of all files, how many came from the cache, and whether the next run would read the same."""
    keys = {path: _facts_key(path, blob) for path, blob in blobs.items()}
    stored = cache.facts(keys.values()) if cache is not None else {}
    facts: dict[str, FileFacts] = {}
    for path, key in keys.items():
        if key in stored:
            try:
                facts[path] = from_bytes(stored[key], FileFacts)
            except RowsInvalid:
                del stored[key]
    reused = len(facts)
    missing = _sources(root, keys, contents, facts.keys(), skipped)
    fresh: dict[str, bytes] = {}
    lasting = True
    for path, key, read in _extracted(missing):
        if isinstance(read, FileUnfit):
            skipped.append(SkippedFile(escaped(path), str(read)))
            lasting = lasting and not isinstance(read, TooSlow)
        else:
            facts[path] = read
            if cache is not None:
                fresh[key] = to_bytes(read)
    if cache is not None:
        cache.store_facts(fresh)
    return facts, reused, lasting


def _facts_key(path: str, blob: str) -> str:
    language = language_of(path)
    return f"{language.version() if language is not None else ''}:{blob}"


def _sources(
    root: Path,
    keys: dict[str, str],
    contents: dict[str, bytes],
    known: Iterable[str],
    skipped: list[SkippedFile],
) -> list[_Source]:
    have = set(known)
    found: list[_Source] = []
    for path, key in keys.items():
        if path in have:
            continue
        data = contents.pop(path, None) or _read(root, TreeFile(path, None), skipped)
        if data is not None:
            found.append(_Source(path, key, data))
    return found


def _extracted(sources: list[_Source]) -> Iterator[tuple[str, str, FileFacts | FileUnfit]]:
    if sum(len(source.data) for source in sources) < WORTH_TWO_PROCESSES:
        for source in sources:
            yield source.path, source.key, _extract(source)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for source, read in zip(sources, pool.map(_extract, sources, chunksize=32), strict=True):
            yield source.path, source.key, read


def _extract(source: _Source) -> FileFacts | FileUnfit:
    """Facts of a file, or the reason why there are none."""
    language = language_of(source.path)
    if language is None:
        return FileUnfit("no language")
    try:
        return language.extract(source.data)
    except FileUnfit as unfit:
        return unfit
    except RecursionError:
        return TooDeep("nested too deep to be read")


def _link(facts: dict[str, FileFacts], report: BuildReport) -> Registry:
    paths = frozenset(facts)
    parts = []
    for language in LANGUAGES:
        files = {path: found for path, found in facts.items() if language_of(path) is language}
        if files:
            parts.append(assemble(language, files, paths))
    return Registry(
        symbols=[entry for part in parts for entry in part.symbols],
        routes=[entry for part in parts for entry in part.routes],
        fields=[entry for part in parts for entry in part.fields],
        settings=[entry for part in parts for entry in part.settings],
        options=[entry for part in parts for entry in part.options],
        edges=[edge for part in parts for edge in part.edges],
        report=report,
    )
