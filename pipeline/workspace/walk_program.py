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
from itertools import zip_longest
from typing import Any, TypeAlias

LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".pytest_cache", ".tox"})
"""Folders that no person wrote."""

LONGEST = 500
"""Characters of a glob, or of a pattern."""

_MAX_FILES = 100_000
_MAX_FILE_BYTES = 1 << 20
_LINE_LENGTH = 300
_BEFORE_MATCH = 80
"""Characters of a long line that are shown before what matches: the line of a bundle may have a million."""

_Parts: TypeAlias = "list[str | list[_Parts]]"


class Glob:
    """A pattern of paths.

    `*` and `?` stay within a name, `**` goes through folders, `{ts,tsx}` is one of its alternatives, `{js,{ts,tsx}}` too,
    and a glob without `/` fits names at any depth. Square brackets stand for themselves: folders are named `[slug]`.
    """

    def __init__(self, glob: str) -> None:
        plain = glob.removeprefix("./")
        self._parts = _parts_of(plain if "/" in plain else f"**/{plain}")

    def fits(self, path: str) -> bool:
        """Whether it fits a whole path. Each part passes over the path once, so no glob takes exponential time."""
        return len(path) in _ends(self._parts, path, {0})


def _parts_of(glob: str) -> _Parts:
    """Wildcards, texts, and groups of alternatives. A brace without a partner, and one without a comma, stand for themselves."""
    groups: list[list[_Parts]] = [[[]]]
    for part in re.findall(r"\*\*/|\*\*|[*?{},]|[^*?{},]+", glob):
        if part == "{":
            groups.append([[]])
        elif part == "," and len(groups) > 1:
            groups[-1].append([])
        elif part == "}" and len(groups) > 1:
            group = groups.pop()
            groups[-1][-1] += [group] if len(group) > 1 else ["{", *group[0], "}"]
        else:
            groups[-1][-1].append(part)
    parts, *unclosed = groups
    for group in unclosed:
        for sign, alternative in zip_longest("{", group, fillvalue=","):
            parts[-1] += [sign, *alternative]
    return parts[0]


def _ends(parts: _Parts, path: str, starts: set[int]) -> set[int]:
    """Where in the path these parts can end, if they start at one of these positions."""
    ends = starts
    for part in parts:
        from_first = range(min(ends, default=len(path)), len(path))
        match part:
            case list():
                ends = set().union(*(_ends(alternative, path, ends) for alternative in part))
            case "**/" | "**":
                ends = ends | {at + 1 for at in from_first if part == "**" or path[at] == "/"}
            case "*":
                ends = set(ends)
                ends.update(at + 1 for at in from_first if at in ends and path[at] != "/")
            case "?":
                ends = {at + 1 for at in ends if path[at : at + 1] not in ("", "/")}
            case _:
                ends = {at + len(part) for at in ends if path.startswith(part, at)}
    return ends


def paths_of(root: str) -> Iterator[tuple[str, int, str]]:
    """Path, folder (open) and name of every plain file, in the order of their names."""
    file_count = 0
    for place, folders, names, descriptor in os.fwalk(root):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT or is_of_sources(name, names))
        for name in sorted(names):
            file_count += 1
            if file_count > _MAX_FILES:
                return
            path = os.path.relpath(os.path.join(place, name), root)  # noqa: PTH118 - no Path: 10 times as slow
            is_one_line = len(path.splitlines()) == 1  # another would write a line of the answer
            if is_one_line and stat.S_ISREG(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
                yield path, descriptor, name


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
    glob = Glob(query["glob"])
    pattern = None if query["pattern"] is None else re.compile(query["pattern"])
    results: list[Any] = []
    for path, folder, name in paths_of(root):
        if not glob.fits(path):
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
