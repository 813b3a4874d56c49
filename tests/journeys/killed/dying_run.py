"""`askfirst` in a process that kills itself around a line of a transcript: `python dying_run.py before|after ARGUMENTS`.

`after`: as soon as one new line is whole on the disk, at the very next thing that the process does. `before`: when the
second new line is about to be written, so that what it tells of has happened and is not stored.
"""

import os
import signal
import sys

from pipeline.cli import main


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


if __name__ == "__main__":
    die_around_a_line(sys.argv[1])
    sys.argv[0:2] = ["askfirst"]
    main()
