"""Turn the syntax of a Python expression into an expression of `facts`, noting calls and key reads on the way."""

import re
from collections.abc import Callable
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar, TypeVar

from pipeline.code_registry.facts import (
    OPAQUE,
    Alternatives,
    Attribute,
    Call,
    CallSite,
    Comprehension,
    Constant,
    Expression,
    Items,
    KeyRead,
    Name,
    Pairs,
    StringLiteral,
    Subscript,
    join_texts,
)
from pipeline.code_registry.languages.python.imports import (
    LONGEST,
    Memory,
    format_call,
    plain_string,
    unescape,
)
from pipeline.code_registry.languages.syntax_reader import Read, SyntaxReader, line_of, significant
from pipeline.code_registry.parsing import Deadline

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_DOTTED_NAME = re.compile(rb"(?!(?:None|True|False)\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_T = TypeVar("_T")
CallArguments = tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]
"""What a call hands over: by position, and by keyword."""


_CHOOSING = frozenset({"|", "or", "and"})
_EXPRESSIONS: Memory[Expression] = Memory(80)
_ARGUMENTS: Memory[CallArguments] = Memory(80)
_KEYWORDS: Memory[tuple[str, Expression]] = Memory(80)


_ReadBy = Callable[["PythonExpressionReader", "Node"], _T]


def _once(memory: Memory[_T]) -> Callable[[_ReadBy[_T]], _ReadBy[_T]]:
    """Read what is nothing but its text, because it notes no call and no key, only once in a process."""

    def decorate(read: _ReadBy[_T]) -> _ReadBy[_T]:
        def look_up(reader: "PythonExpressionReader", node: "Node") -> _T:
            text = reader.source[node.start_byte : node.end_byte]
            value = memory.get(text)
            if value is not None:
                return value
            notes_before = reader.note_count()
            value = read(reader, node)
            return memory.learn(text, value) if reader.note_count() == notes_before else value

        return look_up

    return decorate


