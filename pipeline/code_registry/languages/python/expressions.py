"""Turn the syntax of a Python expression into an expression of `facts`, noting calls and key reads on the way."""

import ast
import re
from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    OPAQUE,
    Alternatives,
    Attribute,
    Call,
    CallSite,
    Comprehension,
    Constant,
    Expression,
    KeyRead,
    Name,
    Pairs,
    StringLiteral,
    Subscript,
    fill_format,
    is_text,
    join_texts,
)
from pipeline.code_registry.languages import shapes
from pipeline.code_registry.languages.syntax_reader import Read, ReadLeaf, SyntaxReader, line_of, significant

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTTED_NAME = re.compile(r"(?!(?:None|True|False)\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)
_QUOTES = frozenset({b'"', b"'"})
CallArguments = tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]
"""What a call hands over: by position, and by keyword."""


class PythonExpressionReader(SyntaxReader):
    """Reads expressions of one file.

    A large project has millions of them, and to make an object of a node costs more than to parse it. So names are read off
    the text, and children are taken by their places where nothing stands between them.
    """

    CHOOSING = frozenset({"|", "or", "and"})

    def text(self, node: "Node") -> str:
        """The source of a node; broken encodings become replacement characters."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _identifier(self, node: "Node") -> Expression:
        return Name(self.text(node))

    def constant(self, node: "Node") -> Expression:
        """A value that is its own text."""
        return Constant(self.text(node))

    def _attribute(self, node: "Node") -> Expression:
        text = self.text(node)
        if _DOTTED_NAME.fullmatch(text):
            first, *names = text.split(".")
            expression: Expression = Name(first)
            for name in names:
                expression = Attribute(expression, name)
            return expression
        parts = node.named_children
        if len(parts) < 2:
            return OPAQUE
        self.enter()
        expression = Attribute(self.read(parts[0]), self.text(parts[-1]))
        self.leave()
        return expression

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
                text = _unescape(self.text(child), raw=b"r" in prefix)
                parts.append(
                    StringLiteral(text.replace("{{", "{").replace("}}", "}") if b"f" in prefix else text)
                )
            elif kind == "interpolation":
                inner = child.named_children
                parts.append(self.read(inner[0]) if inner else OPAQUE)
                for rest in inner[1:]:
                    self.read(rest)
        return join_texts(parts, self.LONGEST)

    def _concatenation(self, node: "Node") -> Expression:
        return join_texts(map(self.read, significant(node)), self.LONGEST)

    def _call(self, node: "Node") -> Expression:
        self.enter()
        parts = node.children
        if len(parts) != 2:
            parts = node.named_children
        function, inside = self.read(parts[0]), parts[-1]
        positional: tuple[Expression, ...] = ()
        keywords: tuple[tuple[str, Expression], ...] = ()
        if inside.type == "argument_list":
            positional, keywords = self.call_arguments(inside)
        elif len(parts) > 1:
            positional = (self.read(inside),)
        self.leave()
        call = Call(function, positional, keywords, line_of(node))
        self.calls.append(CallSite(self.scope, call))
        if isinstance(function, Attribute) and function.name == "format":
            return _format_call(function.base, call)
        return call

    def call_arguments(self, node: "Node") -> CallArguments:
        """The arguments in the parentheses of a call, or of a class."""
        positional: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        for child in node.named_children:
            kind = child.type
            if kind == "keyword_argument":
                keywords.append(self._keyword(child))
            elif kind != "comment":
                positional.append(self.read(child))
        return tuple(positional[: self.LONGEST]), tuple(keywords[: self.LONGEST])

    def _keyword(self, node: "Node") -> tuple[str, Expression]:
        parts = node.children
        if len(parts) != 3:
            parts = node.named_children
        return self.text(parts[0]), self.read(parts[-1])

    def _subscript(self, node: "Node") -> Expression:
        base, *indexes = [self.read(child) for child in significant(node)]
        index = shapes.one_or_items(indexes)
        if isinstance(index, StringLiteral):
            self.reads.append(KeyRead(self.scope, base, index.value, line_of(node)))
        return Subscript(base, index)

    def _conditional(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in significant(node)]
        return Alternatives((parts[0], parts[-1])) if len(parts) > 1 else OPAQUE

    def _pairs(self, node: "Node") -> Expression:
        pairs: list[tuple[Expression, Expression]] = []
        for child in node.named_children:
            inner = child.named_children
            if len(inner) > 1 and child.type == "pair":
                pairs.append((self.read(inner[0]), self.read(inner[-1])))
            else:
                self.read(child)
        return Pairs(tuple(pairs[: self.LONGEST]))

    def _comparison(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children]
        if len(parts) == 2 and isinstance(parts[0], StringLiteral):
            signs = {child.type for child in node.children if not child.is_named}
            if signs & {"in", "not in"}:
                self.reads.append(KeyRead(self.scope, parts[1], parts[0].value, line_of(node)))
        return OPAQUE

    def _comprehension(self, node: "Node") -> Expression:
        """`element for variable in source`: of one loop only, whose clauses are read before what they bind is used."""
        body, *clauses = significant(node)
        loops: list[tuple[str, Expression]] = []
        for clause in clauses:
            parts = clause.named_children
            if clause.type == "for_in_clause" and len(parts) > 1:
                source = self.read(parts[-1])
                loops.append((self.text(parts[0]), source))
            else:
                self.read(clause)
        element = self.read(body)
        if len(loops) == 1 and loops[0][0].isidentifier():
            return Comprehension(element, *loops[0])
        return OPAQUE

    def _last(self, node: "Node") -> Expression:
        return self.read(node.named_children[-1])

    LEAVES: ClassVar[dict[str, ReadLeaf]] = {
        "identifier": _identifier,
        **dict.fromkeys(("integer", "float", "true", "false", "none", "ellipsis"), constant),
        "type": SyntaxReader.last_inside,
        "attribute": _attribute,
        "string": _string,
        "call": _call,
    }
    READERS: ClassVar[dict[str, Read]] = {
        **dict.fromkeys(("parenthesized_expression", "await"), SyntaxReader.last_inside),
        "concatenated_string": _concatenation,
        "subscript": _subscript,
        "generic_type": shapes.generic,
        **dict.fromkeys(("binary_operator", "boolean_operator"), SyntaxReader.binary),
        "conditional_expression": _conditional,
        "union_type": shapes.union,
        **dict.fromkeys(("list", "tuple", "set", "expression_list"), shapes.items),
        "dictionary": _pairs,
        "comparison_operator": _comparison,
        **dict.fromkeys(("list_comprehension", "set_comprehension", "generator_expression"), _comprehension),
        **dict.fromkeys(("list_splat", "dictionary_splat"), SyntaxReader.splat),
        "named_expression": _last,
    }


def plain_string(literal: bytes) -> bytes | None:
    """The text between the quotes, where the literal is nothing but quotes and text; None for any other."""
    quote = literal[:1]
    if quote not in _QUOTES or b"\\" in literal:
        return None
    if literal.startswith(quote * 3):
        return literal[3:-3] if len(literal) > 5 and literal.endswith(quote * 3) else None
    return literal[1:-1] if len(literal) > 1 and literal.endswith(quote) else None


def _unescape(text: str, *, raw: bool) -> str:
    """The value of what stands between the quotes."""
    if raw or "\\" not in text:
        return text
    try:
        value = ast.literal_eval(f'"""{text}"""' if '"' not in text else f"'''{text}'''")
    except (SyntaxError, ValueError):
        return text
    return value if isinstance(value, str) and is_text(value) else text


def _format_call(pattern: Expression, call: Call) -> Expression:
    """`"…{}…".format(a)` as a joined string, where it takes plain positional fields only."""
    if not isinstance(pattern, StringLiteral):
        return call
    pieces = pattern.value.split("{}")
    if len(pieces) != len(call.arguments) + 1 or "{" in "".join(pieces):
        return call
    return fill_format(pieces, call.arguments, PythonExpressionReader.LONGEST)
