"""Build the registry of a directory: list, read what is new, link, and keep the result for the next run."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pipeline.code_registry.all_languages import LANGUAGES
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.entries import BuildReport, SkippedFile, Value
from pipeline.code_registry.parse_probe import Probe, probe_sources
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.rows import (
    LoadSection,
    RowsInvalid,
    code_version,
    from_bytes,
    join_sections,
    to_bytes,
)
from pipeline.code_registry.seen_tree import SeenTree, look_at
from pipeline.code_registry.tree import FileRefused, FileSources
from pipeline.domain.collector import without_collector

__all__ = ["BuildReport", "build_registry"]


class _RegistryHeader(Value, frozen=True):
    """What the cache keeps of a tree besides its entries. `parts`: how many parts the entries of each kind have."""

    skipped: tuple[SkippedFile, ...]
    parts: dict[str, int]


def build_registry(root: Path, *, cache: RegistryCache | None, probe: Probe = probe_sources) -> Registry:
    """The registry of the tree at `root`, as it lies on the disk, changed files included.

    Nothing of the tree is imported or run. Files that cannot be read are skipped and listed in `registry.report`.
    `probe` says which sources of a small tree the parser comes back from.

    Raises:
        ParserUnavailable: the probe does not start.
        RepositoryUnreadable: `root` is not a directory that may be read.
    """
    with without_collector():
        return _build(root, cache, probe)


def _build(root: Path, cache: RegistryCache | None, probe: Probe) -> Registry:
    tree = look_at(root)
    cached_registry = open_known(tree, cache, probe)
    if cached_registry is not None:
        return cached_registry
    from pipeline.code_registry.indexing import index_tree

    units, reused_count, lasting = index_tree(tree, cache, probe)
    sections = join_sections(unit.sections for unit in units)
    if cache is not None and lasting:
        key = _tree_key(tree.blobs)
        parts = {kind: len(kind_parts) for kind, kind_parts in sections.items()}
        named_units = [
            unit if unit.key else unit._replace(key=f"{key} {at}") for at, unit in enumerate(units)
        ]
        cache.store_registry(key, to_bytes(_RegistryHeader(tree.skipped_files, parts)), named_units)
    report = tree.report(reused_count, cache)
    return Registry(lambda kind: sections.get(kind, ()), report, _reader(root))


def open_known(tree: SeenTree, cache: RegistryCache | None, probe: Probe = probe_sources) -> Registry | None:
    """The registry that the cache has of a tree in exactly this state; its entries are read when somebody asks."""
    if cache is None:
        return None
    key = _tree_key(tree.blobs)
    header = _read_header(cache, key, tree.notes)
    if header is None:
        return None
    tree.skip_as(header.skipped)
    load = _load(tree.root, cache, key, header.parts, probe)
    return Registry(load, tree.report(len(tree.blobs), cache), _reader(tree.root))


def _reader(root: Path) -> Callable[[str], bytes]:
    sources = FileSources(root)

    def read(path: str) -> bytes:
        try:
            return sources.read(path)
        except FileRefused:
            return b""

    return read


def _read_header(cache: RegistryCache, key: str, notes: list[str]) -> _RegistryHeader | None:
    data = cache.registry(key)
    try:
        return None if data is None else from_bytes(data, _RegistryHeader)
    except RowsInvalid as error:
        notes.append(f"the stored registry was not readable and is built anew: {error}")
        return None


def _load(root: Path, cache: RegistryCache, key: str, parts: Mapping[str, int], probe: Probe) -> LoadSection:
    """Entries from the cache. Where it has lost them since it was asked, the tree is indexed again."""
    again: list[Registry] = []

    def load(kind: str) -> Sequence[bytes]:
        section_parts = cache.section(key, kind) if not again else None
        if section_parts is not None and len(section_parts) == parts.get(kind, 0):
            return section_parts
        if not again:
            again.append(build_registry(root, cache=None, probe=probe))
        return again[0].section_data(kind)

    return load


def _tree_key(blobs: dict[str, str]) -> str:
    digest = hashlib.sha256(
        "\n".join([code_version(), *(language.version() for language in LANGUAGES)]).encode()
    )
    for path, blob in sorted(blobs.items()):
        digest.update(f"\0{path}\0{blob}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
