"""Errors of askfirst's own readers: one costs the file that was being read, and the run says which."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.code_registry.entries import FileFailure
from pipeline.code_registry.paths import escape_path

FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What wrong code raises. A full disk, an interrupt or a lack of memory is none of them and ends the run."""
LONGEST_MESSAGE = 200
MOST_FRAMES = 12
_ROOM = Path(__file__).parent


class FailureLog:
    """Collects the failures of one build."""

    def __init__(self) -> None:
        self._failures: dict[FileFailure, None] = {}

    @property
    def failures(self) -> tuple[FileFailure, ...]:
        """All failures, each once, by path."""
        return tuple(sorted(self._failures, key=lambda failure: (failure.path, failure.traceback)))

    @contextmanager
    def reading(self, path: str) -> Iterator[None]:
        """A failure inside is noted for the file, and the build goes on."""
        try:
            yield
        except FAULTS as error:
            self._failures[failure_of(path, error)] = None


def failure_of(path: str, error: Exception) -> FileFailure:
    """A failure as data. Its traceback names our own files and lines only: no path of the machine, no value of a variable.

    Frames that repeat, as in a recursion without end, stand once.
    """
    frames = [
        f"{_place(frame.filename)}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    newest_frames = list(dict.fromkeys(reversed(frames)))[:MOST_FRAMES]
    message = escape_path(f"{type(error).__name__}: {error}")[:LONGEST_MESSAGE]
    return FileFailure(escape_path(path), message, tuple(reversed(newest_frames)))


def _place(filename: str) -> str:
    path = Path(filename)
    inside = path.is_relative_to(_ROOM)
    return f"pipeline/code_registry/{path.relative_to(_ROOM).as_posix()}" if inside else path.name
