"""A folder without git, read as if it were a tree: every file has the id that git would give its content."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.code_registry.text.exclusions import name_reason
from pipeline.code_registry.text.git_objects import GitTreeEntry
from pipeline.code_registry.tree import blob_id, walk


class Folder:
    """The files below a folder; none where `is_empty` says that what lies there is git's own. Links are not followed."""

    def __init__(self, directory: Path, *, is_empty: bool = False) -> None:
        self.directory = directory
        self._is_empty = is_empty
        self._files: dict[str, str] = {}

    def entries(self, _commit: str) -> list[GitTreeEntry]:
        """The files that may be read, by path."""
        entries: list[GitTreeEntry] = []
        if self._is_empty:
            return entries
        for path in walk(self.directory):
            file = self.directory / path
            size = file.lstat().st_size
            if not file.is_symlink() and file.is_file() and name_reason(path, size, manifests=()) is None:
                blob = blob_id(file.read_bytes())
                self._files[blob] = path
                entries.append(GitTreeEntry(path, blob, size))
        return sorted(entries)

    def contents(self, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of some files, by their ids."""
        for blob in blobs:
            yield blob, (self.directory / self._files[blob]).read_bytes()
