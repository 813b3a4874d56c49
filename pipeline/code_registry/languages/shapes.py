"""The shapes that expressions have in every language: a table says of each kind of node which shape it has, and its fields."""

from typing import TYPE_CHECKING

from pipeline.code_registry.facts import (
    OPAQUE,
    Alternatives,
    Attribute,
    Expression,
    Items,
    KeyRead,
    Name,
    StringLiteral,
    Subscript,
)
from pipeline.code_registry.languages.syntax_reader import (
    ReadLeaf,
    SyntaxReader,
    line_of,
    significant,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def name(_reader: SyntaxReader, node: "Node") -> Expression:
    """An identifier."""
    return Name(text_of(node))


def member(base_field: str, name_field: str) -> ReadLeaf:
    """`base.name`."""

    def read(reader: SyntaxReader, node: "Node") -> Expression:
        base, word = node.child_by_field_name(base_field), node.child_by_field_name(name_field)
        return OPAQUE if base is None or word is None else Attribute(reader.read(base), text_of(word))

    return read


def element(base_field: str, key_field: str) -> ReadLeaf:
    """`base[key]`, whose constant key is read."""

    def read(reader: SyntaxReader, node: "Node") -> Expression:
        base, index = node.child_by_field_name(base_field), node.child_by_field_name(key_field)
        if base is None or index is None:
            return OPAQUE
        owner, key = reader.read(base), reader.read(index)
        if isinstance(key, StringLiteral):
            reader.reads.append(KeyRead(reader.scope, owner, key.value, line_of(node)))
        return Subscript(owner, key)

    return read


def generic(reader: SyntaxReader, node: "Node") -> Expression:
    """`Base[A, B]` and `Base<A, B>`: the last part holds the types."""
    base, *_, inside = node.named_children
    return Subscript(reader.read(base), one_or_items([reader.read(part) for part in significant(inside)]))


def one_or_items(parts: list[Expression]) -> Expression:
    """The content of brackets: one thing, or several."""
    return parts[0] if len(parts) == 1 else Items(tuple(parts))


def items(reader: SyntaxReader, node: "Node") -> Expression:
    """A list, tuple or set."""
    return Items(tuple([reader.read(child) for child in significant(node)][: reader.LONGEST]))


def union(reader: SyntaxReader, node: "Node") -> Expression:
    """`A | B` of types."""
    options: list[Expression] = []
    for child in significant(node):
        option = reader.read(child)
        options += option.options if isinstance(option, Alternatives) else (option,)
    return Alternatives(tuple(options))


def first_inside(reader: SyntaxReader, node: "Node") -> Expression:
    """The expression that a node wraps: the first inside it."""
    children = significant(node)
    return reader.read(children[0]) if children else OPAQUE
