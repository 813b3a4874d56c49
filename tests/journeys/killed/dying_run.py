"""`askfirst` in a process that kills itself around a line of a transcript; its first argument is `before` or `after`.

`after`: as soon as one new line is whole on the disk, at the very next thing that the process does. `before`: when the
second new line is about to be written, so that what it tells of has happened and is not stored.
"""

import os
import signal
import sys
from typing import NoReturn

from pipeline import cli


def die_around_a_line(when: str) -> None:
    """Count the openings of transcripts for appending; Python tells of each before it happens."""
    written = 0

    def hear(event: str, told: tuple[object, ...]) -> None:
        nonlocal written
        if event == "os.kill":
            return
        if when == "after" and written:
            os.kill(os.getpid(), signal.SIGKILL)
        if event == "open" and "/transcripts/" in str(told[0]) and "a" in str(told[1]):
            written += 1
            if written > 1:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hear)


def main() -> NoReturn:
    """What `tests.journeys.forked` starts."""
    die_around_a_line(sys.argv.pop(1))
    cli.main()
