"""Turn the syntax of a Python expression into an expression of `facts`, noting calls and key reads on the way."""

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    OPAQUE,
    Attribute,
    Call,
    CallSite,
    Choice,
    Constant,
    Each,
    Expression,
    Items,
    KeyRead,
    Name,
    Pairs,
    Splat,
    Subscript,
    Text,
    TooDeep,
    is_text,
    joined,
)

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 60
"""Nesting beyond which an expression is opaque: a bound against hostile files."""
NESTED = "nested too deep to be written by a person"
_QUOTES = frozenset({b'"', b"'"})
_MOST_KNOWN = 100_000
_MOST_KNOWN_BYTES = 80
_KNOWN: dict[str, dict[bytes, Expression]] = {
    kind: {}
    for kind in ("identifier", "attribute", "string", "integer", "true", "false", "none", "float", "type")
}
"""Expressions that are nothing but their text, by kind and text. Most of what a repository says it says often: each is
made once in a process, up to a bound."""
LONGEST = 400
"""Items of a literal that are kept."""


class ExpressionReader:
    """Reads expressions of one file; `scope` is the definition whose code is being read."""

    def __init__(self) -> None:
        self.scope = 0
        self.calls: list[CallSite] = []
        self.reads: list[KeyRead] = []
        self._depth = 0

    def read(self, node: "Node") -> Expression:
        """The expression of a node; calls inside it are noted even where the result is opaque."""
        kind = node.type
        known = _KNOWN.get(kind)
        if known is None:
            return self._read(node, kind)
        text = node.text or b""
        found = known.get(text)
        return found if found is not None else self._learnt(node, kind, text)

    def _learnt(self, node: "Node", kind: str, text: bytes) -> Expression:
        """Read an expression, and know it the next time if it is nothing but its text."""
        noted = len(self.calls) + len(self.reads)
        found = self._read(node, kind)
        if len(text) <= _MOST_KNOWN_BYTES and len(self.calls) + len(self.reads) == noted:
            known = _KNOWN[kind]
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[text] = found
        return found

    def _read(self, node: "Node", kind: str) -> Expression:
        reader = self._READERS.get(kind)
        if reader is None:
            if node.named_child_count:
                self._children(node)
            return OPAQUE
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep(NESTED)
        result = reader(self, node)
        self._depth -= 1
        return result

    def name(self, node: "Node") -> str:
        """The name that an identifier is."""
        found = self.read(node)
        return found.name if isinstance(found, Name) else text_of(node)

    def _children(self, node: "Node") -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep(NESTED)
        for child in node.named_children:
            self.read(child)
        self._depth -= 1

    def _identifier(self, node: "Node") -> Expression:
        return Name(text_of(node))

    def _constant(self, node: "Node") -> Expression:
        return Constant(text_of(node))

    def _inner(self, node: "Node") -> Expression:
        found: Expression = OPAQUE
        for child in node.named_children:
            if child.type != "comment":
                found = self.read(child)
        return found

    def _attribute(self, node: "Node") -> Expression:
        parts = node.named_children
        if len(parts) < 2:
            return OPAQUE
        return Attribute(self.read(parts[0]), self.name(parts[-1]))

    def _string(self, node: "Node") -> Expression:
        plain = _plain_string(node.text or b"")
        if plain is not None:
            return Text(plain.decode("utf-8", "replace"))
        parts: list[Expression] = []
        prefix = b""
        for child in node.children:
            kind = child.type
            if kind == "string_start":
                prefix = (child.text or b"").lower()
            elif kind == "string_content":
                text = _unescape(child, raw=b"r" in prefix)
                parts.append(Text(text.replace("{{", "{").replace("}}", "}") if b"f" in prefix else text))
            elif kind == "interpolation":
                inner = child.named_children
                parts.append(self.read(inner[0]) if inner else OPAQUE)
                for rest in inner[1:]:
                    self.read(rest)
        return joined(parts, LONGEST)

    def _concatenated(self, node: "Node") -> Expression:
        return joined([self.read(child) for child in node.named_children if child.type == "string"], LONGEST)

    def _call(self, node: "Node") -> Expression:
        parts = node.named_children
        function = self.read(parts[0])
        positional: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        inside = parts[-1]
        if inside.type == "argument_list":
            for child in inside.named_children:
                kind = child.type
                if kind == "keyword_argument":
                    name, value = child.named_children[0], child.named_children[-1]
                    keywords.append((self.name(name), self.read(value)))
                elif kind != "comment":
                    positional.append(self.read(child))
        elif len(parts) > 1:
            positional.append(self.read(inside))
        call = Call(function, tuple(positional[:LONGEST]), tuple(keywords[:LONGEST]), node.start_point[0] + 1)
        self.calls.append(CallSite(self.scope, call))
        if isinstance(function, Attribute) and function.name == "format":
            return _formatted(function.base, call)
        return call

    def _subscript(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children]
        base, indexes = parts[0], parts[1:]
        index = indexes[0] if len(indexes) == 1 else Items(tuple(indexes))
        if isinstance(index, Text):
            self.reads.append(KeyRead(self.scope, base, index.value, node.start_point[0] + 1))
        return Subscript(base, index)

    def _generic(self, node: "Node") -> Expression:
        base = self.read(node.named_children[0])
        inside = [self.read(child) for child in node.named_children[-1].named_children]
        return Subscript(base, inside[0] if len(inside) == 1 else Items(tuple(inside)))

    def _binary(self, node: "Node") -> Expression:
        left, right = self.read(node.named_children[0]), self.read(node.named_children[-1])
        operator = node.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        if sign == "+":
            if isinstance(left, Items) and isinstance(right, Items):
                return Items((*left.items, *right.items)[:LONGEST])
            return joined([left, right], LONGEST)
        if sign == "|":
            return Choice((left, right))
        return OPAQUE

    def _boolean(self, node: "Node") -> Expression:
        return Choice(tuple(self.read(child) for child in node.named_children))

    def _conditional(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children if child.type != "comment"]
        return Choice((parts[0], parts[-1])) if len(parts) > 1 else OPAQUE

    def _union(self, node: "Node") -> Expression:
        return Choice(tuple(self.read(child) for child in node.named_children))

    def _items(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children if child.type != "comment"]
        return Items(tuple(parts[:LONGEST]))

    def _pairs(self, node: "Node") -> Expression:
        pairs: list[tuple[Expression, Expression]] = []
        for child in node.named_children:
            inner = child.named_children
            if child.type == "pair" and len(inner) > 1:
                pairs.append((self.read(inner[0]), self.read(inner[-1])))
            else:
                self.read(child)
        return Pairs(tuple(pairs[:LONGEST]))

    def _comparison(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in node.named_children]
        signs = {child.type for child in node.children if not child.is_named}
        if len(parts) == 2 and isinstance(parts[0], Text) and signs & {"in", "not in"}:
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
                variable = text_of(clause.named_children[0])
            else:
                self.read(clause)
        element = self.read(body)
        return Each(element, variable, read_source) if len(loops) == 1 and variable.isidentifier() else OPAQUE

    def _splat(self, node: "Node") -> Expression:
        return Splat(self._inner(node))

    def _named(self, node: "Node") -> Expression:
        return self.read(node.named_children[-1])

    def _lambda(self, node: "Node") -> Expression:
        self._children(node)
        return OPAQUE

    _READERS: ClassVar[dict[str, Callable[["ExpressionReader", "Node"], Expression]]] = {
        "identifier": _identifier,
        "dotted_name": _identifier,
        "integer": _constant,
        "float": _constant,
        "true": _constant,
        "false": _constant,
        "none": _constant,
        "ellipsis": _constant,
        "parenthesized_expression": _inner,
        "await": _inner,
        "type": _inner,
        "expression_statement": _inner,
        "attribute": _attribute,
        "member_type": _attribute,
        "string": _string,
        "concatenated_string": _concatenated,
        "call": _call,
        "subscript": _subscript,
        "generic_type": _generic,
        "binary_operator": _binary,
        "boolean_operator": _boolean,
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
        "named_expression": _named,
        "lambda": _lambda,
        "comment": _constant,
    }


