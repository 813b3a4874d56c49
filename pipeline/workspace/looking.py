"""Find files by their names, and lines by a pattern, in bounded time."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pipeline.workspace.paths import CallRefused
from pipeline.workspace.walk_program import LONGEST

_PROGRAM = Path(__file__).with_name("walk_program.py")
_SECONDS = 20.0
_MOST_LINES = 200
_MOST_FILES = 2_000


@dataclass(frozen=True)
class Line:
    """A line that matches. Lines count from 1; a long one is cut."""

    path: str
    number: int
    text: str


@dataclass(frozen=True)
class SearchResult:
    """Files or lines, by the names of their files; `has_more` says that there are others that are not shown."""

    items: tuple[str | Line, ...]
    has_more: bool

    def for_model(self) -> str:
        """One a line, as other tools print them."""
        lines = [
            item if isinstance(item, str) else f"{item.path}:{item.number}:{item.text}" for item in self.items
        ]
        if self.has_more:
            lines.append(f"(There are more than these {len(self.items)}. Say it more precisely.)")
        return "\n".join(lines) or "(Nothing.)"


def list_files(root: Path, glob: str | None = None, *, seconds: float = _SECONDS) -> SearchResult:
    """Files whose path fits the glob; all without one. Folders that tools made (`node_modules` with a `package.json` …) are left out.

    Raises:
        Refused: the glob cannot be read, or takes too long.
    """
    return _walk(root, None, glob, _MOST_FILES, seconds)


def search(root: Path, pattern: str, glob: str | None = None, *, seconds: float = _SECONDS) -> SearchResult:
    """Lines in which a regular expression is found, of files whose path fits the glob.

    Raises:
        Refused: the pattern is no regular expression, or takes too long.
    """
    if not pattern or len(pattern) > LONGEST:
        raise CallRefused(f"A pattern has 1 to {LONGEST} characters.")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise CallRefused(
            f"{pattern!r} is no regular expression: {error}. For the plain text write {re.escape(pattern)!r}."
        ) from error
    return _walk(root, pattern, glob, _MOST_LINES, seconds)


def _walk(root: Path, pattern: str | None, glob: str | None, limit: int, seconds: float) -> SearchResult:
    if glob is not None and (not glob or len(glob) > LONGEST):
        raise CallRefused(f"A glob has 1 to {LONGEST} characters, such as `src/**/*.py`.")
    query = {"glob": glob or "**", "pattern": pattern, "most": limit}
    try:
        process = subprocess.run(
            [sys.executable, "-I", "-S", str(_PROGRAM), str(root), json.dumps(query)],
            env={"LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        action = f"Listing the files of {glob or '**'}" if pattern is None else f"The search for {pattern!r}"
        raise CallRefused(
            f"{action} took longer than {seconds:g} s. Name a folder in the glob, such as `src/**`, or take a simpler pattern."
        ) from error
    if process.returncode != 0:
        raise CallRefused(f"The tree cannot be searched: {process.stderr.decode('utf-8', 'replace')[-300:]}")
    answer = json.loads(process.stdout)
    items = tuple(item if isinstance(item, str) else Line(*item) for item in answer["found"])
    return SearchResult(items, answer["more"])
