r"""Cut a job's log to the part that tells why the job failed. The log is hostile: the tested code writes what it likes.

How it works, on the end of a log:

    2026-11-24T09:00:01.1234567Z \x1b[31mE   assert 1 == 2\x1b[0m
    2026-11-24T09:00:01.2345678Z ##[error]Process completed with exit code 1.
    2026-11-24T09:00:01.3456789Z Post job cleanup.

Each line loses the runner's time stamp, escapes of terminals and invisible characters. What follows the last `##[error]`
is the runner tidying up, so the log ends there. From that end whole lines are taken, backwards, while there is room.
"""

import re

from pipeline.reading.hidden_text import without_invisible

LONGEST_PART = 8_000
"""Characters of a log that an agent is shown."""

_LONGEST_LINE = 400
_STAMP = re.compile(r"\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)?|.?)")
_ERROR = "##[error]"


def failing_part(log: str) -> str:
    """The last lines of a log up to its last error, no more than `LONGEST_PART` characters."""
    lines = [_plain(line) for line in log.split("\n")]
    errors = [number for number, line in enumerate(lines) if line.startswith(_ERROR)]
    end = errors[-1] + 1 if errors else len(lines)
    part: list[str] = []
    room = LONGEST_PART
    for line in reversed(lines[:end]):
        room -= len(line) + 1
        if room < 0:
            break
        part.append(line)
    return "\n".join(reversed(part)).strip("\n")


def _plain(line: str) -> str:
    """A line as a terminal leaves it: of text that was written over with carriage returns, the last."""
    text = _ESCAPE.sub("", _STAMP.sub("", line, count=1)).rstrip("\r")
    plain = without_invisible(text.rpartition("\r")[2]).rstrip()
    return plain if len(plain) <= _LONGEST_LINE else f"{plain[:_LONGEST_LINE]}…"
