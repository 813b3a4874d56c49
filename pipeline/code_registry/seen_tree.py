"""A tree as it was seen when indexing it began: its files, their contents by id, and what is left out of it."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.code_registry.all_languages import language_of, source_names
from pipeline.code_registry.entries import BuildReport, FileFailure, SkippedFile
from pipeline.code_registry.facts import is_text
from pipeline.code_registry.paths import escape_path, is_vendored
from pipeline.code_registry.store import IndexStore
from pipeline.code_registry.tree import FileRefused, FileSources, blob_id, list_tree


@dataclass
class SeenTree:
    """The files of a tree. `blobs`: their ids; `rehashed_paths`: the files whose ids are not git's word."""

    root: Path
    notes: list[str]
    blobs: dict[str, str] = field(default_factory=dict)
    rehashed_paths: set[str] = field(default_factory=set)
    failures: list[FileFailure] = field(default_factory=list)
    _skips: dict[SkippedFile, None] = field(default_factory=dict)
    _start_time: float = field(default_factory=time.perf_counter)

    def skip(self, path: str, reason: str) -> None:
        """Leave a file out."""
        self._skips[SkippedFile(escape_path(path), reason)] = None

    def refuse(self, path: str, reason: str, failure: FileFailure | None) -> None:
        """Leave out a file that could not be read."""
        self.skip(path, reason)
        if failure is not None:
            self.failures.append(failure)

    def skip_as(self, skipped_files: tuple[SkippedFile, ...]) -> None:
        """Leave out what was left out before."""
        self._skips.update(dict.fromkeys(skipped_files))

    @property
    def skipped_files(self) -> tuple[SkippedFile, ...]:
        """The skipped files, by path."""
        return tuple(sorted(self._skips, key=lambda skip: skip.path))

    def report(self, reused_count: int, cache: IndexStore | None) -> BuildReport:
        """What it took up to now."""
        notes = (*self.notes, *(cache.notes if cache is not None else ()))
        return BuildReport(
            len(self.blobs), reused_count, self.skipped_files, time.perf_counter() - self._start_time, notes
        )


def look_at(root: Path) -> SeenTree:
    """List the files of a tree, and hash those that git has no word on.

    Raises:
        RepositoryUnreadable: `root` is not a directory that may be read.
    """
    start_time = time.perf_counter()
    listing = list_tree(root, lambda path: language_of(path) is not None, source_names())
    tree = SeenTree(root, list(listing.notes), _start_time=start_time)
    sources = FileSources(root)
    files = {path: blob for path, blob in listing.files.items() if not is_vendored(path)}
    vendored_count = len(listing.files) - len(files)
    if vendored_count:
        tree.notes.append(f"copies of other people's code and bundles were left out: {vendored_count} files")
    for path, blob in files.items():
        if not is_text(path):
            tree.skip(path, "a name that is no text")
            continue
        if blob is not None:
            tree.blobs[path] = blob
            continue
        try:
            tree.blobs[path] = blob_id(sources.read(path))
        except FileRefused as refusal:
            tree.skip(path, str(refusal))
        else:
            tree.rehashed_paths.add(path)
    return tree
