"""The grammars of all languages, how a file is parsed with each, and the queries that are run on its tree.

A process that does nothing but parse starts with it, so it imports nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.code_registry.parsing import Deadline, Grammar, grammar_language, parse

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

Match = Mapping[str, "list[Node]"]
"""The nodes that a pattern of a query matched, by the names of its captures."""
_ROOM = Path(__file__).parent
_MOST_OPEN_MATCHES = 4_096
"""Matches that a query has begun and not ended at any place of a file: what it costs is bounded by it."""


def _grammar(package: str, entry: str = "language") -> Grammar:
    """A grammar of a package, which is imported when the first file needs it."""

    def load() -> object:
        return getattr(import_module(package), entry)()

    return load


python_grammar = _grammar("tree_sitter_python")
_go = _grammar("tree_sitter_go")
_with_jsx = _grammar("tree_sitter_typescript", "language_tsx")
_without_jsx = _grammar("tree_sitter_typescript", "language_typescript")


def parse_go(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file."""
    return parse(source, _go, deadline, with_text=True)


def parse_python(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file."""
    return parse(source, python_grammar, deadline, with_text=False)


def parse_typescript(source: bytes, deadline: Deadline) -> "Tree":
    """The syntax tree of a file, by the grammar that understands more: with JSX, or with casts in angle brackets. Of
    configuration, which is JSON, it is that of its value in parentheses.
    """
    source = b"(" + source + b")" if is_configuration(source) else source
    tree = parse(source, _with_jsx, deadline, with_text=True)
    if tree.root_node.has_error:
        plain_tree = parse(source, _without_jsx, deadline, with_text=True)
        if not plain_tree.root_node.has_error:
            return plain_tree
    return tree


def is_configuration(source: bytes) -> bool:
    """Whether a file begins like JSON."""
    return source.lstrip()[:1] == b"{"


def query_matches(file: str, language: "Language", node: "Node") -> "list[Match]":
    """What a query, by the path of its file, finds inside a node."""
    from tree_sitter import QueryCursor

    cursor = QueryCursor(_query(file, language), match_limit=_MOST_OPEN_MATCHES)
    return [match for _, match in cursor.matches(node)]


@cache
def _query(file: str, language: "Language") -> "Query":
    from tree_sitter import Query

    return Query(language, (_ROOM / file).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class QueriedGrammar:
    """A language with a query file of its name. `bare_members`: code of a class names the members without `this`."""

    name: str
    grammar: Grammar
    bare_members: bool = False

    def matches(self, source: bytes, deadline: Deadline) -> "tuple[Tree, list[Match]]":
        """The syntax tree of a file, and what its query finds there."""
        tree = parse(source, self.grammar, deadline, with_text=True)
        return tree, query_matches(f"queried/{self.name}.scm", grammar_language(self.grammar), tree.root_node)


C_SHARP = QueriedGrammar("c_sharp", _grammar("tree_sitter_c_sharp"), bare_members=True)
JAVA = QueriedGrammar("java", _grammar("tree_sitter_java"), bare_members=True)
PHP = QueriedGrammar("php", _grammar("tree_sitter_php", "language_php"))
RUBY = QueriedGrammar("ruby", _grammar("tree_sitter_ruby"), bare_members=True)
RUST = QueriedGrammar("rust", _grammar("tree_sitter_rust"))
GRAMMARS = (C_SHARP, JAVA, PHP, RUBY, RUST)
