"""Where a line of the commit is in the tree now: the index of the commit does not know later edits."""

import difflib
from collections.abc import Iterator, Mapping
from functools import cached_property

from pipeline.workspace.changes import blobs_of
from pipeline.workspace.paths import CallRefused, WorkspaceTree
from pipeline.workspace.worktree import Worktree

_Block = tuple[str, int, int, int, int]
"""An opcode of difflib: what became of the lines from-to before, and which lines they are now."""


class SinceCommit:
    """Relates the files of a commit to those of its worktree, which is read anew each time."""

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree
        self._tree = WorkspaceTree(worktree.tree)
        self._known: dict[tuple[str, str], list[_Block]] = {}

    @property
    def commit(self) -> str:
        """The commit, as short as people write it."""
        return self._worktree.commit[:7]

    def exists(self, path: str) -> bool:
        """Whether there is such a file now."""
        return self._tree.exists(path)

    def place(self, path: str, line: int) -> str:
        """The current `path:line`; where the line itself was edited, that it was."""
        blocks = self._blocks(path)
        if blocks is None:
            return f"{path}:{line}"
        for tag, start, end, begins, ends in blocks:
            if start < line <= end:
                if tag == "equal":
                    return f"{path}:{begins + line - start}"
                return f"{path}:{min(begins + 1, max(ends, 1))} (edited since)"
        return f"{path}:{line} (gone since)"

    def edited_lines(self, path: str) -> Iterator[tuple[int, int]]:
        """The commit's lines that were replaced or taken away, first and last; lines put in count as the one before."""
        for tag, start, end, _, _ in self._blocks(path) or ():
            if tag != "equal":
                yield (start + 1, end) if end > start else (start, start)

    def _blocks(self, path: str) -> list[_Block] | None:
        """What became of the file's lines; None where it is as in the commit, or was not in it."""
        before = self._blobs.get(path)
        try:
            now = self._tree.blob(path)[0]
            if before is None or before == now:
                return None
            if (path, now) not in self._known:
                self._known[path, now] = _compare(
                    self._worktree.git("cat-file", "blob", before), self._tree.read(path).data
                )
            return self._known[path, now]
        except CallRefused:
            return []

    @cached_property
    def _blobs(self) -> Mapping[str, str]:
        return blobs_of(self._worktree)


def _compare(before: bytes, now: bytes) -> list[_Block]:
    was, is_ = (data.decode("utf-8", "replace").splitlines() for data in (before, now))
    blocks: list[_Block] = list(difflib.SequenceMatcher(None, was, is_, autojunk=False).get_opcodes())
    return blocks
