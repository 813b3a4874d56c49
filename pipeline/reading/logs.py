"""Tell lines of logs and tracebacks from what people write, where they stand outside a code block."""

import re

from pipeline.reading.tracebacks import is_frame_line

_LOG_LINE = re.compile(
    r"""[\s>|]*(?:
        [\[(]?\d{4}[-/.]\d\d[-/.]\d\d[T\ ]{1,2}\d\d:\d\d                      # 2026-11-22 10:00:00
      | [\[(]?\d\d:\d\d:\d\d\b                                                # [10:00:00]
      | (?:<\d+>)?[A-Z][a-z]{2}\ {1,2}\d{1,2}\ \d\d:\d\d:\d\d\b               # Nov 22 10:00:00
      | \[?(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE)\]?(?:\t|\ *[\]:|]|\ {2,}|\[)  # INFO:root:
      | (?:npm\ ERR!|npm\ error|error(?:\[E\d+\])?:\ |warning:\ |fatal:\ |panic:\ |PHP\ \w+(?:\ \w+)?:\ \ )
      | \{"(?:level|time|timestamp|ts|msg|message|severity|log)":             # a line of JSON
      | (?:time|ts|level|lvl)=["\w]
      | [\w-]{1,40}\ {1,20}\|\ (?=\S)                                         # web-1  | (docker compose)
      | (?:\w+\.){0,8}[A-Z]\w{0,60}(?:Error|Exception|Panic|Warning)(?:\ \[\w+\])?(?::\ |:?\s*$)   # acme.PayError: no card
      | at\ [\w.$<>]+\((?:Native\ Method|Unknown\ Source|[\w.$-]{1,80}:?\d{0,6})\)\s*$       # at sun.reflect.X.invoke0(Native Method)
      | [A-Z]{3,7}\ /\S{0,300}\ HTTP/\d                                      # > GET /orders HTTP/1.1 (curl -v)
      | <?\ ?HTTP/\d(?:\.\d)?\ \d{3}\b                                       # < HTTP/1.1 302 Found
      | stack\ (?:backtrace|trace):
      | (?:Uncaught|Unhandled)\ [\w(]
    )""",
    re.VERBOSE,
)
_BRIDGE_LINES = 1
"""So many other lines between two lines of a log belong to it."""


def log_lines(lines: list[str]) -> list[bool]:
    """For each line whether it is a line of a log. Lines of source that a traceback shows are, too."""
    marks = [_LOG_LINE.match(line[:400]) is not None or is_frame_line(line) for line in lines]
    last: int | None = None
    for at, is_log in enumerate(marks):
        if not is_log:
            continue
        if last is not None and at - last <= _BRIDGE_LINES + 1:
            marks[last:at] = [True] * (at - last)
        last = at
    return marks


def is_log(lines: list[str]) -> bool:
    """Whether a code block shows a log or a traceback, and no code."""
    text_lines = [line for line in lines if line.strip()]
    return bool(text_lines) and sum(log_lines(text_lines)) * 3 >= len(text_lines)
