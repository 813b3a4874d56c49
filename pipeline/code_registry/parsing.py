"""Parse a file with tree-sitter, within a time that holds whatever the C code of the parser does."""

import signal
from collections.abc import Callable, Mapping
from functools import cache
from time import monotonic, thread_time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree


class FileUnfit(ValueError):
    """A file that is not read to its end; the message says why."""


class TooDeep(FileUnfit):
    """The file nests deeper than a person would write."""


class TooSlow(FileUnfit):
    """Reading took too long. Another time it may not: such a result is not kept."""


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


def reason_of(exit_code: int, too_slow: str) -> str:
    """Why a process that ended while it read a file did so; `too_slow` where the kernel ended it for its time."""
    if exit_code == -signal.SIGPROF:
        return too_slow
    if exit_code < 0:
        return f"the parser broke off: {signal.Signals(-exit_code).name}"
    return f"the parser broke off: exit code {exit_code}"


LONGEST_SECONDS = 1.5
"""Seconds of processor time after which a file is given up."""
TOO_SLOW = f"not read within {LONGEST_SECONDS} s"
_CHUNK = 4_096
"""Bytes that the parser is handed at a time."""
Grammar = Callable[[], object]
"""Loads a grammar; called once in a process, because that costs more than a small file."""
_T = TypeVar("_T")


class Deadline:
    """When a file is given up. The clock on the wall is asked first, which costs less; on a busy machine it runs ahead."""

    __slots__ = ("_at", "_work")

    def __init__(self) -> None:
        self._at = monotonic() + LONGEST_SECONDS
        self._work = thread_time() + LONGEST_SECONDS

    def is_over(self) -> bool:
        """Whether it is too late."""
        return monotonic() > self._at and thread_time() > self._work

    def check(self) -> None:
        """Raise `TooSlow` if it is too late."""
        if self.is_over():
            raise TooSlow(TOO_SLOW)


def parse(source: bytes, grammar: Grammar, deadline: Deadline, *, with_text: bool) -> "Tree":
    """The syntax tree; `with_text`, its nodes give their text quickly. The source is handed over in chunks, because only that way of parsing can be stopped: some short
    files with errors keep the parser busy for minutes.

    Raises:
        TooSlow: it takes too long.
    """
    parser = _parser(grammar)
    try:
        tree = parser.parse(
            lambda offset, _point: source[offset : offset + _CHUNK],
            progress_callback=lambda _offset, _error: deadline.is_over(),
        )
    except ValueError as error:
        parser.reset()
        raise TooSlow(TOO_SLOW) from error
    return parser.parse(source, tree) if with_text else tree


def by_number(language: "Language", by_kind: Mapping[str, _T]) -> dict[int, _T]:
    """A table by kinds of nodes as one by their numbers: a node gives its kind's number in half the time of the name."""
    numbers = [number for number in range(language.node_kind_count) if language.node_kind_is_named(number)]
    names = {number: language.node_kind_for_id(number) or "" for number in numbers}
    error = language.id_for_node_kind("ERROR", True)
    if error is not None:
        names[error] = "ERROR"
    return {number: by_kind[name] for number, name in names.items() if name in by_kind}


@cache
def _parser(grammar: Grammar) -> "Parser":
    import tree_sitter

    return tree_sitter.Parser(grammar_language(grammar))


@cache
def grammar_language(grammar: Grammar) -> "Language":
    """A grammar, loaded once in a process."""
    import tree_sitter

    return tree_sitter.Language(grammar())
