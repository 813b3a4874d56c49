"""Open files inside one folder and nowhere else: component by component, never through a link, never into `.git`."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn
from uuid import uuid4

MAX_FILE_BYTES = 1 << 20
"""The largest file that is read or written. It is also the largest that a change may hold."""

_LONGEST = 1_000
_PIECE = 1 << 20
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class CallRefused(Exception):
    """A call that is not carried out. The message tells the caller what is wrong, and what would be right."""


@dataclass(frozen=True)
class Content:
    """A file as it lies in the tree."""

    data: bytes
    executable: bool


def parts_of(path: str) -> tuple[str, ...]:
    """The components of a path inside the tree. `./` in front is dropped, and nothing else is repaired.

    Raises:
        Refused: the path is empty, absolute, leads upwards or into `.git`, or cannot be a name.
    """
    plain = path.removeprefix("./")
    parts = plain.split("/")
    if not plain or len(plain) > _LONGEST or any(sign in plain for sign in "\0\n\\"):
        raise CallRefused(f"{path[:200]!r} is no path. Paths look like src/orders/service.py.")
    if plain.startswith("/") or {"", ".", ".."} & set(parts):
        raise CallRefused(
            f"{path!r} must be relative to the root of the repository, without `.` and `..` in it."
        )
    if any(is_git_folder(part) for part in parts):
        raise CallRefused(f"{path!r} leads into git's own folder, which is neither read nor written.")
    return tuple(parts)


def is_git_folder(name: str) -> bool:
    """Whether a file system could take the name for `.git`: some fold case, and some have short names."""
    return name.casefold().rstrip(" .") in {".git", "git~1"}


class WorkspaceTree:
    """The files of a worktree. Paths are relative, with `/`, as git writes them."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str, *, limit: int = MAX_FILE_BYTES) -> Content:
        """A whole file.

        Raises:
            Refused: there is no such file, it is a link or nothing plain, or it is larger than `limit` bytes.
        """
        with self._plain(path) as (file, status):
            data = file.read(limit + 1)
        if len(data) > limit:
            raise CallRefused(f"{path} is larger than {limit} bytes.")
        return Content(data, bool(status.st_mode & stat.S_IXUSR))

    def blob(self, path: str) -> tuple[str, bool]:
        """Git's id of a file's content, however large, and whether it is executable.

        Raises:
            Refused: there is no such file, or it is a link or nothing plain.
        """
        with self._plain(path) as (file, status):
            digest = hashlib.sha1(b"blob %d\0" % status.st_size, usedforsecurity=False)
            while piece := file.read(_PIECE):
                digest.update(piece)
        return digest.hexdigest(), bool(status.st_mode & stat.S_IXUSR)

    def write(self, path: str, content: Content) -> None:
        """Write a whole file in place of what is there, or a new one with its folders. It is whole or not at all.

        Raises:
            Refused: there is a link or something that is no file, on the way or at its end, or it is too large.
        """
        if len(content.data) > MAX_FILE_BYTES:
            raise CallRefused(f"{path} would be larger than {MAX_FILE_BYTES} bytes.")
        *folders, name = parts_of(path)
        with self._folder(folders, path, make=True) as folder:
            try:
                _check_plain(path, os.stat(name, dir_fd=folder, follow_symlinks=False))
            except FileNotFoundError:
                pass
            except OSError as error:
                _refuse(path, error)
            partial = f".{uuid4().hex}.partial"
            try:
                _write_new(partial, folder, content)
                os.rename(partial, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as error:
                with suppress(OSError):
                    os.unlink(partial, dir_fd=folder)
                _refuse(path, error)

    def remove(self, path: str) -> None:
        """Remove a file, or a link without what it points to; and folders that are empty then, as git does.

        Raises:
            Refused: there is none, it is a folder, or a link stands on the way.
        """
        *folders, name = parts_of(path)
        with self._folder(folders, path) as folder:
            try:
                os.unlink(name, dir_fd=folder)
            except OSError as error:
                _refuse(path, error)
        while folders:
            *folders, name = folders
            with self._folder(folders, path) as folder:
                try:
                    os.rmdir(name, dir_fd=folder)
                except OSError:
                    return  # not empty

    def exists(self, path: str) -> bool:
        """Whether anything has this name, a link too. Behind a link, and behind a file, there is nothing.

        Raises:
            Refused: the path itself is refused.
        """
        *folders, name = parts_of(path)
        try:
            with self._folder(folders, path) as folder:
                os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, _Missing):
            return False
        return True

    def link_target(self, path: str) -> str | None:
        """What a link says, or None where the path is no link.

        Raises:
            Refused: there is nothing of that name, or a link stands on the way.
        """
        *folders, name = parts_of(path)
        with self._folder(folders, path) as folder:
            try:
                return os.readlink(name, dir_fd=folder)
            except OSError as error:
                if error.errno == errno.EINVAL:
                    return None
                _refuse(path, error)

    @contextmanager
    def _plain(self, path: str) -> Iterator[tuple[BinaryIO, os.stat_result]]:
        """A plain file, opened for reading."""
        *folders, name = parts_of(path)
        with self._folder(folders, path) as folder:
            try:
                # Without O_NONBLOCK, opening a named pipe would wait for ever.
                file = os.open(
                    name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
                )
            except OSError as error:
                _refuse(path, error)
        try:
            status = os.fstat(file)
            _check_plain(path, status)
            with os.fdopen(file, "rb", closefd=False) as stream:
                yield stream, status
        finally:
            os.close(file)

    @contextmanager
    def _folder(self, folders: list[str], path: str, *, make: bool = False) -> Iterator[int]:
        """The folder of a file, opened from the root downwards so that no component can be a link."""
        here = os.open(self.root, _DIRECTORY)
        try:
            for name in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=here)
                try:
                    inner = os.open(name, _DIRECTORY, dir_fd=here)
                except OSError as error:
                    _refuse(path, error)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


class _Missing(CallRefused):
    """There is no such file."""


def _write_new(name: str, folder: int, content: Content) -> None:
    mode = 0o755 if content.executable else 0o644
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, mode, dir_fd=folder), "wb") as file:
        file.write(content.data)


def _check_plain(path: str, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise CallRefused(f"{path} is a link, and links are not followed. Name the file that it points to.")
    if stat.S_ISDIR(status.st_mode):
        raise CallRefused(f"{path} is a folder.")
    if not stat.S_ISREG(status.st_mode):
        raise CallRefused(f"{path} is no plain file.")
    if status.st_nlink > 1:
        # A second name may stand outside of the tree: what is read here could be somebody's password file.
        raise CallRefused(f"{path} is one of several names of the same file, which is refused like a link.")


def _refuse(path: str, error: OSError) -> NoReturn:
    match error.errno:
        case errno.ENOENT:
            raise _Missing(f"There is no {path}. list_files shows what there is.") from error
        case errno.ELOOP:
            raise CallRefused(f"{path} is or leads through a link, and links are not followed.") from error
        case errno.ENOTDIR:
            raise _Missing(f"{path} leads through a link or a file, where a folder must be.") from error
        case _:
            raise CallRefused(f"{path}: {error.strerror}.") from error
