"""How far something is that takes more than a moment."""

from collections.abc import Callable

OnProgress = Callable[[int, int], None]
"""Called with how many files were read, and how many are to be read; at the end both are the same."""


def ignore_progress(count: int, total: int) -> None:
    """For those who do not watch."""
