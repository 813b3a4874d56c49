"""The grammar of Python."""

BLOCKS = (
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
)
"""Kinds of nodes that are nothing but the statements inside them."""


def grammar() -> object:
    """Load the grammar."""
    import tree_sitter_python

    return tree_sitter_python.language()
