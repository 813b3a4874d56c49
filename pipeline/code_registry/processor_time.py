"""The limit on the processor time of a file that holds whatever the C code of the parser does: the kernel ends the process."""

import signal

MOST_SECONDS = 1.9
"""Seconds of processor time after which the kernel ends a process that is still at the same file. It is more than
`LONGEST_SECONDS` of the parser, so that this happens only where the parser does not look at the clock.
"""


def limit_processor_time(seconds: float) -> None:
    """End this process after so many seconds of processor time from now on. A handler in Python would wait for the C code
    to come back; the default action of the signal does not.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def lift_limit() -> None:
    """Let this process go on without a limit."""
    signal.setitimer(signal.ITIMER_PROF, 0)


def reason_of(exit_code: int, too_slow: str) -> str:
    """Why a process that ended while it read a file did so; `too_slow` where the kernel ended it for its time."""
    if exit_code == -signal.SIGPROF:
        return too_slow
    if exit_code < 0:
        return f"the parser broke off: {signal.Signals(-exit_code).name}"
    return f"the parser broke off: exit code {exit_code}"
