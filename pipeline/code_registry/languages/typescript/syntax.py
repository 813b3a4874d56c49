"""Names of things in the syntax: properties, tests, functions without a name, and the comments before them."""

from typing import TYPE_CHECKING

from pipeline.code_registry.facts import Attribute, Expression, Name, StringLiteral
from pipeline.code_registry.languages.syntax_reader import line_of, text_of
from pipeline.code_registry.languages.typescript.expressions import string_of

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function_declaration"}
    | {"generator_function_declaration", "method_definition"}
)
_TEST_CALLS = {"it": "test", "test": "test", "describe": "describe", "suite": "describe"}


def place_name(node: "Node") -> str:
    """A name for what has none: where it stands."""
    return f"<{line_of(node)}:{node.start_point[1] + 1}>"


def test_word(callee: Expression) -> str:
    """`test` or `describe` where a call is the one of a test or of a group of tests."""
    match callee:
        case Name(word) | Attribute(Name(word), "only" | "skip" | "concurrent") if word in _TEST_CALLS:
            return _TEST_CALLS[word]
        case _:
            return ""


def test_name(word: str, title: Expression) -> str:
    """The name of a test, by its title."""
    text = title.value if isinstance(title, StringLiteral) else ""
    return f"{word} {' '.join(text.replace('.', ' ').split())}"[:120]


def key_of(node: "Node") -> str | None:
    """The name of a property; None where it is computed."""
    match node.type:
        case "string":
            return string_of(node)
        case "computed_property_name":
            return None
        case _:
            return text_of(node)


def documentation(node: "Node") -> str | None:
    """The first paragraph of the comment before a definition, without tags."""
    at = node
    while at.parent is not None and at.parent.type in {
        "export_statement",
        "variable_declarator",
        "lexical_declaration",
    }:
        at = at.parent
    before = at.prev_named_sibling
    if before is None or before.type != "comment":
        return None
    text = text_of(before)
    if not text.startswith("/**"):
        return None
    lines = [line.strip().lstrip("*").strip() for line in text[3:-2].splitlines()]
    paragraph: list[str] = []
    for line in lines:
        if line.startswith("@") or (not line and paragraph):
            break
        paragraph.append(line)
    return " ".join(" ".join(paragraph).split()) or None


def is_function_property(node: "Node") -> bool:
    """Whether a property of an object literal is a function with a name."""
    value = node if node.type == "method_definition" else node.child_by_field_name("value")
    key_node = node.child_by_field_name("key") or node.child_by_field_name("name")
    return (
        value is not None
        and value.type in FUNCTIONS
        and key_node is not None
        and key_of(key_node) is not None
    )


def is_overload(node: "Node") -> bool:
    """Whether a method has no body."""
    return node.child_by_field_name("body") is None
