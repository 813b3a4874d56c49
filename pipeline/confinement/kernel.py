"""The C library of Linux, called without a package: what the launcher of commands needs and Python does not offer."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def succeed(result: int) -> int:
    """The result of a call, if it is none of the negative ones that mean failure.

    Raises:
        OSError: the call failed, with the reason that the kernel gave.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def set_process_option(option: int, value: object, third: object = 0) -> None:
    """`prctl`, whose numbers are in `linux/prctl.h`."""
    succeed(libc.prctl(option, value, third, 0, 0))
