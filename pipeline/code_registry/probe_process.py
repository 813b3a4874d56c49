"""The process in which sources are parsed before askfirst parses them itself: a parser that hangs or crashes takes only it along.

It imports nothing but the parsers, because it starts for each small tree.
"""

import os
from collections.abc import Callable, Mapping
from struct import Struct
from typing import BinaryIO

from pipeline.code_registry.languages.grammars import GRAMMARS, parse_go, parse_python, parse_typescript
from pipeline.code_registry.parsing import Deadline, TooSlow, lift_limit, limit_processor_time

PARSERS: Mapping[str, Callable[[bytes, Deadline], object]] = {
    "go": parse_go,
    "python": parse_python,
    "typescript": parse_typescript,
    **{grammar.name: grammar.matches for grammar in GRAMMARS},
}
"""By the name of the language; a language that is not here is read without tree-sitter."""
PARSER_NUMBERS = {name: number for number, name in enumerate(PARSERS)}
HEAD = Struct("<BI")
"""What stands before each source: the number of its parser, and how many bytes it has."""
READY, PARSED, TOO_SLOW = b"r", b"p", b"s"
"""Answers: one byte at the start, and one for each source."""
_STDOUT = 1


def answer(sources: BinaryIO, most_seconds: float) -> None:
    """Parse the sources that come, and say of each what became of it."""
    parsers = tuple(PARSERS.values())
    os.write(_STDOUT, READY)
    while head := sources.read(HEAD.size):
        number, size = HEAD.unpack(head)
        source = sources.read(size)
        limit_processor_time(most_seconds)
        try:
            parsers[number](source, Deadline())
        except TooSlow:
            os.write(_STDOUT, TOO_SLOW)
        else:
            os.write(_STDOUT, PARSED)
        lift_limit()
