"""Which files a tree has, and their content: links are never followed, nothing too big or not text is read."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from posixpath import dirname
from typing import NamedTuple

from pipeline.domain.errors import RepositoryUnreadable
from pipeline.git import run_git

LARGEST = 1_000_000
"""Bytes of a file beyond which it is no source that a person wrote."""
LONGEST_LINE_ON_AVERAGE = 200
_BUNDLES = (
    b"webpackBootstrap",
    b"__webpack_require__",
    b"typeof exports === 'object' && typeof module !== 'undefined'",
)
"""Words at the beginning of scripts that bundlers write."""
_HEAD = 2_000
_IGNORED_FOLDERS = frozenset(
    ".git .hg .svn node_modules __pycache__ .venv venv .tox .mypy_cache site-packages".split()
)
_OUTSIDE_OF_GIT = "fatal: not a git repository (or any "
"""What git says, in English, where neither a directory nor one above it is a checkout."""


class FileRefused(Exception):
    """A file that is not read, and why."""


class _NoGitListing(Exception):
    """Git does not list the files of a directory, and why."""


class FileTree(NamedTuple):
    """The files of a directory by path, each with git's id of its content where git knows it to be unchanged, and what was said
    while listing them.
    """

    files: Mapping[str, str | None]
    notes: tuple[str, ...]


def list_tree(root: Path, is_wanted: Callable[[str], bool], names: Iterable[str]) -> FileTree:
    """All wanted files below `root`, sorted. Git says what is ignored; without git every folder is walked.

    `names` are patterns that the names of all wanted files fit: git is not asked for others.

    Raises:
        RepositoryUnreadable: `root` is not a directory that may be read.
    """
    try:
        if not root.is_dir():
            raise RepositoryUnreadable(
                f"{root} is not a directory.", what_to_do="Name the checkout: --repository path/to/checkout"
            )
        with os.scandir(root):
            pass
    except OSError as error:
        raise RepositoryUnreadable(f"{root} cannot be read.", why=str(error)) from error
    notes: tuple[str, ...] = ()
    try:
        blobs_by_path = _from_git(root, [f"*{name.removeprefix('*')}" for name in names])
    except _NoGitListing as refusal:
        blobs_by_path = dict.fromkeys(walk(root))
        notes = (f"{refusal}: every folder was walked",)
    return FileTree({path: blob for path, blob in sorted(blobs_by_path.items()) if is_wanted(path)}, notes)


class FileSources:
    """Reads the files of a tree. Where a folder leads is looked up once for all its files: that costs more than to read one."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._real = os.path.realpath(root).rstrip("/")
        self._inside: dict[str, bool] = {}

    def read(self, file: str) -> bytes:
        """Content of a file inside the tree.

        Raises:
            FileRefused: a link, not a regular file, outside the tree, too big, not text, minified, or not readable.
        """
        path = f"{self._root}/{file}"
        try:
            if not self._is_inside(dirname(file)):
                raise FileRefused("behind a link")
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            is_link = Path(path).is_symlink()
            raise FileRefused("a link" if is_link else f"not readable: {error.strerror}") from error
        return _content(descriptor)

    def _is_inside(self, folder: str) -> bool:
        """Whether a folder is where its path says, and no link leads to it."""
        is_inside = self._inside.get(folder)
        if is_inside is None:
            real = os.path.realpath(f"{self._root}/{folder}")
            is_inside = self._inside[folder] = real == os.path.normpath(f"{self._real}/{folder}")
        return is_inside


def _content(descriptor: int) -> bytes:
    # By the calls of the system: to make a stream for each file costs more than to read the file.
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileRefused("not a regular file")
        if status.st_size > LARGEST:
            raise FileRefused(f"{status.st_size} bytes, more than {LARGEST}")
        data = os.read(descriptor, status.st_size)
    finally:
        os.close(descriptor)
    check_source(data)
    return data


def check_source(data: bytes) -> None:
    """Raise `FileRefused` for content that no person wrote as source: not text, a bundle, or minified."""
    if b"\0" in data[:8192]:
        raise FileRefused("binary")
    if any(mark in data[:_HEAD] for mark in _BUNDLES):
        raise FileRefused("a bundle of other sources")
    if len(data) > LONGEST_LINE_ON_AVERAGE * (data.count(b"\n") + 1):
        raise FileRefused("lines too long for source that a person wrote")


def blob_id(data: bytes) -> str:
    """Git's id of a content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _from_git(root: Path, patterns: Sequence[str]) -> dict[str, str | None]:
    """Paths below `root` with the blob ids of unchanged files.

    Raises:
        _NoGitListing: git fails here, or ignores the whole directory.
    """
    commands = (
        ("ls-files", "-z", "--stage"),
        ("diff-files", "-z", "--name-only", "--relative", "--ignore-submodules=all"),
        ("ls-files", "-z", "--others", "--exclude-standard"),
    )
    staged_rows, changed_paths, untracked_paths = _git(
        root, [(*command, "--", *patterns) for command in commands]
    )
    blobs_by_path: dict[str, str | None] = {}
    for row in staged_rows:
        head, _, path = row.partition("\t")
        mode, blob, _ = head.split(" ")
        if mode.startswith("100"):
            blobs_by_path[path] = blob
    for path in (*changed_paths, *untracked_paths):
        if path.endswith("/"):
            continue
        if (root / path).is_file():
            blobs_by_path[path] = None
        else:
            blobs_by_path.pop(path, None)
    # A tree of other languages has none of the wanted files. A folder that git ignores has none at all in git's eyes.
    if not blobs_by_path and not any(
        _git(root, [("ls-files", "-z", "--cached", "--others", "--exclude-standard")])
    ):
        raise _NoGitListing("git lists no file here")
    return blobs_by_path


def _git(root: Path, commands: Sequence[Sequence[str]]) -> list[list[str]]:
    """What git answers to several commands, which run at the same time.

    Raises:
        _NoGitListing: one of them failed.
    """
    with ThreadPoolExecutor(len(commands)) as aside:
        try:
            runs = [aside.submit(_answer, root, command) for command in commands]
            return [run.result() for run in runs]
        except RepositoryUnreadable as error:
            raise _NoGitListing(f"git could not be run ({error.why})") from error


def _reason(complaint: bytes) -> str:
    """Why git refuses: a work tree whose repository is elsewhere, or one of another user, is a checkout all the same."""
    first_line = complaint.decode("utf-8", "replace").strip().partition("\n")[0]
    if not first_line or first_line.startswith(_OUTSIDE_OF_GIT):
        return "not a git checkout"
    return f"git cannot list the files ({first_line})"


def _answer(root: Path, command: Sequence[str]) -> list[str]:
    process = run_git(root, *command)
    if process.returncode != 0:
        raise _NoGitListing(_reason(process.stderr))
    return [row for row in process.stdout.decode("utf-8", "surrogateescape").split("\0") if row]


def walk(root: Path) -> Iterator[str]:
    """The paths of all files below a folder, without those of tools. Links are not followed."""
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in _IGNORED_FOLDERS)
        inside = Path(folder).relative_to(root).as_posix()
        yield from (name if inside == "." else f"{inside}/{name}" for name in sorted(names))
