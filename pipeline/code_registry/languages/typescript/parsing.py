"""Parse TypeScript and JavaScript with the grammar that understands a file better."""

from time import monotonic
from typing import TYPE_CHECKING

from pipeline.code_registry.facts import TooSlow

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

LONGEST_SECONDS = 20
"""Seconds after which a file is given up, on a busy machine too."""
_BIG = 100_000
"""Bytes from which parsing is watched."""
_parsers: "list[Parser]" = []


def parse(source: bytes, deadline: float) -> "Tree":
    """The syntax tree, by the grammar that understands more: with JSX, or with casts in angle brackets."""
    with_jsx, without = _grammars()
    tree = _parsed(with_jsx, source, deadline)
    if tree.root_node.has_error:
        other = _parsed(without, source, deadline)
        if not other.root_node.has_error:
            return other
    return tree


def _parsed(parser: "Parser", source: bytes, deadline: float) -> "Tree":
    """The tree of a file. A big file is parsed in pieces first, because only that way of parsing can be stopped."""
    if len(source) < _BIG:
        return parser.parse(source)
    try:
        tree = parser.parse(
            lambda offset, _point: source[offset : offset + 65_536],
            progress_callback=lambda _offset, _error: monotonic() > deadline,
        )
    except ValueError as error:
        parser.reset()
        raise TooSlow(f"not read within {LONGEST_SECONDS} s") from error
    return parser.parse(source, tree)


def _grammars() -> "tuple[Parser, Parser]":
    if not _parsers:
        import tree_sitter
        import tree_sitter_typescript

        for grammar in (tree_sitter_typescript.language_tsx(), tree_sitter_typescript.language_typescript()):
            _parsers.append(tree_sitter.Parser(tree_sitter.Language(grammar)))
    return _parsers[0], _parsers[1]