class PythonExpressionReader(SyntaxReader):
    """Reads expressions of one file.

    A large project has millions of them, and to make an object of a node costs more than to parse it. So a node's text is
    looked up before its children are, and children are taken by their places where nothing stands between them.
    """

    def __init__(self, source: bytes, tree: "Tree", deadline: Deadline) -> None:
        super().__init__(tree, deadline)
        self.source = source

    def text(self, node: "Node") -> str:
        """The source of a node; broken encodings become replacement characters."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def name(self, node: "Node") -> str:
        """The name that an identifier is."""
        expression = self.read(node)
        return expression.name if isinstance(expression, Name) else self.text(node)

    def note_count(self) -> int:
        """How much was noted so far: what is read without noting anything is nothing but its text."""
        return len(self.calls) + len(self.reads)

    def _identifier(self, node: "Node") -> Expression:
        text = self.source[node.start_byte : node.end_byte]
        known_name = _EXPRESSIONS.get(text)
        return known_name or _EXPRESSIONS.learn(text, Name(text.decode("utf-8", "replace")))

    def constant(self, node: "Node") -> Expression:
        """A value that is its own text."""
        text = self.source[node.start_byte : node.end_byte]
        known_constant = _EXPRESSIONS.get(text)
        return known_constant or _EXPRESSIONS.learn(text, Constant(text.decode("utf-8", "replace")))

    def _dotted_name(self, node: "Node") -> Expression:
        return Name(self.text(node))

    @_once(_EXPRESSIONS)
    def _attribute(self, node: "Node") -> Expression:
        text = self.source[node.start_byte : node.end_byte]
        if _DOTTED_NAME.fullmatch(text):
            base, _, name = text.rpartition(b".")
            return Attribute(_dotted_name(base), name.decode())
        parts = node.named_children
        if len(parts) < 2:
            return OPAQUE
        self.enter()
        expression = Attribute(self.read(parts[0]), self.name(parts[-1]))
        self.leave()
        return expression

    @_once(_EXPRESSIONS)
    def _string(self, node: "Node") -> Expression:
        plain = plain_string(self.source[node.start_byte : node.end_byte])
        if plain is not None:
            return StringLiteral(plain.decode("utf-8", "replace"))
        parts: list[Expression] = []
        prefix = b""
        for child in node.children:
            kind = child.type
            if kind == "string_start":
                prefix = self.source[child.start_byte : child.end_byte].lower()
            elif kind == "string_content":
                text = unescape(self.text(child), raw=b"r" in prefix)
                parts.append(
                    StringLiteral(text.replace("{{", "{").replace("}}", "}") if b"f" in prefix else text)
                )
            elif kind == "interpolation":
                inner = child.named_children
                parts.append(self.read(inner[0]) if inner else OPAQUE)
                for rest in inner[1:]:
                    self.read(rest)
        return join_texts(parts, LONGEST)

    def _concatenation(self, node: "Node") -> Expression:
        strings = [child for child in node.named_children if child.type == "string"]
        return join_texts(map(self.read, strings), LONGEST)

    def _call(self, node: "Node") -> Expression:
        self.enter()
        parts = node.children
        if len(parts) != 2:
            parts = node.named_children
        function, inside = self.read(parts[0]), parts[-1]
        positional: tuple[Expression, ...] = ()
        keywords: tuple[tuple[str, Expression], ...] = ()
        if inside.type == "argument_list":
            positional, keywords = self._call_arguments(inside)
        elif len(parts) > 1:
            positional = (self.read(inside),)
        self.leave()
        call = Call(function, positional, keywords, line_of(node))
        self.calls.append(CallSite(self.scope, call))
        if isinstance(function, Attribute) and function.name == "format":
            return format_call(function.base, call)
        return call

    @_once(_ARGUMENTS)
    def _call_arguments(self, node: "Node") -> CallArguments:
        positional: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        for child in node.named_children:
            kind = child.type
            if kind == "keyword_argument":
                keywords.append(self.keyword(child))
            elif kind != "comment":
                positional.append(self.read(child))
        return tuple(positional[:LONGEST]), tuple(keywords[:LONGEST])

    @_once(_KEYWORDS)
    def keyword(self, node: "Node") -> tuple[str, Expression]:
        """Name and value of a keyword argument."""
        parts = node.children
        if len(parts) != 3:
            parts = node.named_children
        return self.name(parts[0]), self.read(parts[-1])

    def _subscript(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children]
        base, indexes = parts[0], parts[1:]
        index = indexes[0] if len(indexes) == 1 else Items(tuple(indexes))
        if isinstance(index, StringLiteral):
            self.reads.append(KeyRead(self.scope, base, index.value, line_of(node)))
        return Subscript(base, index)

    def _generic(self, node: "Node") -> Expression:
        base = self.read(node.named_children[0])
        inside = [self.read(child) for child in node.named_children[-1].named_children]
        return Subscript(base, inside[0] if len(inside) == 1 else Items(tuple(inside)))

    def combine(self, operator: str, operands: list[Expression]) -> Expression:
        """`+` puts strings or lists together; `or`, `and` and `|` give one of their operands."""
        if operator == "+":
            lists = [operand.items for operand in operands if isinstance(operand, Items)]
            if len(lists) == len(operands):
                return Items(tuple(islice(chain.from_iterable(lists), LONGEST)))
            return join_texts(operands, LONGEST)
        return Alternatives(tuple(operands[:LONGEST])) if operator in _CHOOSING else OPAQUE

    def _conditional(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in significant(node)]
        return Alternatives((parts[0], parts[-1])) if len(parts) > 1 else OPAQUE

    def _union(self, node: "Node") -> Expression:
        return Alternatives(tuple(self.read(child) for child in node.named_children))

    def _items(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in significant(node)]
        return Items(tuple(parts[:LONGEST]))

    def _pairs(self, node: "Node") -> Expression:
        pairs: list[tuple[Expression, Expression]] = []
        for child in node.named_children:
            inner = child.named_children
            if len(inner) > 1 and child.type == "pair":
                pairs.append((self.read(inner[0]), self.read(inner[-1])))
            else:
                self.read(child)
        return Pairs(tuple(pairs[:LONGEST]))

    def _comparison(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children]
        if len(parts) == 2 and isinstance(parts[0], StringLiteral):
            signs = {child.type for child in node.children if not child.is_named}
            if signs & {"in", "not in"}:
                self.reads.append(KeyRead(self.scope, parts[1], parts[0].value, line_of(node)))
        return OPAQUE

    def _comprehension(self, node: "Node") -> Expression:
        variable, source, body = "", OPAQUE, node.named_children[0]
        clauses = [child for child in node.named_children[1:] if child.type != "comment"]
        loops = [child for child in clauses if child.type == "for_in_clause"]
        read_source: Expression = source
        for clause in clauses:
            if clause.type == "for_in_clause" and len(clause.named_children) > 1:
                read_source = self.read(clause.named_children[-1])
                variable = self.text(clause.named_children[0])
            else:
                self.read(clause)
        element = self.read(body)
        return (
            Comprehension(element, variable, read_source)
            if len(loops) == 1 and variable.isidentifier()
            else OPAQUE
        )

    def _named_expression(self, node: "Node") -> Expression:
        return self.read(node.named_children[-1])

    LEAVES: ClassVar[dict[str, Read]] = {
        "identifier": _identifier,
        "integer": constant,
        "float": constant,
        "true": constant,
        "false": constant,
        "none": constant,
        "ellipsis": constant,
        "dotted_name": _dotted_name,
        "comment": constant,
        "type": _once(_EXPRESSIONS)(SyntaxReader.last_inside),
        "attribute": _attribute,
        "member_type": _attribute,
        "string": _string,
        "call": _call,
    }
    READERS: ClassVar[dict[str, Read]] = {
        "parenthesized_expression": SyntaxReader.last_inside,
        "await": SyntaxReader.last_inside,
        "expression_statement": SyntaxReader.last_inside,
        "concatenated_string": _concatenation,
        "subscript": _subscript,
        "generic_type": _generic,
        "binary_operator": SyntaxReader.binary,
        "boolean_operator": SyntaxReader.binary,
        "conditional_expression": _conditional,
        "union_type": _union,
        "list": _items,
        "tuple": _items,
        "set": _items,
        "expression_list": _items,
        "dictionary": _pairs,
        "comparison_operator": _comparison,
        "list_comprehension": _comprehension,
        "set_comprehension": _comprehension,
        "generator_expression": _comprehension,
        "list_splat": SyntaxReader.splat,
        "dictionary_splat": SyntaxReader.splat,
        "named_expression": _named_expression,
        "lambda": SyntaxReader.read_inside,
    }


def _dotted_name(text: bytes) -> Expression:
    """A name, or names joined by dots."""
    expression = _EXPRESSIONS.get(text)
    if expression is None:
        base, dot, name = text.rpartition(b".")
        expression = Attribute(_dotted_name(base), name.decode()) if dot else Name(name.decode())
        _EXPRESSIONS.learn(text, expression)
    return expression
