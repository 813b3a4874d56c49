"""Landlock: this process, and whatever it starts, reaches the files of the given folders only.

It also hides the memory and environment of every process outside (`/proc/<pid>/environ`), and takes signals and abstract
sockets to them away. What a kernel does not know is left out; `version` says how much it knows.
"""

import ctypes
import os
import stat
import sys

from pipeline.confinement.kernel import libc, succeed

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_PATH_BENEATH = 1

_READ = 0b1101  # execute, read a file, read a folder
_READ_FOLDER = 0b1000
_WRITE = 0b1_1111_1111_1111 & ~(1 << 6 | 1 << 11)  # all of the first version but making devices
_ADDED_RIGHTS = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # refer, truncate, ioctl of devices: by version
_DEVICE = 0b110 | 1 << 14 | 1 << 15
_SCOPES = 0b11  # abstract sockets, signals
_SETTINGS, _PASSWORDS = "/etc", "/etc/shadow"
"""Who can read the second is root: capabilities are given up, but the files of root are still this user's own. Then only what
everybody may read of the first is readable."""


def version() -> int:
    """Version of the kernel's Landlock, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    number: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, number)


def restrict(readable: list[str], writable: list[str], devices: list[str]) -> None:
    """Restrict this process to these files and folders.

    Raises:
        OSError: the kernel knows Landlock and refuses; then nothing may be started.
    """
    landlock_version = version()
    if not landlock_version:
        return
    handled_rights = (1 << 13) - 1
    for since, right in _ADDED_RIGHTS.items():
        handled_rights |= right if landlock_version >= since else 0
    attributes = (ctypes.c_uint64 * 3)(handled_rights, 0, _SCOPES)
    size = 24 if landlock_version >= 6 else 8  # scopes came with the sixth version, behind what is not used
    ruleset = succeed(libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)))
    later = sum(_ADDED_RIGHTS.values())
    if _SETTINGS in readable and os.access(_PASSWORDS, os.R_OK):
        _allow(ruleset, _SETTINGS, _READ_FOLDER)
        readable = [path for path in readable if path != _SETTINGS] + (_public_parts(_SETTINGS) or [])
    for paths, rights in ((readable, _READ), (writable, _WRITE | later), (devices, _DEVICE)):
        for path in paths:
            _allow(ruleset, path, rights & handled_rights)
    succeed(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)))
    os.close(ruleset)


def _public_parts(folder: str) -> list[str] | None:
    """The largest parts of a folder in which everybody may read everything; None if that is the folder itself.

    Example: of /etc with `shadow`, `hosts` and `ssl/{certs,private}`, the parts are `hosts` and `ssl/certs`. A link is no part:
    what it leads to has a rule of its own, or none.
    """
    parts, is_public = list[str](), True
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            needed_bits = stat.S_IROTH | (stat.S_IXOTH if is_folder else 0)
            if entry.stat(follow_symlinks=False).st_mode & needed_bits != needed_bits:
                is_public = False
                continue
            inner_parts = _public_parts(entry.path) if is_folder else None
            is_public = is_public and inner_parts is None
            parts += [entry.path] if inner_parts is None else inner_parts
    return None if is_public else parts


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= 0b111 | 1 << 14 | 1 << 15
    rule = rights.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder)
    succeed(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint32(0)))
    os.close(descriptor)
