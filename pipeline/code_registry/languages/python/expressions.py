"""Turn the syntax of a Python expression into an expression of `facts`, noting calls and key reads on the way."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar, NamedTuple

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
    Splat,
    StringLiteral,
    Subscript,
    join_texts,
)
from pipeline.code_registry.languages.python.grammar import grammar
from pipeline.code_registry.languages.python.memory import Memory
from pipeline.code_registry.languages.python.strings import LONGEST, format_call, plain_string, unescape
from pipeline.code_registry.languages.syntax_reader import SyntaxReader, combine_operands
from pipeline.code_registry.parsing import by_number

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTTED_NAME = re.compile(rb"(?!(?:None|True|False)\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
CallArguments = tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]
"""What a call hands over: by position, and by keyword."""


_CHOOSING = frozenset({"|", "or", "and"})
_EXPRESSIONS: Memory[Expression] = Memory(80)
_ARGUMENTS: Memory[CallArguments] = Memory(80)
_KEYWORDS: Memory[tuple[str, Expression]] = Memory(80)


class PythonExpressionReader(SyntaxReader):
    """Reads expressions of one file; `scope` is the definition whose code is being read.

    A large project has millions of them, and to make an object of a node costs more than to parse it. So a node's text is
    looked up before its children are, and children are taken by their places where nothing stands between them.
    """

    def __init__(self, source: bytes) -> None:
        super().__init__()
        self.source = source
        self.scope = 0
        self.calls: list[CallSite] = []
        self.reads: list[KeyRead] = []
        self._leaves, self._readers, self._kinds = _tables()

    def read(self, node: "Node") -> Expression:
        """The expression of a node; calls inside it are noted even where the result is opaque."""
        kind = node.kind_id
        leaf = self._leaves.get(kind)
        if leaf is not None:
            return leaf(self, node)
        reader = self._readers.get(kind)
        if reader is None:
            if node.named_child_count:
                self._children(node)
            return OPAQUE
        self._enter()
        result = reader(self, node)
        self._leave()
        return result

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

    def _children(self, node: "Node") -> None:
        self._enter()
        for child in node.named_children:
            self.read(child)
        self._leave()

    def _identifier(self, node: "Node") -> Expression:
        text = self.source[node.start_byte : node.end_byte]
        cached = _EXPRESSIONS.get(text)
        return cached or _EXPRESSIONS.learn(text, Name(text.decode("utf-8", "replace")))

    def _constant(self, node: "Node") -> Expression:
        text = self.source[node.start_byte : node.end_byte]
        cached = _EXPRESSIONS.get(text)
        return cached or _EXPRESSIONS.learn(text, Constant(text.decode("utf-8", "replace")))

    def _dotted_name(self, node: "Node") -> Expression:
        return Name(self.text(node))

    def _type(self, node: "Node") -> Expression:
        text = self.source[node.start_byte : node.end_byte]
        expression = _EXPRESSIONS.get(text)
        if expression is not None:
            return expression
        notes_before = self.note_count()
        self._enter()
        expression = self._inner(node)
        self._leave()
        return _EXPRESSIONS.learn(text, expression) if self.note_count() == notes_before else expression

    def _inner(self, node: "Node") -> Expression:
        expression: Expression = OPAQUE
        for child in node.named_children:
            if child.type != "comment":
                expression = self.read(child)
        return expression

    def _attribute(self, node: "Node") -> Expression:
        text = self.source[node.start_byte : node.end_byte]
        expression = _EXPRESSIONS.get(text)
        if expression is not None:
            return expression
        if _DOTTED_NAME.fullmatch(text):
            return _dotted_name(text)
        parts = node.named_children
        if len(parts) < 2:
            return OPAQUE
        notes_before = self.note_count()
        self._enter()
        expression = Attribute(self.read(parts[0]), self.name(parts[-1]))
        self._leave()
        return _EXPRESSIONS.learn(text, expression) if self.note_count() == notes_before else expression

    def _string(self, node: "Node") -> Expression:
        text = self.source[node.start_byte : node.end_byte]
        expression = _EXPRESSIONS.get(text)
        if expression is not None:
            return expression
        plain = plain_string(text)
        if plain is not None:
            return _EXPRESSIONS.learn(text, StringLiteral(plain.decode("utf-8", "replace")))
        notes_before = self.note_count()
        self._enter()
        expression = self._pieces(node)
        self._leave()
        return _EXPRESSIONS.learn(text, expression) if self.note_count() == notes_before else expression

    def _pieces(self, node: "Node") -> Expression:
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
        self._enter()
        parts = node.children
        if len(parts) != 2:
            parts = node.named_children
        function, inside = self.read(parts[0]), parts[-1]
        positional: tuple[Expression, ...] = ()
        keywords: tuple[tuple[str, Expression], ...] = ()
        if inside.kind_id in self._kinds.argument_list:
            positional, keywords = self._call_arguments(inside)
        elif len(parts) > 1:
            positional = (self.read(inside),)
        self._leave()
        call = Call(function, positional, keywords, node.start_point[0] + 1)
        self.calls.append(CallSite(self.scope, call))
        if isinstance(function, Attribute) and function.name == "format":
            return format_call(function.base, call)
        return call

    def _call_arguments(self, node: "Node") -> CallArguments:
        text = self.source[node.start_byte : node.end_byte]
        cached_arguments = _ARGUMENTS.get(text)
        if cached_arguments is not None:
            return cached_arguments
        notes_before = self.note_count()
        positional: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        for child in node.named_children:
            kind = child.kind_id
            if kind in self._kinds.keyword:
                keywords.append(self._keyword(child))
            elif kind not in self._kinds.comment:
                positional.append(self.read(child))
        call_arguments = (tuple(positional[:LONGEST]), tuple(keywords[:LONGEST]))
        return _ARGUMENTS.learn(text, call_arguments) if self.note_count() == notes_before else call_arguments

    def _keyword(self, node: "Node") -> tuple[str, Expression]:
        text = self.source[node.start_byte : node.end_byte]
        cached_pair = _KEYWORDS.get(text)
        if cached_pair is not None:
            return cached_pair
        notes_before = self.note_count()
        parts = node.children
        if len(parts) != 3:
            parts = node.named_children
        pair = (self.name(parts[0]), self.read(parts[-1]))
        return _KEYWORDS.learn(text, pair) if self.note_count() == notes_before else pair

    def _subscript(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children]
        base, indexes = parts[0], parts[1:]
        index = indexes[0] if len(indexes) == 1 else Items(tuple(indexes))
        if isinstance(index, StringLiteral):
            self.reads.append(KeyRead(self.scope, base, index.value, node.start_point[0] + 1))
        return Subscript(base, index)

    def _generic(self, node: "Node") -> Expression:
        base = self.read(node.named_children[0])
        inside = [self.read(child) for child in node.named_children[-1].named_children]
        return Subscript(base, inside[0] if len(inside) == 1 else Items(tuple(inside)))

    def _binary(self, node: "Node") -> Expression:
        return combine_operands(node, self.read, _combine)

    def _conditional(self, node: "Node") -> Expression:
        comment = self._kinds.comment
        parts = [self.read(child) for child in node.named_children if child.kind_id not in comment]
        return Alternatives((parts[0], parts[-1])) if len(parts) > 1 else OPAQUE

    def _union(self, node: "Node") -> Expression:
        return Alternatives(tuple(self.read(child) for child in node.named_children))

    def _items(self, node: "Node") -> Expression:
        comment = self._kinds.comment
        parts = [self.read(child) for child in node.named_children if child.kind_id not in comment]
        return Items(tuple(parts[:LONGEST]))

    def _pairs(self, node: "Node") -> Expression:
        pairs: list[tuple[Expression, Expression]] = []
        for child in node.named_children:
            inner = child.named_children
            if len(inner) > 1 and child.kind_id in self._kinds.pair:
                pairs.append((self.read(inner[0]), self.read(inner[-1])))
            else:
                self.read(child)
        return Pairs(tuple(pairs[:LONGEST]))

    def _comparison(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children]
        if len(parts) == 2 and isinstance(parts[0], StringLiteral):
            signs = {child.type for child in node.children if not child.is_named}
            if signs & {"in", "not in"}:
                self.reads.append(KeyRead(self.scope, parts[1], parts[0].value, node.start_point[0] + 1))
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

    def _splat(self, node: "Node") -> Expression:
        return Splat(self._inner(node))

    def _named_expression(self, node: "Node") -> Expression:
        return self.read(node.named_children[-1])

    def _lambda(self, node: "Node") -> Expression:
        self._children(node)
        return OPAQUE

    LEAVES: ClassVar[dict[str, "_Read"]] = {
        "identifier": _identifier,
        "integer": _constant,
        "float": _constant,
        "true": _constant,
        "false": _constant,
        "none": _constant,
        "ellipsis": _constant,
        "dotted_name": _dotted_name,
        "comment": _constant,
        "type": _type,
        "attribute": _attribute,
        "member_type": _attribute,
        "string": _string,
        "call": _call,
    }
    """What is its text, or counts itself how deep it is."""
    READERS: ClassVar[dict[str, "_Read"]] = {
        "parenthesized_expression": _inner,
        "await": _inner,
        "expression_statement": _inner,
        "concatenated_string": _concatenation,
        "subscript": _subscript,
        "generic_type": _generic,
        "binary_operator": _binary,
        "boolean_operator": _binary,
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
        "list_splat": _splat,
        "dictionary_splat": _splat,
        "named_expression": _named_expression,
        "lambda": _lambda,
    }


_Read = Callable[[PythonExpressionReader, "Node"], Expression]


class _Kinds(NamedTuple):
    """The numbers of single kinds."""

    argument_list: Mapping[int, bool]
    keyword: Mapping[int, bool]
    comment: Mapping[int, bool]
    pair: Mapping[int, bool]


@cache
def _tables() -> tuple[dict[int, _Read], dict[int, _Read], _Kinds]:
    names = ("argument_list", "keyword_argument", "comment", "pair")
    kinds = _Kinds(*(by_number(grammar, {name: True}) for name in names))
    return (
        by_number(grammar, PythonExpressionReader.LEAVES),
        by_number(grammar, PythonExpressionReader.READERS),
        kinds,
    )


def _combine(operator: str, operands: list[Expression]) -> Expression:
    if operator == "+":
        lists = [operand.items for operand in operands if isinstance(operand, Items)]
        if len(lists) == len(operands):
            return Items(tuple(islice(chain.from_iterable(lists), LONGEST)))
        return join_texts(operands, LONGEST)
    return Alternatives(tuple(operands[:LONGEST])) if operator in _CHOOSING else OPAQUE


def _dotted_name(text: bytes) -> Expression:
    """A name, or names joined by dots."""
    expression = _EXPRESSIONS.get(text)
    if expression is None:
        base, dot, name = text.rpartition(b".")
        expression = Attribute(_dotted_name(base), name.decode()) if dot else Name(name.decode())
        _EXPRESSIONS.learn(text, expression)
    return expression
