"""The changes in a worktree: every file that differs from the commit, whole.

The commit is compared with the bytes that lie in the tree, read the way tools read them. Git's index is not asked what
changed, and no filter or attribute runs, because code of the repository may have been there. Git is asked one thing
only: which new files its `.gitignore` leaves out.
"""

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pipeline.contract.change import FileChange, FileMode
from pipeline.contract.change_check import MAX_FILES
from pipeline.domain.errors import ChangeRefused
from pipeline.workspace.paths import CallRefused, Content, WorkspaceTree, parts_of
from pipeline.workspace.worktree import Worktree

_LINK, _SUBMODULE = "120000", "160000"
_MOST_REASONS = 20


@dataclass(frozen=True)
class _Entry:
    """A file of the commit: git's mode, and the id of its content."""

    mode: str
    blob: str


@dataclass
class Difference:
    """The findings: changed files, and files that may not leave the tree."""

    files: list[FileChange] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


def changed_files(worktree: Worktree) -> tuple[FileChange, ...]:
    """Every file that differs from the commit, as it lies in the tree now.

    Raises:
        ChangeRefused: something is among them that may not leave the tree.
    """
    changes = difference(worktree)
    if changes.refusals:
        raise _refusal(changes.refusals)
    return tuple(changes.files)


def difference(worktree: Worktree) -> Difference:
    """Every difference to the commit, by path."""
    tree = WorkspaceTree(worktree.tree)
    entries = dict(_entries(worktree))
    result = Difference()
    new_files = worktree.git("ls-files", "-z", "--others", "--exclude-standard").split(b"\0")
    for path in sorted({*entries, *map(os.fsdecode, filter(None, new_files))}):
        if len(result.files) > MAX_FILES:
            result.refusals.append(f"more than {MAX_FILES} files differ")
            break
        if not _can_be_named(path):
            # One of the commit cannot have been changed by a tool, and a change by anything else must not be published.
            if path not in entries:
                result.refusals.append(f"{path!r} is no name that a change can hold")
            continue
        try:
            change = _file_change(tree, path, entries.get(path))
        except CallRefused as refusal:
            result.refusals.append(str(refusal))
            continue
        if change is not None:
            result.files.append(change)
    return result


def restore(worktree: Worktree, files: Iterable[FileChange]) -> None:
    """Make the tree the commit with these changes on top, whatever was in it: a round begins where another one ended.

    Raises:
        ChangeRefused: a file cannot be written where it should be.
        RepositoryUnreadable: git cannot read the commit any more.
    """
    worktree.reset()
    tree = WorkspaceTree(worktree.tree)
    try:
        for file in files:
            if file.content is None:
                tree.remove(file.path)
        for file in files:
            if file.content is not None:
                tree.write(file.path, Content(file.content, file.mode == "100755"))
    except CallRefused as refusal:
        raise _refusal([str(refusal)]) from refusal


def blobs_of(worktree: Worktree) -> dict[str, str]:
    """Git's ids of the commit's plain files, by path."""
    entries = _entries(worktree)
    return {path: entry.blob for path, entry in entries if entry.mode not in (_LINK, _SUBMODULE)}


def _file_change(tree: WorkspaceTree, path: str, entry: _Entry | None) -> FileChange | None:
    """The current file, or None where it equals that of the commit."""
    if entry is not None and not tree.exists(path):
        return None if entry.mode == _SUBMODULE else FileChange(path=path, content=None)
    if entry is not None and entry.mode == _SUBMODULE:
        return None
    target = tree.link_target(path)
    if entry is not None and entry.mode == _LINK:
        if target is not None and _blob(os.fsencode(target)) == entry.blob:
            return None
        raise CallRefused(f"{path} was a link and is changed; links are changed by people.")
    if entry is not None:
        blob, executable = tree.blob(path)
        if (entry.blob, entry.mode == "100755") == (blob, executable):
            return None
    content = tree.read(path)
    mode: FileMode = "100755" if content.executable else "100644"
    return FileChange(path=path, mode=mode, content=base64.b64encode(content.data))


def _entries(worktree: Worktree) -> Iterator[tuple[str, _Entry]]:
    """What the commit holds, by path."""
    for line in worktree.git("ls-tree", "-r", "-z", "--full-tree", worktree.commit).split(b"\0"):
        if line:
            head, _, path = line.partition(b"\t")
            mode, _, blob = head.decode().split(" ")
            yield os.fsdecode(path), _Entry(mode, blob)


def _can_be_named(path: str) -> bool:
    try:
        path.encode("utf-8")
        parts_of(path)
    except (UnicodeEncodeError, CallRefused):
        return False
    return True


def _blob(data: bytes) -> str:
    """Git's id of a content, such as the text of a link."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _refusal(reasons: list[str]) -> ChangeRefused:
    more_line = [f"and {len(reasons) - _MOST_REASONS} more"] if len(reasons) > _MOST_REASONS else []
    return ChangeRefused(
        "The change may not leave the worktree.",
        why="\n".join([*reasons[:_MOST_REASONS], *more_line]),
        what_to_do="Make such changes by hand, or say in the ticket how it can be done without them.",
    )