def text_of(node: "Node") -> str:
    """The source of a node; broken encodings become replacement characters."""
    return (node.text or b"").decode("utf-8", "replace")


def _plain_string(written: bytes) -> bytes | None:
    """What stands between the quotes, where the literal is nothing but quotes and text; None for any other."""
    quote = written[:1]
    if quote not in _QUOTES or b"\\" in written:
        return None
    if written.startswith(quote * 3):
        return written[3:-3] if len(written) > 5 and written.endswith(quote * 3) else None
    return written[1:-1] if len(written) > 1 and written.endswith(quote) else None


def _unescape(node: "Node", *, raw: bool) -> str:
    text = text_of(node)
    if raw or "\\" not in text:
        return text
    try:
        value = ast.literal_eval(f'"""{text}"""' if '"' not in text else f"'''{text}'''")
    except (SyntaxError, ValueError):
        return text
    return value if isinstance(value, str) and is_text(value) else text


def _formatted(pattern: Expression, call: Call) -> Expression:
    """`"…{}…".format(a)` as a joined string, where it takes plain positional fields only."""
    if not isinstance(pattern, Text):
        return call
    pieces = pattern.value.split("{}")
    if len(pieces) != len(call.arguments) + 1 or "{" in "".join(pieces):
        return call
    parts: list[Expression] = [Text(pieces[0])]
    for argument, piece in zip(call.arguments, pieces[1:], strict=True):
        parts += [argument, Text(piece)]
    return joined([part for part in parts if part != Text("")], LONGEST)


_Read = Callable[[ExpressionReader, "Node"], Expression]
