"""Parse Go."""

from typing import TYPE_CHECKING

from pipeline.code_registry.parsing import Deadline, parse

if TYPE_CHECKING:
    from tree_sitter import Tree


def parse_go(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file."""
    return parse(source, _grammar, deadline, with_text=True)


def _grammar() -> object:
    import tree_sitter_go

    return tree_sitter_go.language()
