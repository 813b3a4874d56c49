"""The grammars of the languages that a query file reads."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.code_registry.parsing import Deadline, Grammar, parse

if TYPE_CHECKING:
    from tree_sitter import Tree


@dataclass(frozen=True, slots=True)
class QueriedGrammar:
    """A language with a query file of its name. `bare_members`: code of a class names the members without `this`."""

    name: str
    grammar: Grammar
    bare_members: bool = False

    def parse(self, source: bytes, deadline: Deadline) -> "Tree":
        """The syntax tree of a file."""
        return parse(source, self.grammar, deadline, with_text=True)


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
