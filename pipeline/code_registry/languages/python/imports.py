"""Small questions about the nodes of Python's grammar: statements, assignments, strings, imports."""

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from pipeline.code_registry.facts import Call, Expression, Import, StringLiteral, fill_format, is_text

if TYPE_CHECKING:
    from tree_sitter import Node


_T = TypeVar("_T")


class Memory(dict[bytes, _T]):
    """What is nothing but its text, by the text. Most of what a repository says it says often: a third of all lists of
    arguments and half of all keywords were read before. Each is made once in a process, up to a bound.
    """

    _MOST_ENTRIES = 100_000

    def __init__(self, longest: int) -> None:
        self._longest = longest

    def learn(self, text: bytes, value: _T) -> _T:
        """Know a value the next time, unless its text is long, or missing in the source."""
        if 0 < len(text) <= self._longest:
            if len(self) >= self._MOST_ENTRIES:
                self.clear()
            self[text] = value
        return value


LONGEST = 400
"""Items of a literal that are kept."""
_QUOTES = frozenset({b'"', b"'"})


def plain_string(literal: bytes) -> bytes | None:
    """What stands between the quotes, where the literal is nothing but quotes and text; None for any other."""
    quote = literal[:1]
    if quote not in _QUOTES or b"\\" in literal:
        return None
    if literal.startswith(quote * 3):
        return literal[3:-3] if len(literal) > 5 and literal.endswith(quote * 3) else None
    return literal[1:-1] if len(literal) > 1 and literal.endswith(quote) else None


def unescape(text: str, *, raw: bool) -> str:
    """The value of what stands between the quotes."""
    if raw or "\\" not in text:
        return text
    try:
        value = ast.literal_eval(f'"""{text}"""' if '"' not in text else f"'''{text}'''")
    except (SyntaxError, ValueError):
        return text
    return value if isinstance(value, str) and is_text(value) else text


def format_call(pattern: Expression, call: Call) -> Expression:
    """`"…{}…".format(a)` as a joined string, where it takes plain positional fields only."""
    if not isinstance(pattern, StringLiteral):
        return call
    pieces = pattern.value.split("{}")
    if len(pieces) != len(call.arguments) + 1 or "{" in "".join(pieces):
        return call
    return fill_format(pieces, call.arguments, LONGEST)


TextOf = Callable[["Node"], str]
ReadImport = Callable[["Node", TextOf, int], Iterator[Import]]
"""Reads a statement in a scope, given what says the text of a node."""


def read_import(node: "Node", text_of: TextOf, scope: int) -> Iterator[Import]:
    """`import a.b, c as d`."""
    for child in node.named_children:
        if child.type == "dotted_name":
            module = text_of(child)
            yield Import(scope, module.split(".")[0], module.split(".")[0], 0, None)
            yield Import(scope, module, module, 0, None)
        elif child.type == "aliased_import":
            name, local = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is not None and local is not None:
                yield Import(scope, text_of(local), text_of(name), 0, None)


def read_import_from(node: "Node", text_of: TextOf, scope: int) -> Iterator[Import]:
    """`from .a import b, c as d`."""
    source = node.child_by_field_name("module_name")
    if source is None:
        return
    module_text = text_of(source)
    module = module_text.lstrip(".")
    level = len(module_text) - len(module)
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            name, local = child.child_by_field_name("name"), child.child_by_field_name("alias")
        else:
            name = local = child
        if name is not None and local is not None:
            yield Import(scope, text_of(local), module, level, text_of(name))
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Import(scope, "*", module, level, "*")


BLOCKS = frozenset(
    (
        "block if_statement elif_clause else_clause while_statement try_statement except_clause "
        "except_group_clause finally_clause match_statement case_clause ERROR"
    ).split()
)
"""Kinds of nodes that are nothing but the statements inside them."""


def sides(node: "Node") -> "tuple[Node | None, Node | None, Node | None]":
    """Target, value and type of an assignment: by their places, where nothing stands between them."""
    parts = node.children
    if len(parts) == 3 and parts[1].type == "=":
        return parts[0], parts[2], None
    field = node.child_by_field_name
    return field("left"), field("right"), field("type")
