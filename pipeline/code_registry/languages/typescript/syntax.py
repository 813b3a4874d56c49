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
_DECLARING = frozenset({"export_statement", "variable_declarator", "lexical_declaration"})


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


def key_of(node: "Node | None") -> str | None:
    """The name of a property; None where it is computed."""
    if node is None or node.type == "computed_property_name":
        return None
    return plain_or_quoted(node)


def plain_or_quoted(node: "Node") -> str:
    """A name, which may be written as a string."""
    return string_of(node) if node.type == "string" else text_of(node)


def documentation(node: "Node") -> str | None:
    """The first paragraph of the comment before a definition, without tags."""
    at = node
    while at.parent is not None and at.parent.type in _DECLARING:
        at = at.parent
    before = at.prev_named_sibling
    text = text_of(before) if before is not None and before.type == "comment" else ""
    if not text.startswith("/**"):
        return None
    paragraph: list[str] = []
    for line in text[3:-2].splitlines():
        words = line.strip().lstrip("*").strip()
        if words.startswith("@") or (not words and paragraph):
            break
        paragraph.append(words)
    return " ".join(" ".join(paragraph).split()) or None


def is_function_property(node: "Node") -> bool:
    """Whether a property of an object literal is a function with a name."""
    value = node if node.type == "method_definition" else node.child_by_field_name("value")
    key_node = node.child_by_field_name("key") or node.child_by_field_name("name")
    return value is not None and value.type in FUNCTIONS and key_of(key_node) is not None
