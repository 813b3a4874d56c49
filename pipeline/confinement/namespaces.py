"""Namespaces: a process with files, processes, users and a network of its own, without any right on the machine.

Its root holds the given folders and nothing else, so that a socket such as /var/run/docker.sock is not there; its network
is a loopback of its own; it sees the processes that it has started, and no others.

Not every machine allows this. Ubuntu 24.04 takes all rights away inside of a user namespace unless a profile of AppArmor
says otherwise (https://ubuntu.com/blog/ubuntu-23-10-restricted-unprivileged-user-namespaces), and so does GitHub's
ubuntu-24.04 runner: https://github.com/actions/runner-images/pull/11489, which was to change that, was closed. There,
before the run: `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`. The profile that Ubuntu ships for
`bwrap` (bubblewrap) would not help: runners do not have the program, and its children keep no rights either.
"""

import ctypes
import os
import struct

from pipeline.confinement.kernel import libc, succeed

_USER, _MOUNTS, _NETWORK, _PROCESSES, _IPC = 0x1000_0000, 0x2_0000, 0x4000_0000, 0x2000_0000, 0x0800_0000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_SLAVE = (
    1,
    2,
    4,
    8,
    4096,
    1 << 14,
    1 << 19,
)
_MOUNT_SETATTR = 442  # the same on every architecture
_ATTR_READ_ONLY, _AT_RECURSIVE, _AT_FDCWD = 1, 0x8000, -100
_DETACH = 2
_AF_INET, _SOCK_DGRAM, _SIOCSIFFLAGS, _IFF_UP = 2, 2, 0x8914, 1
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - semaphores lie there
_MOST_LINKS = 40


def enter(*, network: bool) -> None:
    """Enter new namespaces, that of processes with the next fork. With `network`, the machine's network stays.

    Raises:
        OSError: the machine does not allow it. The process is of no use then.
    """
    user, group = os.geteuid(), os.getegid()
    succeed(libc.unshare(_USER | _MOUNTS | _PROCESSES | _IPC | (0 if network else _NETWORK)))
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        _write(f"/proc/self/{name}", text)
    # Rights that are given up are not got back in another namespace.
    _write("/proc/sys/user/max_user_namespaces", "0")
    if not network:
        _bring_loopback_up()


def own_root(
    at: str, readable: list[str], writable: list[str], link_paths: list[str], devices: list[str]
) -> None:
    """Make a root of these folders and devices, and change into it. The process is the first one of its namespace.

    `at` is an empty folder. `link_paths` are paths by which things in these folders are also called, over links.

    Raises:
        OSError: the machine does not allow it.
    """
    _mount(None, "/", None, _MS_REC | _MS_SLAVE)
    _mount("tmpfs", at, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=16m")
    bound: list[str] = []
    for path in sorted({_lay_links(at, path) for path in readable} - {"/proc"}):
        if not any(path.startswith(f"{parent}/") for parent in bound):
            bound.append(path)
            _bind(path, at, read_only=True)
    for path in sorted({_lay_links(at, path) for path in writable} - {_SHARED_MEMORY}):
        _bind(path, at, read_only=False)
    for path in devices:
        _bind(path, at, read_only=False)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{at}/dev/{name}")  # noqa: PTH211 - pathlib would double the start-up time
    _mount_new("tmpfs", at, _SHARED_MEMORY, "mode=1777,size=1g")
    _mount_new("proc", at, "/proc")
    for path in link_paths:
        _lay_links(at, path)
    _change_root(at)


def _change_root(at: str) -> None:
    here = os.getcwd()  # noqa: PTH109 - as above
    os.chdir(at)
    succeed(libc.pivot_root(b".", b"."))
    succeed(libc.umount2(b".", _DETACH))
    _make_read_only("/", 0)
    os.chdir(here)


def _lay_links(root: str, path: str) -> str:
    """Where a path leads. Links on the way are made in the new root too, unless a folder that holds them is bound there."""
    path_so_far, left, link_count = "", path.split("/"), 0
    while left:
        part = left.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            path_so_far = path_so_far.rpartition("/")[0]
            continue
        try:
            target = os.readlink(f"{path_so_far}/{part}")  # noqa: PTH115 - as above
        except OSError:
            path_so_far = f"{path_so_far}/{part}"
            continue
        link_count += 1
        if link_count > _MOST_LINKS:
            break
        if not os.path.lexists(f"{root}{path_so_far}/{part}"):
            os.makedirs(f"{root}{path_so_far}", exist_ok=True)  # noqa: PTH103 - as above
            os.symlink(target, f"{root}{path_so_far}/{part}")  # noqa: PTH211 - as above
        path_so_far, left = "" if target.startswith("/") else path_so_far, target.split("/") + left
    return path_so_far or "/"


def _bind(path: str, root: str, *, read_only: bool) -> None:
    target = f"{root}{path}"
    if os.path.isdir(path):  # noqa: PTH112 - as above
        os.makedirs(target, exist_ok=True)  # noqa: PTH103 - as above
    elif os.path.exists(path):  # noqa: PTH110 - as above
        os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120 - as above
        os.close(os.open(target, os.O_CREAT | os.O_RDONLY))
    else:
        return
    _mount(path, target, None, _MS_BIND | _MS_REC)
    if read_only:
        _make_read_only(target, _AT_RECURSIVE)


def _make_read_only(path: str, how: int) -> None:
    attributes = (ctypes.c_uint64 * 4)(_ATTR_READ_ONLY, 0, 0, 0)
    arguments = (_AT_FDCWD, path.encode(), how, attributes, ctypes.c_size_t(32))
    succeed(libc.syscall(_MOUNT_SETATTR, *arguments))


def _mount_new(kind: str, root: str, path: str, options: str = "") -> None:
    os.makedirs(f"{root}{path}", exist_ok=True)  # noqa: PTH103 - as above
    _mount(kind, f"{root}{path}", kind, _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, options)


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    succeed(libc.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]))


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123 - as above
        file.write(text)


def _bring_loopback_up() -> None:
    socket = succeed(libc.socket(_AF_INET, _SOCK_DGRAM, 0))
    succeed(libc.ioctl(socket, ctypes.c_ulong(_SIOCSIFFLAGS), struct.pack("16sh22x", b"lo", _IFF_UP)))
    os.close(socket)
