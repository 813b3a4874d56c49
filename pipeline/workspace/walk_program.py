"""List or search the files of a tree. A program of its own, because nothing else can end a regular expression that hangs.

Run by `looking` with nothing but the standard library, as `ROOT QUERY` with the query as JSON. It prints one JSON
document: what was found, and whether there is more. Links are neither followed nor listed.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from typing import Any

LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".pytest_cache", ".tox"})
"""Folders that no person wrote."""

_MAX_FILES = 100_000
_MAX_FILE_BYTES = 1 << 20
_LINE_LENGTH = 300
_BEFORE_MATCH = 80
"""Characters of a long line that are shown before what matches: the line of a bundle may have a million."""


def paths_of(root: str) -> Iterator[tuple[str, int, str]]:
    """Path, folder (open) and name of every plain file, in the order of their names."""
    file_count = 0
    for place, folders, names, descriptor in os.fwalk(root):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT or is_of_sources(name, names))
        for name in sorted(names):
            file_count += 1
            if file_count > _MAX_FILES:
                return
            if stat.S_ISREG(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
                yield os.path.relpath(os.path.join(place, name), root), descriptor, name  # noqa: PTH118 - no Path: 10 times as slow


def is_of_sources(folder: str, siblings: Sequence[str]) -> bool:
    """Whether a folder `node_modules` holds sources: npm needs a `package.json` next to it, and there is none."""
    return folder == "node_modules" and "package.json" not in siblings


def lines_of(folder: int, name: str) -> list[str]:
    """The lines of a text file; none of a file that is no text, or too large."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return []
    with os.fdopen(file, "rb") as stream:
        data = stream.read(_MAX_FILE_BYTES + 1)
    if len(data) > _MAX_FILE_BYTES or b"\0" in data[:8192]:
        return []
    return data.decode("utf-8", "replace").splitlines()


def excerpt(line: str, at: int) -> str:
    """A line; of a long one the part around a position."""
    if len(line) <= _LINE_LENGTH:
        return line
    start = max(0, at - _BEFORE_MATCH)
    return f"{'…' if start else ''}{line[start : start + _LINE_LENGTH]}…"


def search(root: str, query: dict[str, Any]) -> dict[str, Any]:
    """Up to `most` paths, or lines that match the pattern."""
    glob = re.compile(query["glob"])
    pattern = None if query["pattern"] is None else re.compile(query["pattern"])
    results: list[Any] = []
    for path, folder, name in paths_of(root):
        if not glob.fullmatch(path):
            continue
        hits: Iterator[Any] = iter([path])
        if pattern is not None:
            lines = enumerate(lines_of(folder, name), start=1)
            hits = (
                (path, number, excerpt(line, match.start()))
                for number, line in lines
                if (match := pattern.search(line)) is not None
            )
        for hit in hits:
            if len(results) == query["most"]:
                return {"found": results, "more": True}
            results.append(hit)
    return {"found": results, "more": False}


if __name__ == "__main__":
    json.dump(search(sys.argv[1], json.loads(sys.argv[2])), sys.stdout)
