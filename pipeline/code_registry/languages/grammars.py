"""The grammars of all languages, and how a file is parsed with each.

A process that does nothing but parse starts with it, so it imports nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.code_registry.parsing import Deadline, Grammar, grammar_language, parse

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

Match = Mapping[str, "list[Node]"]
"""The nodes that a pattern of a query matched, by the names of its captures."""
_QUERIES = Path(__file__).parent / "queried"
_MOST_OPEN_MATCHES = 4_096
"""Matches that a query has begun and not ended at any place of a file: what it costs is bounded by it."""


def parse_go(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file."""
    return parse(source, _go, deadline, with_text=True)


def _go() -> object:
    import tree_sitter_go

    return tree_sitter_go.language()


def python_grammar() -> object:
    """Load the grammar of Python."""
    import tree_sitter_python

    return tree_sitter_python.language()


def parse_python(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file."""
    return parse(source, python_grammar, deadline, with_text=False)


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


@dataclass(frozen=True, slots=True)
class QueriedGrammar:
    """A language with a query file of its name. `bare_members`: code of a class names the members without `this`."""

    name: str
    grammar: Grammar
    bare_members: bool = False

    def matches(self, source: bytes, deadline: Deadline) -> "tuple[Tree, list[Match]]":
        """The syntax tree of a file, and what its query finds there."""
        from tree_sitter import QueryCursor

        tree = parse(source, self.grammar, deadline, with_text=True)
        cursor = QueryCursor(_query(self.name, self.grammar), match_limit=_MOST_OPEN_MATCHES)
        return tree, [match for _, match in cursor.matches(tree.root_node)]


@cache
def _query(name: str, grammar: Grammar) -> "Query":
    from tree_sitter import Query

    return Query(grammar_language(grammar), (_QUERIES / f"{name}.scm").read_text(encoding="utf-8"))


def _rust() -> object:
    import tree_sitter_rust

    return tree_sitter_rust.language()


def _java() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


def _c_sharp() -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def _ruby() -> object:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


def _php() -> object:
    import tree_sitter_php

    return tree_sitter_php.language_php()


C_SHARP = QueriedGrammar("c_sharp", _c_sharp, bare_members=True)
JAVA = QueriedGrammar("java", _java, bare_members=True)
PHP = QueriedGrammar("php", _php)
RUBY = QueriedGrammar("ruby", _ruby, bare_members=True)
RUST = QueriedGrammar("rust", _rust)
GRAMMARS = (C_SHARP, JAVA, PHP, RUBY, RUST)
