"""The grammar of Python."""

from typing import TYPE_CHECKING

from pipeline.code_registry.parsing import Deadline, parse

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

BLOCKS = frozenset(
    {
        "block",
        "if_statement",
        "elif_clause",
        "else_clause",
        "while_statement",
        "try_statement",
        "except_clause",
        "except_group_clause",
        "finally_clause",
        "match_statement",
        "case_clause",
        "ERROR",
    }
)
"""Kinds of nodes that are nothing but the statements inside them."""


def grammar() -> object:
    """Load the grammar."""
    import tree_sitter_python

    return tree_sitter_python.language()


def parse_python(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file."""
    return parse(source, grammar, deadline, with_text=False)


def sides(node: "Node") -> "tuple[Node | None, Node | None, Node | None]":
    """Target, value and type of an assignment: by their places, where nothing stands between them."""
    parts = node.children
    if len(parts) == 3 and parts[1].type == "=":
        return parts[0], parts[2], None
    field = node.child_by_field_name
    return field("left"), field("right"), field("type")
