"""Build the registry of a directory: list, read what is new, link, and keep the result for the next run."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pipeline.code_registry.all_languages import LANGUAGES
from pipeline.code_registry.entries import BuildReport, SkippedFile, Value
from pipeline.code_registry.indexing import IndexedTree
from pipeline.code_registry.reading import ReadFiles, read_apart
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.rows import (
    LoadSection,
    RowsInvalid,
    Sections,
    code_version,
    from_bytes,
    to_bytes,
)
from pipeline.code_registry.seen_tree import SeenTree, look_at
from pipeline.code_registry.store import IndexStore, StoreDamaged
from pipeline.code_registry.tree import FileRefused, FileSources
from pipeline.domain.collector import without_collector

__all__ = ["BuildReport", "build_registry"]


class _RegistryHeader(Value, frozen=True):
    """What the cache keeps of a tree besides its entries. `parts`: how many parts the entries of each kind have."""

    skipped: tuple[SkippedFile, ...]
    parts: dict[str, int]


def build_registry(root: Path, *, cache: IndexStore | None, read: ReadFiles = read_apart) -> Registry:
    """The registry of the tree at `root`, as it lies on the disk, changed files included.

    Nothing of the tree is imported or run. Files that cannot be read are skipped and listed in `registry.report`. `read`
    reads files, in processes of their own if nothing else is said.

    Raises:
        ParserUnavailable: no process can be started that reads sources.
        RepositoryUnreadable: `root` is not a directory that may be read.
    """
    with without_collector():
        tree = look_at(root)
        return open_known(tree, cache, read) or _build(tree, cache, read)


def _build(tree: SeenTree, cache: IndexStore | None, read: ReadFiles) -> Registry:
    index = IndexedTree(tree, cache, read)
    sections = index.entries()
    if cache is not None and index.lasting:
        header = _RegistryHeader(
            tree.skipped_files, {kind: len(kind_parts) for kind, kind_parts in sections.items()}
        )
        with suppress(StoreDamaged):
            cache.store_registry(_tree_key(tree.blobs), to_bytes(header), sections)
    report = tree.report(index.reused_count, cache)
    return Registry(lambda kind: sections.get(kind, ()), report, _reader(tree.root), index)


def open_known(tree: SeenTree, cache: IndexStore | None, read: ReadFiles = read_apart) -> Registry | None:
    """The registry that the cache has of a tree in exactly this state; its entries are read when somebody asks."""
    if cache is None:
        return None
    key = _tree_key(tree.blobs)
    header = _read_header(cache, key, tree.notes)
    if header is None:
        return None
    tree.skip_as(header.skipped)
    index = IndexedTree(tree, cache, read)
    load = _load(cache, key, header.parts, index)
    return Registry(load, tree.report(len(tree.blobs), cache), _reader(tree.root), index)


def _reader(root: Path) -> Callable[[str], bytes]:
    sources = FileSources(root)

    def read(path: str) -> bytes:
        try:
            return sources.read(path)
        except FileRefused:
            return b""

    return read


def _read_header(cache: IndexStore, key: str, notes: list[str]) -> _RegistryHeader | None:
    try:
        data = cache.load("registry", key)
        return None if data is None else from_bytes(data, _RegistryHeader)
    except RowsInvalid as error:
        notes.append(f"the stored registry was not readable and is built anew: {error}")
    except StoreDamaged:
        pass
    return None


def _load(cache: IndexStore, key: str, parts: Mapping[str, int], index: IndexedTree) -> LoadSection:
    """Entries from the cache. Where it has lost them since it was asked, the tree is linked again."""
    again: list[Sections] = []

    def load(kind: str) -> Sequence[bytes]:
        section_parts: Sequence[bytes] = ()
        with suppress(StoreDamaged):
            section_parts = cache.section(key, kind) if not again else ()
        if not again and len(section_parts) != parts.get(kind, 0):
            again.append(index.entries())
        return again[0].get(kind, ()) if again else section_parts

    return load


def _tree_key(blobs: dict[str, str]) -> str:
    digest = hashlib.sha256(
        "\n".join([code_version(), *(language.version() for language in LANGUAGES)]).encode()
    )
    for path, blob in sorted(blobs.items()):
        digest.update(f"\0{path}\0{blob}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
