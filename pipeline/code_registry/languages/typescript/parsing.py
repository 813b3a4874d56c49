"""Parse TypeScript and JavaScript with the grammar that understands a file better."""

from typing import TYPE_CHECKING

from pipeline.code_registry.parsing import Deadline, parse

if TYPE_CHECKING:
    from tree_sitter import Tree


def parse_typescript(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file; of configuration, which is JSON, that of its value in parentheses."""
    return _parse_better(b"(" + source + b")" if is_configuration(source) else source, deadline)


def is_configuration(source: bytes) -> bool:
    """Whether a file begins like JSON."""
    return source.lstrip()[:1] == b"{"


def _parse_better(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree, by the grammar that understands more: with JSX, or with casts in angle brackets."""
    tree = parse(source, _with_jsx, deadline, with_text=True)
    if tree.root_node.has_error:
        plain_tree = parse(source, _without_jsx, deadline, with_text=True)
        if not plain_tree.root_node.has_error:
            return plain_tree
    return tree


def _with_jsx() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


def _without_jsx() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()
