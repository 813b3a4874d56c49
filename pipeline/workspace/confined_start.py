"""Give up rights, run another program, and leave none of its processes behind. A script, started by `processes`.

It imports little, and of the standard library only: every command that runs waits for it first.

On Linux: no new privileges (`sudo` cannot help), no capabilities, and Landlock, which allows the files of the given
folders only, hides the memory and environment of every process outside (`/proc/<pid>/environ`) and takes signals to
them away. What a kernel does not know is left out; `landlock_version` says how much it knows.
"""

import ctypes
import os
import resource
import signal
import stat
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_PATH_BENEATH = 1
_SET_NO_NEW_PRIVS = 38
_SET_CHILD_SUBREAPER = 36
_CAPABILITY_VERSION_3 = 0x20080522

_READ = 0b1101  # execute, read a file, read a folder
_WRITE = 0b1_1111_1111_1111 & ~(1 << 6 | 1 << 11)  # all of the first version but making devices
_ADDED = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # refer, truncate, ioctl of devices: by version
_DEVICE = 0b110 | 1 << 14 | 1 << 15
_SCOPES = 0b11  # abstract sockets, signals

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LARGEST_FILE = 1 << 30


def landlock_version() -> int:
    """Version of the kernel's Landlock, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    version: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, version)


def confine(readable: list[str], writable: list[str]) -> None:
    """Restrict this process, and every one that it becomes or starts, to these folders.

    Raises:
        OSError: the kernel knows Landlock and refuses; then nothing may be started.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    _succeed(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _succeed(libc.capset(header, (ctypes.c_uint32 * 6)()))
    version = landlock_version()
    if version:
        _landlock(libc, version, readable, writable)


def _landlock(libc: ctypes.CDLL, version: int, readable: list[str], writable: list[str]) -> None:
    handled = (1 << 13) - 1
    for since, right in _ADDED.items():
        handled |= right if version >= since else 0
    attributes = (ctypes.c_uint64 * 3)(handled, 0, _SCOPES)
    size = 24 if version >= 6 else 8  # scopes came with the sixth version, behind what is not used
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
    _succeed(ruleset)
    devices = [f"/dev/{name}" for name in _DEVICES]
    later = sum(_ADDED.values())
    for paths, rights in ((readable, _READ), (writable, _WRITE | later), (devices, _DEVICE)):
        for path in paths:
            _allow(libc, ruleset, path, rights & handled)
    _succeed(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)))
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no rule
    if not stat.S_ISDIR(os.fstat(opened).st_mode):
        rights &= 0b111 | 1 << 14 | 1 << 15
    rule = rights.to_bytes(8, sys.byteorder) + opened.to_bytes(4, sys.byteorder)
    _succeed(libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint32(0)))
    os.close(opened)


def _succeed(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def run(program: str, words: list[str]) -> int:
    """Start the program, wait for its end, and end whatever it has started and left behind. Its exit code.

    A program that a signal ended has 128 and the signal's number, as in a shell.
    """
    if sys.platform == "linux":
        # Processes that leave their group become our children when their parents end.
        _succeed(ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    signal.signal(signal.SIGTERM, _too_late)
    child = os.fork()
    if child == 0:
        # Python ignores two of these, and a program started by it would inherit that.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execv(program, words)  # noqa: S606 - no shell: that is the point
        except OSError as error:
            os.write(2, f"{program} cannot be started: {error.strerror}\n".encode())
            os._exit(126)
    try:
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        return code if code >= 0 else 128 - code
    finally:
        _end_children()


def _too_late(_signal: int, _frame: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def _end_children() -> None:
    """Kill all children, and those that become ours by that, until there are none."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    listed = f"/proc/self/task/{os.getpid()}/children"
    while True:
        try:
            with open(listed) as file:  # noqa: PTH123 - pathlib would double the start-up time
                children = file.read().split()
        except OSError:
            return  # not Linux: what is left in the group is ended by whoever started us
        if not children:
            return
        for child in children:
            os.kill(int(child), signal.SIGKILL)
            os.waitpid(int(child), 0)


def main(arguments: list[str]) -> int:
    """`READABLE WRITABLE PROGRAM WORDS…`: folders one a line, the program's path, all its words with its name in front."""
    readable, writable, program, *words = arguments
    confine(readable.split("\n"), writable.split("\n"))
    return run(program, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
