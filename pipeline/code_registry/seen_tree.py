"""A tree as it was seen when indexing it began: its files, their contents by id, and what is left out of it."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.code_registry.all_languages import language_of, source_names
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.entries import BuildReport, FileFailure, SkippedFile
from pipeline.code_registry.facts import is_text
from pipeline.code_registry.paths import escaped, is_vendored
from pipeline.code_registry.reading import Refused
from pipeline.code_registry.tree import FileRefused, Sources, blob_id, list_tree


@dataclass
class SeenTree:
    """The files of a tree. `blobs`: their ids; `hashed`: the files whose ids are not git's word."""

    root: Path
    notes: list[str]
    blobs: dict[str, str] = field(default_factory=dict)
    hashed: set[str] = field(default_factory=set)
    failures: list[FileFailure] = field(default_factory=list)
    _skipped: dict[SkippedFile, None] = field(default_factory=dict)
    _started: float = field(default_factory=time.perf_counter)

    def skip(self, path: str, reason: str) -> None:
        """Leave a file out."""
        self._skipped[SkippedFile(escaped(path), reason)] = None

    def refuse(self, refused: Refused) -> None:
        """Leave out a file that could not be read."""
        self.skip(refused.path, refused.reason)
        if refused.failure is not None:
            self.failures.append(refused.failure)

    def skip_as(self, known: tuple[SkippedFile, ...]) -> None:
        """Leave out what was left out before."""
        self._skipped.update(dict.fromkeys(known))

    @property
    def skipped(self) -> tuple[SkippedFile, ...]:
        """What is left out, by path."""
        return tuple(sorted(self._skipped, key=lambda skip: skip.path))

    def report(self, reused: int, cache: RegistryCache | None) -> BuildReport:
        """What it took up to now."""
        said = (*self.notes, *(cache.notes if cache is not None else ()))
        return BuildReport(len(self.blobs), reused, self.skipped, time.perf_counter() - self._started, said)


def look_at(root: Path) -> SeenTree:
    """List the files of a tree, and hash those that git has no word on.

    Raises:
        RepositoryUnreadable: `root` is not a directory that may be read.
    """
    started = time.perf_counter()
    listed = list_tree(root, lambda path: language_of(path) is not None, source_names())
    tree = SeenTree(root, list(listed.notes), _started=started)
    sources = Sources(root)
    files = [file for file in listed.files if not is_vendored(file.path)]
    vendored = len(listed.files) - len(files)
    if vendored:
        tree.notes.append(f"copies of other people's code and bundles were left out: {vendored} files")
    for file in files:
        if not is_text(file.path):
            tree.skip(file.path, "a name that is no text")
            continue
        if file.blob is not None:
            tree.blobs[file.path] = file.blob
            continue
        try:
            tree.blobs[file.path] = blob_id(sources.read(file.path))
        except FileRefused as refusal:
            tree.skip(file.path, str(refusal))
        else:
            tree.hashed.add(file.path)
    return tree
