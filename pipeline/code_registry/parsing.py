"""Parse a file with tree-sitter, within a time: what the readers of all languages share."""

from collections.abc import Callable, Mapping
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from pipeline.code_registry.facts import TooSlow

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree

LONGEST_SECONDS = 20
"""Seconds after which a file is given up, on a busy machine too."""
_TOO_SLOW = f"not read within {LONGEST_SECONDS} s"
_BIG = 100_000
"""Bytes from which parsing is watched."""
Grammar = Callable[[], object]
"""Loads a grammar; called once in a process, because that costs more than a small file."""
_T = TypeVar("_T")


class Deadline:
    """When a file is given up."""

    __slots__ = ("_at",)

    def __init__(self) -> None:
        self._at = monotonic() + LONGEST_SECONDS

    def is_over(self) -> bool:
        """Whether it is too late."""
        return monotonic() > self._at

    def check(self) -> None:
        """Raise `TooSlow` if it is too late."""
        if monotonic() > self._at:
            raise TooSlow(_TOO_SLOW)


def parse(source: bytes, grammar: Grammar, deadline: Deadline) -> "Tree":
    """The syntax tree. A big file is parsed in pieces first, because only that way of parsing can be stopped.

    Raises:
        TooSlow: it takes too long.
    """
    parser = _parser(grammar)
    if len(source) < _BIG:
        return parser.parse(source)
    try:
        first = parser.parse(
            lambda offset, _point: source[offset : offset + _BIG],
            progress_callback=lambda _offset, _error: deadline.is_over(),
        )
    except ValueError as error:
        parser.reset()
        raise TooSlow(_TOO_SLOW) from error
    return parser.parse(source, first)


def by_number(grammar: Grammar, by_kind: Mapping[str, _T]) -> dict[int, _T]:
    """A table by kinds of nodes as one by their numbers: a node gives its kind's number in half the time of the name."""
    language = _language(grammar)
    numbers = [number for number in range(language.node_kind_count) if language.node_kind_is_named(number)]
    names = {number: language.node_kind_for_id(number) or "" for number in numbers}
    error = language.id_for_node_kind("ERROR", True)
    if error is not None:
        names[error] = "ERROR"
    return {number: by_kind[name] for number, name in names.items() if name in by_kind}


@cache
def _parser(grammar: Grammar) -> "Parser":
    import tree_sitter

    return tree_sitter.Parser(_language(grammar))


@cache
def _language(grammar: Grammar) -> "Language":
    import tree_sitter

    return tree_sitter.Language(grammar())
