"""Turn the syntax of a TypeScript expression or type into an expression of `facts`, noting calls and key reads on the way."""

import re
from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    OPAQUE,
    Alternatives,
    Attribute,
    Call,
    CallSite,
    Expression,
    Import,
    KeyRead,
    Name,
    StringLiteral,
    Subscript,
    join_texts,
)
from pipeline.code_registry.languages import shapes
from pipeline.code_registry.languages.syntax_reader import (
    Read,
    ReadLeaf,
    SyntaxReader,
    line_of,
    significant,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

DEFAULT_EXPORT = "default"
"""The name under which a module's one exported value is bound."""
FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function_declaration"}
    | {"generator_function_declaration", "method_definition"}
)
_TEST_CALLS = {"it": "test", "test": "test", "describe": "describe", "suite": "describe"}
_DECLARING = frozenset({"export_statement", "variable_declarator", "lexical_declaration"})
_KEY_HOLDERS = frozenset({"query", "body", "params", "headers", "cookies", "env"})
"""Objects whose attributes are noted as keys that are read: parts of a request, and the environment."""
_CASES = frozenset({"string", "member_expression"})
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v"}
_HEX_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")


class TypeScriptExpressionReader(SyntaxReader):
    """Reads expressions and types of TypeScript and JavaScript."""

    CHOOSING = frozenset({"||", "??"})

    def _super(self, node: "Node") -> Expression:
        return Call(Name("super"), (), (), line_of(node))

    def _string(self, node: "Node") -> Expression:
        return StringLiteral(string_of(node))

    def _template(self, node: "Node") -> Expression:
        parts = [
            shapes.first_inside(self, child)
            if child.type == "template_substitution"
            else StringLiteral(_unescape(text_of(child)))
            for child in node.named_children
        ]
        return join_texts(parts, self.LONGEST)

    def _member(self, node: "Node") -> Expression:
        expression = _MEMBER(self, node)
        match expression:
            case Attribute(Name(word) | Attribute(_, word) as owner, key) if word in _KEY_HOLDERS:
                self.reads.append(KeyRead(self.scope, owner, key, node.end_point[0] + 1))
        return expression

    def _call(self, node: "Node") -> Expression:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        inside = node.child_by_field_name("arguments")
        if function is None:
            return OPAQUE
        module = _required_module(function, inside)
        if module is not None:
            local = f"require({module!r})"
            self.imports.append(Import(0, local, module, 0, DEFAULT_EXPORT))
            return Name(local)
        callee = self.read(function)
        if function.type == "super":
            callee = Attribute(callee, "constructor")
        arguments = self.arguments(callee, inside) if inside is not None else ()
        # A call in a chain is known by the line of its own name.
        line = function.end_point[0] if function.type == "member_expression" else function.start_point[0]
        call = Call(callee, arguments, (), line + 1)
        self.calls.append(CallSite(self.scope, call))
        return call

    def arguments(self, callee: Expression, inside: "Node") -> tuple[Expression, ...]:
        """The arguments of a call, a tagged template's among them; `callee` says what reads them."""
        raise NotImplementedError

    def combine(self, operator: str, operands: list[Expression]) -> Expression:
        """Where all must hold, the value is the last one."""
        return operands[-1] if operator == "&&" else super().combine(operator, operands)

    def _switch(self, node: "Node") -> None:
        subject, body = self.read_part(node, "value"), node.child_by_field_name("body")
        if subject is None or body is None:
            return
        cases = [case.child_by_field_name("value") for case in body.named_children]
        self.note_cases(subject, [case for case in cases if case is not None and case.type in _CASES])
        self.read(body)

    def _ternary(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in significant(node)]
        return Alternatives(tuple(parts[1:])) if len(parts) == 3 else OPAQUE

    def _nested_type(self, node: "Node") -> Expression:
        parts = significant(node)
        return Attribute(self.read(parts[0]), text_of(parts[-1])) if len(parts) > 1 else OPAQUE

    def _array_type(self, node: "Node") -> Expression:
        return Subscript(Name("Array"), shapes.first_inside(self, node))

    def _type_query(self, node: "Node") -> Expression:
        return Subscript(Name("typeof"), shapes.first_inside(self, node))

    LEAVES: ClassVar[dict[str, ReadLeaf]] = {
        **dict.fromkeys(
            ("identifier", "type_identifier", "predefined_type", "property_identifier", "this"), shapes.name
        ),
        **dict.fromkeys(("number", "true", "false", "null", "undefined"), SyntaxReader.constant),
        "string": _string,
        "super": _super,
        **dict.fromkeys(
            (
                "regex comment intersection_type lookup_type function_type object_type tuple_type conditional_type "
                "type_arguments type_parameters function_signature"
            ).split(),
            SyntaxReader.opaque,
        ),
    }
    READERS: ClassVar[dict[str, Read]] = {
        "template_string": _template,
        # `value as Type` is the value; the type it is said to have is not proved.
        **dict.fromkeys(
            (
                "parenthesized_expression await_expression non_null_expression as_expression satisfies_expression "
                "expression_statement type_annotation literal_type readonly_type parenthesized_type"
            ).split(),
            shapes.first_inside,
        ),
        **dict.fromkeys(("type_assertion", "sequence_expression"), SyntaxReader.last_inside),
        "member_expression": _member,
        **dict.fromkeys(("nested_identifier", "nested_type_identifier"), _nested_type),
        "subscript_expression": shapes.element("object", "index"),
        **dict.fromkeys(("call_expression", "new_expression"), _call),
        "binary_expression": SyntaxReader.binary,
        "switch_statement": _switch,
        "ternary_expression": _ternary,
        "array": shapes.items,
        "spread_element": SyntaxReader.splat,
        "generic_type": shapes.generic,
        "union_type": shapes.union,
        "array_type": _array_type,
        "type_query": _type_query,
    }


_MEMBER = shapes.member("object", "property")


def string_of(node: "Node") -> str:
    """The value of a string literal."""
    return _unescape(text_of(node)[1:-1])


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    text = _HEX_ESCAPE.sub(lambda m: _character(m[1] or m[2] or m[3]), text)
    return re.sub(r"\\(.)", lambda m: _SIMPLE_ESCAPES.get(m[1], m[1]), text)


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else "\ufffd"


def _required_module(function: "Node", inside: "Node | None") -> str | None:
    """The module of `require("module")` or `import("module")`."""
    if function.type != "import" and not (function.type == "identifier" and function.text == b"require"):
        return None
    nodes = significant(inside) if inside is not None else []
    return string_of(nodes[0]) if len(nodes) == 1 and nodes[0].type == "string" else None


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
