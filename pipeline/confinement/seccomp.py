"""A filter of system calls: which kinds of sockets a process may make, and no keys of the kernel.

Landlock knows nothing of UDP, nor of sockets that have a path, such as docker.sock; a network of one's own does not keep
from the latter either, nor from the host of a virtual machine (vsock). A pair of connected sockets, as Node and Python
make for their children, is another system call and allowed, unless no sockets with a path are: then pairs of datagrams are
not, because such a socket can send to any path. `io_uring` makes sockets without that call, so it is
not there; programs do without it then. Nor are the calls of the kernel's key rings, which know neither namespaces nor
Landlock: a command would read the keys of the session that started it.
"""

import ctypes
import errno
import os
import struct

from pipeline.confinement.kernel import set_process_option

UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
"""Kinds of sockets, by `bits/socket.h`."""

_IO_URING_SETUP = 425  # the same on every architecture
_ARCHITECTURES = {
    "x86_64": (0xC000_003E, 41, 53, (_IO_URING_SETUP, 248, 249, 250)),
    "aarch64": (0xC000_00B7, 198, 199, (_IO_URING_SETUP, 217, 218, 219)),
}
"""The kernel's number of the architecture (`linux/audit.h`), its numbers of the calls `socket` and `socketpair`, and of the
calls that are not there: `io_uring_setup`, `add_key`, `request_key`, `keyctl`."""

_OF_OTHER_TABLE = 0x4000_0000  # x32 on x86_64: the same calls under other numbers
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2

_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # instructions of classic BPF
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = (
    0,
    4,
    16,
    24,
)  # in `struct seccomp_data`
_DATAGRAM, _TYPE_MASK = 2, 0xF  # `SOCK_DGRAM`; above the mask stand options such as `SOCK_CLOEXEC`
_ALLOW, _FAIL = 0x7FFF_0000, 0x0005_0000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def known_here() -> bool:
    """Whether a filter can be written for this architecture."""
    return os.uname().machine in _ARCHITECTURES


def allow_sockets(*kinds: int) -> None:
    """From now on, this process and whatever it starts make sockets of these kinds only. It cannot be taken back.

    Raises:
        OSError: the kernel refuses.
    """
    program = _filter(*_ARCHITECTURES[os.uname().machine], kinds)
    program_struct = _Program(len(program) // 8, program)
    set_process_option(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program_struct))


def _filter(
    architecture: int, socket: int, socketpair: int, absent_calls: tuple[int, ...], kinds: tuple[int, ...]
) -> bytes:
    """The instructions, 8 bytes each. A jump says how many instructions are left out, if it holds and if it does not."""
    # Classic BPF has one accumulator. `_LOAD` puts a field of the system call into it, a jump compares it with a constant,
    # and `_RETURN` ends the program with what the kernel shall do. For the kinds (INET, INET6) it reads, on x86_64:
    #
    #    0  load the architecture          the numbers of calls below are this architecture's
    #    1  is it x86_64?                  yes: skip 1
    #    2  fail with ENOSYS
    #    3  load the number of the call
    #    4  is it of the x32 table?        yes: skip 4, to the failure, because the same calls have other numbers there
    #    5  is it io_uring_setup?          yes: skip 3, to the failure
    #    6  is it add_key?                 yes: skip 2
    #    7  is it request_key?             yes: skip 1
    #    8  is it keyctl?                  no: skip 1
    #    9  fail with ENOSYS
    #   10  is it socketpair?              no: skip 5, to the question about `socket`
    #   11  load its second argument       the type of the sockets
    #   12  and with 0xF                   without options such as SOCK_CLOEXEC
    #   13  is it SOCK_DGRAM?              no: skip 1
    #   14  fail with EOPNOTSUPP
    #   15  allow
    #   16  is it socket?                  no: skip 4, to the last line: every other call is allowed
    #   17  load its first argument        the kind of the socket
    #   18  is it INET?                    yes: skip 2, to the last line
    #   19  is it INET6?                   yes: skip 1
    #   20  fail with EAFNOSUPPORT
    #   21  allow
    #
    # Lines 10 to 15 are left out where UNIX is among the kinds. So `socket(AF_UNIX, …)` goes 0 1 3 4 5 6 7 8 10 16 17 18 19
    # 20 and fails, and `read(…)` goes 0 1 3 4 5 6 7 8 10 16 21.
    pairs = [
        (_IF_EQUAL, 0, 5, socketpair),
        (_LOAD, 0, 0, _SECOND_ARGUMENT_AT),
        (_AND, 0, 0, _TYPE_MASK),
        (_IF_EQUAL, 0, 1, _DATAGRAM),
        (_RETURN, 0, 0, _FAIL | errno.EOPNOTSUPP),
        (_RETURN, 0, 0, _ALLOW),
    ]
    last = len(absent_calls) - 1
    absences = [(_IF_EQUAL, last - at, int(at == last), call) for at, call in enumerate(absent_calls)]
    checks = [(_IF_EQUAL, len(kinds) - at, 0, kind) for at, kind in enumerate(kinds)]
    return b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in [
            (_LOAD, 0, 0, _ARCHITECTURE_AT),
            (_IF_EQUAL, 1, 0, architecture),
            (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
            (_LOAD, 0, 0, _NUMBER_AT),
            (_IF_AT_LEAST, len(absences), 0, _OF_OTHER_TABLE),
            *absences,
            (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
            *(() if UNIX in kinds else pairs),
            (_IF_EQUAL, 0, len(kinds) + 2, socket),
            (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
            *checks,
            (_RETURN, 0, 0, _FAIL | errno.EAFNOSUPPORT),
            (_RETURN, 0, 0, _ALLOW),
        ]
    )
