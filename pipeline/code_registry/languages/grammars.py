"""The grammars of all languages, how a file is parsed with each, and the queries that are run on its tree.

A process that does nothing but parse starts with it, so it imports nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Query, Tree

Grammar = Callable[[], object]
"""Loads a grammar; called once in a process, because that costs more than a small file."""
Match = Mapping[str, "list[Node]"]
"""The nodes that a pattern of a query matched, by the names of its captures."""
_T = TypeVar("_T")
_ROOM = Path(__file__).parent
_MOST_OPEN_MATCHES = 4_096
"""Matches that a query has begun and not ended at any place of a file: what it costs is bounded by it."""


class TooDeep(ValueError):
    """The file nests deeper than a person would write; the message says so."""


def _grammar(package: str, entry: str = "language") -> Grammar:
    """A grammar of a package, which is imported when the first file needs it."""

    def load() -> object:
        return getattr(import_module(package), entry)()

    return load


python_grammar = _grammar("tree_sitter_python")
_go = _grammar("tree_sitter_go")
_with_jsx = _grammar("tree_sitter_typescript", "language_tsx")
_without_jsx = _grammar("tree_sitter_typescript", "language_typescript")


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

    return tree_sitter.Parser(_language(grammar))


@cache
def _language(grammar: Grammar) -> "Language":
    import tree_sitter

    return tree_sitter.Language(grammar())


def _parse(source: bytes, grammar: Grammar) -> "Tree":
    return _parser(grammar).parse(source)


def parse_go(source: bytes) -> "Tree":
    """The syntax tree of a file."""
    return _parse(source, _go)


def parse_python(source: bytes) -> "Tree":
    """The syntax tree of a file."""
    return _parse(source, python_grammar)


def parse_typescript(source: bytes) -> "Tree":
    """The syntax tree of a file, by the grammar that understands more: with JSX, or with casts in angle brackets. Of
    configuration, which is JSON, it is that of its value in parentheses.
    """
    source = b"(" + source + b")" if is_configuration(source) else source
    tree = _parse(source, _with_jsx)
    if tree.root_node.has_error:
        plain_tree = _parse(source, _without_jsx)
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

    def matches(self, source: bytes) -> "tuple[Tree, list[Match]]":
        """The syntax tree of a file, and what its query finds there."""
        tree = _parse(source, self.grammar)
        return tree, query_matches(f"queried/{self.name}.scm", _language(self.grammar), tree.root_node)


C_SHARP = QueriedGrammar("c_sharp", _grammar("tree_sitter_c_sharp"), bare_members=True)
JAVA = QueriedGrammar("java", _grammar("tree_sitter_java"), bare_members=True)
PHP = QueriedGrammar("php", _grammar("tree_sitter_php", "language_php"))
RUBY = QueriedGrammar("ruby", _grammar("tree_sitter_ruby"), bare_members=True)
RUST = QueriedGrammar("rust", _grammar("tree_sitter_rust"))
