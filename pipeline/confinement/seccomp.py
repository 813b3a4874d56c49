"""A filter of system calls: which kinds of sockets a process may make, no keys of the kernel, no rights for others.

Landlock knows nothing of UDP, nor of sockets that have a path, such as docker.sock; a network of one's own does not keep
from the latter either, nor from the host of a virtual machine (vsock). A pair of connected sockets, as Node and Python
make for their children, is another system call and allowed, unless no sockets with a path are: then pairs of datagrams are
not, because such a socket can send to any path. `io_uring` makes sockets without that call, so it is
not there; programs do without it then. Nor are the calls of the kernel's key rings, which know neither namespaces nor
Landlock: a command would read the keys of the session that started it.

Without namespaces a command sees the machine's own files and the user's other processes, and Landlock knows
neither modes nor limits. So it may set no setuid or setgid bit and no extended attribute, and no limit of another process,
which could end it. A filter sees numbers and no paths: it cannot keep a command from changing the plain mode or the
times of a file that the user owns outside of the tree.
"""

import ctypes
import errno
import os
import struct
from dataclasses import dataclass

from pipeline.confinement.kernel import set_process_option

UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
"""Kinds of sockets, by `bits/socket.h`."""

_IO_URING_SETUP = 425  # the same on every architecture
_FCHMODAT2, _SETXATTRAT, _REMOVEXATTRAT, _FILE_SETATTR = 452, 463, 466, 469  # the same on every architecture
_SET_ID_BITS, _ANY_BIT = 0o6000, 0xFFFF_FFFF


@dataclass(frozen=True)
class _Architecture:
    """Numbers of the kernel: of the architecture (`linux/audit.h`), and of its calls.

    `absent` are `io_uring_setup`, `add_key`, `request_key` and `keyctl`, `attributes` those that set extended attributes.
    `guarded` are calls with the position of an argument and the bits that it may not have: the mode of each `chmod`, and
    the process of `prlimit64`, which is 0 for the caller itself.
    """

    number: int
    socket: int
    socketpair: int
    absent: tuple[int, ...]
    attributes: tuple[int, ...]
    guarded: tuple[tuple[int, int, int], ...]


_ARCHITECTURES = {
    "x86_64": _Architecture(
        number=0xC000_003E,
        socket=41,
        socketpair=53,
        absent=(_IO_URING_SETUP, 248, 249, 250),
        attributes=(188, 189, 190, 197, 198, 199, _SETXATTRAT, _REMOVEXATTRAT, _FILE_SETATTR),
        guarded=(
            *((90, 1, _SET_ID_BITS), (91, 1, _SET_ID_BITS), (268, 2, _SET_ID_BITS)),
            *((_FCHMODAT2, 2, _SET_ID_BITS), (302, 0, _ANY_BIT)),
        ),
    ),
    "aarch64": _Architecture(
        number=0xC000_00B7,
        socket=198,
        socketpair=199,
        absent=(_IO_URING_SETUP, 217, 218, 219),
        attributes=(5, 6, 7, 14, 15, 16, _SETXATTRAT, _REMOVEXATTRAT, _FILE_SETATTR),
        guarded=(
            (52, 1, _SET_ID_BITS),
            (53, 2, _SET_ID_BITS),
            (_FCHMODAT2, 2, _SET_ID_BITS),
            (261, 0, _ANY_BIT),
        ),
    ),
}

_OF_OTHER_TABLE = 0x4000_0000  # x32 on x86_64: the same calls under other numbers
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2

_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # instructions of classic BPF
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4  # in `struct seccomp_data`
_ARGUMENTS_AT = (16, 24, 32)
_DATAGRAM, _TYPE_MASK = 2, 0xF  # `SOCK_DGRAM`; above the mask stand options such as `SOCK_CLOEXEC`
_ALLOW, _FAIL = 0x7FFF_0000, 0x0005_0000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def known_here() -> bool:
    """Whether a filter can be written for this architecture."""
    return os.uname().machine in _ARCHITECTURES


def allow_sockets(*kinds: int, guards_others: bool) -> None:
    """From now on, this process and whatever it starts make sockets of these kinds only. It cannot be taken back.

    With `guards_others` the filter has the part for a machine without namespaces, too.

    Raises:
        OSError: the kernel refuses.
    """
    program = _filter(_ARCHITECTURES[os.uname().machine], kinds, guards_others=guards_others)
    program_struct = _Program(len(program) // 8, program)
    set_process_option(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program_struct))


def _filter(calls: _Architecture, kinds: tuple[int, ...], *, guards_others: bool) -> bytes:
    """The instructions, 8 bytes each. A jump says how many instructions are left out, if it holds and if it does not."""
    # Classic BPF has one accumulator. `_LOAD` puts a field of the system call into it, a jump compares it with a constant,
    # and `_RETURN` ends the program with the kernel's action. For the kinds (INET, INET6) it reads, on x86_64:
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
    # Lines 10 to 15 are left out where UNIX is among the kinds. Guards stand before them: each is like lines 10 to 15, and fails
    # with EPERM if the argument has one of the bits. So `socket(AF_UNIX, …)` goes 0 1 3 4 5 6 7 8 10 16 17 18 19
    # 20 and fails, and `read(…)` goes 0 1 3 4 5 6 7 8 10 16 21.
    pairs = [
        (_IF_EQUAL, 0, 5, calls.socketpair),
        (_LOAD, 0, 0, _ARGUMENTS_AT[1]),
        (_AND, 0, 0, _TYPE_MASK),
        (_IF_EQUAL, 0, 1, _DATAGRAM),
        (_RETURN, 0, 0, _FAIL | errno.EOPNOTSUPP),
        (_RETURN, 0, 0, _ALLOW),
    ]
    guards = [
        instruction
        for call, argument, bits in (calls.guarded if guards_others else ())
        for instruction in (
            (_IF_EQUAL, 0, 5, call),
            (_LOAD, 0, 0, _ARGUMENTS_AT[argument]),
            (_AND, 0, 0, bits),
            (_IF_EQUAL, 1, 0, 0),
            (_RETURN, 0, 0, _FAIL | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        )
    ]
    absent = (*calls.absent, *(calls.attributes if guards_others else ()))
    last = len(absent) - 1
    absences = [(_IF_EQUAL, last - at, int(at == last), call) for at, call in enumerate(absent)]
    checks = [(_IF_EQUAL, len(kinds) - at, 0, kind) for at, kind in enumerate(kinds)]
    return b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in [
            (_LOAD, 0, 0, _ARCHITECTURE_AT),
            (_IF_EQUAL, 1, 0, calls.number),
            (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
            (_LOAD, 0, 0, _NUMBER_AT),
            (_IF_AT_LEAST, len(absences), 0, _OF_OTHER_TABLE),
            *absences,
            (_RETURN, 0, 0, _FAIL | errno.ENOSYS),
            *guards,
            *(() if UNIX in kinds else pairs),
            (_IF_EQUAL, 0, len(kinds) + 2, calls.socket),
            (_LOAD, 0, 0, _ARGUMENTS_AT[0]),
            *checks,
            (_RETURN, 0, 0, _FAIL | errno.EAFNOSUPPORT),
            (_RETURN, 0, 0, _ALLOW),
        ]
    )
