"""A folder without git, read as if it were a tree: every file has the id that git would give its content."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.code_registry.text.exclusions import LARGEST, name_reason
from pipeline.code_registry.text.git_objects import GitTreeEntry

_IGNORED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", "site-packages"}
)


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
        for folder, folders, names in os.walk(self.directory, followlinks=False):
            folders[:] = sorted(name for name in folders if name not in _IGNORED_FOLDERS)
            for name in sorted(names):
                file = Path(folder) / name
                path = file.relative_to(self.directory).as_posix()
                size = file.lstat().st_size
                if (
                    file.is_symlink()
                    or not file.is_file()
                    or name_reason(path, size, manifests=()) is not None
                    or size > LARGEST
                ):
                    continue
                data = file.read_bytes()
                blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
                self._files[blob] = path
                entries.append(GitTreeEntry(path, blob, size))
        return sorted(entries)

    def contents(self, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of some files, by their ids."""
        for blob in blobs:
            yield blob, (self.directory / self._files[blob]).read_bytes()
