"""Read a small file that other people wrote, and nothing that only looks like one."""

import errno
import os
import stat
from pathlib import Path


def read_plain_file(path: Path, limit: int) -> bytes:
    """The content of a regular file, cut after `limit` bytes. A pipe or a device, which may never end, is refused.

    Raises:
        FileNotFoundError: there is nothing of that name.
        OSError: it is a link that leads nowhere, no regular file, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError as error:
        if path.is_symlink():
            raise OSError(errno.ELOOP, "It is a link that leads nowhere", str(path)) from error
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        text = os.strerror(number) if stat.S_ISDIR(mode) else "It is no regular file"
        raise OSError(number, text, str(path))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit)
