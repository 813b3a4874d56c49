"""What the readers of all languages share: the facts of a file so far, and how expressions and statements are gone through."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from msgspec.structs import replace

from pipeline.code_registry.facts import (
    OPAQUE,
    Alternatives,
    Assignment,
    CallSite,
    CodeDefinition,
    Comparison,
    Constant,
    Expression,
    FileFacts,
    Import,
    Items,
    KeyRead,
    Name,
    ReturnValue,
    Splat,
    join_texts,
    method_test,
    part_of,
)
from pipeline.code_registry.languages.grammars import Match, TooDeep, by_number, query_matches

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

Read = Callable[..., Expression | None]
"""Reads a node; a statement has no value."""
ReadLeaf = Callable[..., Expression]
TOO_DEEP = "nested too deep to be written by a person"


class SyntaxReader:
    """Reads one file. `scope` is the definition whose code is being read.

    A language says how each kind of node is read: in `READERS`, or in `LEAVES` if it is its own text or counts itself how
    deep it is. Of any other node all that stands inside is read, because there may be calls in it.
    """

    DEEPEST: ClassVar[int] = 200
    """Nesting beyond which a file is hostile: a chain of thirty calls on each other is as deep as sixty brackets."""
    LEAVES: ClassVar[Mapping[str, ReadLeaf]] = {}
    READERS: ClassVar[Mapping[str, Read]] = {}
    TYPES: ClassVar[Mapping[str, ReadLeaf]] = {}
    """How nodes are read that name a type, where a grammar does not tell them from expressions."""
    COMPARING: ClassVar[frozenset[str]] = frozenset({"==", "===", "!=", "!=="})
    CHOOSING: ClassVar[frozenset[str]] = frozenset()
    """Operators that give one of their operands."""
    IMPORTS: ClassVar[str] = ""
    """The file with the query that finds what a statement imports."""
    LONGEST: ClassVar[int] = 400
    """Items of a literal that are kept."""

    def __init__(self, source: bytes, tree: "Tree") -> None:
        self.source = source
        self.root = tree.root_node
        self.language = tree.language
        self.scope = 0
        self.definitions: list[CodeDefinition] = []
        self.imports: list[Import] = []
        self.assignments: list[Assignment] = []
        self.additions: list[Assignment] = []
        self.calls: list[CallSite] = []
        self.returns: list[ReturnValue] = []
        self.reads: list[KeyRead] = []
        self.comparisons: list[Comparison] = []
        self._depth = 0
        self._leaves, self._readers, self.types = _tables(type(self), tree.language)

    def facts(self) -> FileFacts:
        """All that was noted."""
        return FileFacts(
            tuple(self.definitions),
            tuple(self.imports),
            tuple(self.assignments),
            tuple(self.calls),
            tuple(self.returns),
            tuple(self.reads),
            tuple(self.additions),
            tuple(self.comparisons),
        )

    def define_file(
        self,
        kind: str = "module",
        name: str = "",
        keywords: tuple[tuple[str, Expression], ...] = (),
        docstring: str | None = None,
    ) -> None:
        """Note the file itself, which is the first of its definitions."""
        end = self.root.end_point[0] + 1
        self.definitions.append(CodeDefinition(kind, name, -1, 1, end, (), (), None, (), keywords, docstring))

    def define(
        self,
        kind: str,
        name: str,
        node: "Node",
        name_node: "Node | None" = None,
        *,
        parent: int | None = None,
        docstring: str | None = None,
    ) -> int:
        """Begin a definition, in the scope that is being read unless another parent is named; its index."""
        line = line_of(name_node if name_node is not None else node)
        above = self.scope if parent is None else parent
        self.definitions.append(
            CodeDefinition(kind, name, above, line, node.end_point[0] + 1, (), (), None, (), (), docstring)
        )
        return len(self.definitions) - 1

    def complete(self, index: int, **parts: Any) -> None:
        """Set parts of a definition that were read after it had begun."""
        self.definitions[index] = replace(self.definitions[index], **parts)

    def assign(
        self,
        target: str,
        value: Expression | None,
        line: int,
        mode: str = "assign",
        *,
        annotation: Expression | None = None,
        on_self: bool = False,
        scope: int | None = None,
    ) -> None:
        """Note that a name gets a value, in the scope that is being read unless another is named."""
        at = self.scope if scope is None else scope
        self.assignments.append(Assignment(at, target, on_self, annotation, value, mode, line))

    def bind(
        self,
        target: "Node",
        value: Expression | None,
        mode: str = "assign",
        annotation: Expression | None = None,
    ) -> None:
        """Give a value to what stands on the left of it: a name, or a pattern of names."""
        raise NotImplementedError

    def bind_parts(self, pattern: "Node", value: Expression | None, mode: str) -> None:
        """`a, b = value`: each name gets its part."""
        parts = significant(pattern)
        if mode == "each":
            value = self.whole_element(pattern, value)
        values = value.items if isinstance(value, Items) and mode == "assign" else ()
        for number, part in enumerate(parts):
            if len(values) == len(parts):
                self.bind(part, values[number])
            else:
                piece = part_of(value, number) if value is not None else None
                self.bind(part, piece, "assign" if piece is None else "part")

    def whole_element(self, pattern: "Node", value: Expression | None) -> Expression | None:
        """The variable that stands for a whole element of a value where a loop takes it apart: `for a, b in value`."""
        if value is None:
            return None
        line = line_of(pattern)
        self.assign(f"<each {line}>", value, line, "each")
        return Name(f"<each {line}>")

    def read(self, node: "Node") -> Expression:
        """The expression of a node; its parts are noted even where the result is opaque."""
        kind = node.kind_id
        leaf = self._leaves.get(kind)
        if leaf is not None:
            return leaf(self, node)
        reader = self._readers.get(kind)
        if reader is None:
            return self.read_inside(node) if node.named_child_count else OPAQUE
        self._depth += 1
        if self._depth > self.DEEPEST:
            raise TooDeep(TOO_DEEP)
        result = reader(self, node)
        self._depth -= 1
        return OPAQUE if result is None else result

    def read_part(self, node: "Node", field: str) -> Expression | None:
        """The expression of a part of a node, None where it has none."""
        part = node.child_by_field_name(field)
        return self.read(part) if part is not None else None

    def read_inside(self, node: "Node") -> Expression:
        """Read what stands inside a node that has no value itself."""
        self.enter()
        for child in node.named_children:
            self.read(child)
        self.leave()
        return OPAQUE

    def last_inside(self, node: "Node") -> Expression:
        """The value of a node that is that of the last expression inside it: `(a)`, `a, b` in some languages."""
        expression: Expression = OPAQUE
        for child in significant(node):
            expression = self.read(child)
        return expression

    def constant(self, node: "Node") -> Expression:
        """A value that is its own text."""
        return Constant(text_of(node))

    def opaque(self, _node: "Node") -> Expression:
        """Nodes without a value that could be followed, and without calls."""
        return OPAQUE

    def splat(self, node: "Node") -> Expression:
        """`*value` and `...value`."""
        return Splat(self.last_inside(node))

    def binary(self, node: "Node") -> Expression:
        """The value of a binary operation: `combine` is given an operator and the operands that it stands between.

        `a + b + c` is `(a + b) + c`. It is read from the inside out, so that a text of a thousand lines is not deep, and its
        three operands are combined at once, so that it does not take a million steps.
        """
        operations = [node]
        while (
            left_operand := operations[-1].child_by_field_name("left")
        ) is not None and left_operand.kind_id == node.kind_id:
            operations.append(left_operand)
        operands, word = [self.read(left_operand) if left_operand is not None else OPAQUE], ""
        for operation in reversed(operations):
            operator, right = (
                operation.child_by_field_name("operator"),
                operation.child_by_field_name("right"),
            )
            sign = operator.type if operator is not None else ""
            if sign != word and len(operands) > 1:
                operands = [self.combine(word, operands)]
            word = sign
            operands.append(self.read(right) if right is not None else OPAQUE)
        return self.combine(word, operands)

    def combine(self, operator: str, operands: list[Expression]) -> Expression:
        """The value of operands with one operator between all of them: `+` puts strings or lists together, some operators give
        one of their operands, and a comparison may say which methods are answered.
        """
        if operator == "+":
            lists = [operand.items for operand in operands if isinstance(operand, Items)]
            if len(lists) == len(operands):
                return Items(tuple(islice(chain.from_iterable(lists), self.LONGEST)))
            return join_texts(operands, self.LONGEST)
        if operator in self.COMPARING:
            excludes = operator.startswith("!")
            self.comparisons += method_test(self.scope, (operands[0], operands[1]), excludes=excludes)
        return Alternatives(tuple(operands[: self.LONGEST])) if operator in self.CHOOSING else OPAQUE

    def import_matches(self, node: "Node") -> "list[Match]":
        """The names that a statement imports: the captures that the language's query explains."""
        return query_matches(self.IMPORTS, self.language, node)

    def note_cases(self, subject: Expression, values: "Iterable[Node]") -> None:
        """Note what a switch compares its subject with, which may be a request's method."""
        for value in values:
            sides = (subject, self.read(value))
            self.comparisons += method_test(self.scope, sides, excludes=False, is_case=True)

    def enter(self) -> None:
        """One level deeper.

        Raises:
            TooDeep: the file is nested deeper than it is read.
        """
        self._depth += 1
        if self._depth > self.DEEPEST:
            raise TooDeep(TOO_DEEP)

    def leave(self) -> None:
        """One level up. An exception gives up its file, so `leave` is not called then."""
        self._depth -= 1


class _Tables(NamedTuple):
    """How each kind of node is read, by its number."""

    leaves: Mapping[int, ReadLeaf]
    readers: Mapping[int, Read]
    types: Mapping[int, ReadLeaf]


_TABLES: "dict[tuple[type[SyntaxReader], Language], _Tables]" = {}
"""By reader and grammar, of which TypeScript has two."""


def _tables(reader: type[SyntaxReader], language: "Language") -> _Tables:
    tables = _TABLES.get((reader, language))
    if tables is None:
        tables = _TABLES[reader, language] = _Tables(
            by_number(language, reader.LEAVES),
            by_number(language, reader.READERS),
            by_number(language, reader.TYPES),
        )
    return tables


def significant(node: "Node") -> list["Node"]:
    """The named children that are no comments."""
    return [child for child in node.named_children if child.type != "comment"]


def tokens(node: "Node") -> set[str]:
    """The words and signs that stand in a node itself."""
    return {child.type for child in node.children if not child.is_named}


def text_of(node: "Node") -> str:
    """The source of a node; broken encodings become replacement characters."""
    return (node.text or b"").decode("utf-8", "replace")


def line_of(node: "Node") -> int:
    """The line on which a node starts, counted from 1."""
    return node.start_point[0] + 1
