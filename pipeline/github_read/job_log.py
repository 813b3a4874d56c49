"""A job of GitHub Actions and the end of its log, as a run sees them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

LARGEST_LOG = 64 << 20
"""Bytes of a log that are read at most; what failed stands at the end of all but absurd ones."""

KEPT_TAIL = 256 << 10
"""Bytes at the end of a log that are kept."""


@dataclass(frozen=True)
class WorkflowJob:
    """A job of a workflow run. `log` is the end of its log, as the tested code left it. `commit` is what it ran on."""

    name: str
    commit: str
    conclusion: str
    log: str


def tail(chunks: Iterable[bytes]) -> str:
    """The end of a stream as text; memory stays within `KEPT_TAIL` and two chunks, however much comes."""
    chunks_left: deque[bytes] = deque()
    size = read = 0
    for chunk in chunks:
        chunks_left.append(chunk)
        size += len(chunk)
        read += len(chunk)
        while size - len(chunks_left[0]) >= KEPT_TAIL:
            size -= len(chunks_left.popleft())
        if read >= LARGEST_LOG:
            break
    return b"".join(chunks_left)[-KEPT_TAIL:].decode("utf-8", "replace")
