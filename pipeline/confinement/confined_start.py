"""Give up rights, run another program, and leave none of its processes behind. A program of its own, started by `processes`.

It imports little, and of the standard library only: every command that runs waits for it first.

On Linux: no new privileges (`sudo` cannot help), no capabilities, Landlock, a filter of sockets and, where the machine
allows it, namespaces. `confinement` says what a machine allows; what it has promised is done here, or nothing is started.
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence

from pipeline.confinement import landlock, namespaces, seccomp
from pipeline.confinement.kernel import libc, set_process_option, succeed

_SET_NO_NEW_PRIVS, _SET_CHILD_SUBREAPER, _SET_DEATH_SIGNAL = 38, 36, 1
_CAPABILITY_VERSION_3 = 0x20080522

DEVICES = [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")]
_LARGEST_FILE = 1 << 30

NOT_CONFINED = 125
"""Exit code where the program was not started, because something that was promised cannot be done."""

_NOT_STARTED = "The command was not started, because it cannot be confined"

NAMESPACES, SOCKETS, NETWORK = "namespaces", "sockets", "network"
"""The measures asked of a start: namespaces, a filter of sockets; and that the network of the machine is left."""


def confine(readable: list[str], writable: list[str], measures: Sequence[str]) -> None:
    """Restrict this process, and every one that it becomes or starts, to these folders and to no more than it needs.

    Raises:
        OSError: something that is asked for cannot be done; then nothing may be started.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    if sys.platform != "linux":
        return
    set_process_option(_SET_NO_NEW_PRIVS, 1)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    succeed(libc.capset(header, (ctypes.c_uint32 * 6)()))
    landlock.restrict(readable, writable, DEVICES)
    if SOCKETS in measures:
        # In a root of its own there are only sockets that the command has made; else all of the machine's are there.
        of_files = [seccomp.UNIX] if NAMESPACES in measures else []
        of_networks = [seccomp.INET, seccomp.INET6] if {NAMESPACES, NETWORK} & set(measures) else []
        kinds = (seccomp.NETLINK, *of_files, *of_networks)
        seccomp.allow_sockets(*kinds, guards_others=NAMESPACES not in measures)


def run(program: str, words: list[str], restrict: Callable[[], None]) -> int:
    """Start the program, wait for its end, and end whatever it has started and left behind. Its exit code.

    A program that a signal ended has 128 and the signal's number, as in a shell. `restrict` is called in the program's
    process only: one that we shared restrictions with could send us signals (Landlock), and what it left would stay.
    """
    if sys.platform == "linux" and os.getpid() != 1:
        # Processes that leave their group become our children when their parents end.
        set_process_option(_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, _too_late)
    child = os.fork()
    if child == 0:
        # Python ignores two of these, and a program started by it would inherit that.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        try:
            restrict()
        except OSError as error:
            os.write(2, f"{_NOT_STARTED}: {error}\n".encode())
            os._exit(NOT_CONFINED)
        try:
            os.execv(program, words)  # noqa: S606 - no shell: that is the point
        except OSError as error:
            os.write(2, f"{program} cannot be started: {error.strerror}\n".encode())
            os._exit(126)
    try:
        return _code_of(child)
    finally:
        _end_children()


def _code_of(child: int) -> int:
    """Wait for a child, and take leave of every other one that ends before it."""
    while True:
        process_id, status = os.waitpid(-1, 0)
        if process_id == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _too_late(_signal: int, _frame: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def _end_children() -> None:
    """Kill all children, and those that become ours by that, until there are none."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    list_path = f"/proc/self/task/{os.getpid()}/children"
    while True:
        try:
            with open(list_path) as file:  # noqa: PTH123 - pathlib would double the start-up time
                children = file.read().split()
        except OSError:
            return  # not Linux: the caller ends what is left in the group
        if not children:
            return
        for child in children:
            os.kill(int(child), signal.SIGKILL)
            os.waitpid(int(child), 0)


def _in_namespaces(
    root: str, readable: list[str], writable: list[str], link_paths: list[str], measures: list[str]
) -> None:
    """Go on as the first process of new namespaces. The caller waits for it, and ends with its exit code.

    Raises:
        OSError: the machine does not allow it.
    """
    namespaces.enter(network=NETWORK in measures)
    signal.signal(signal.SIGTERM, _too_late)
    first = os.fork()
    if first:
        try:
            sys.exit(_code_of(first))
        finally:
            _end_children()
    set_process_option(_SET_DEATH_SIGNAL, signal.SIGKILL)
    namespaces.own_root(root, readable, writable, link_paths, DEVICES)


def main(arguments: list[str]) -> int:
    """`ASKED ROOT READABLE WRITABLE NAMED TASKS [PROGRAM WORDS…]`, lists one a line; without a program nothing is run.

    PROGRAM is a path, WORDS all its words with its name in front. NAMED is explained at `namespaces.own_root`.
    """
    measures_text, root, *lists, tasks = arguments[:6]
    measures = measures_text.split()
    readable, writable, link_paths = (text.split("\n") if text else [] for text in lists)
    try:
        if NAMESPACES in measures:
            _in_namespaces(root, readable, writable, link_paths, measures)
            # Where users have a namespace of their own, only what is in it counts. It does not bind root.
            resource.setrlimit(resource.RLIMIT_NPROC, (int(tasks), int(tasks)))
        if NAMESPACES in measures or not arguments[6:]:
            confine(readable, writable, measures)
    except OSError as error:
        os.write(2, f"{_NOT_STARTED}: {error}\n".encode())
        return NOT_CONFINED
    if not arguments[6:]:
        return 0
    confines_itself = NAMESPACES not in measures
    return run(
        arguments[6],
        arguments[7:],
        lambda: confine(readable, writable, measures) if confines_itself else None,
    )
