"""Turn the syntax of a TypeScript expression or type into an expression of `facts`, noting calls and key reads."""

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
    Items,
    KeyRead,
    Name,
    StringLiteral,
    Subscript,
    join_texts,
    method_test,
)
from pipeline.code_registry.languages.syntax_reader import Read, SyntaxReader, line_of, significant, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 400
"""Items of a literal that are kept."""
_KEY_HOLDERS = frozenset({"query", "body", "params", "headers", "cookies", "env"})
"""Objects whose attributes are noted as keys that are read: parts of a request, and the environment."""
_COMPARING = frozenset({"==", "===", "!=", "!=="})
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "v": "\v"}
_HEX_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")


class TypeScriptExpressionReader(SyntaxReader):
    """Reads expressions and types of TypeScript and JavaScript."""

    def _identifier(self, node: "Node") -> Expression:
        return Name(text_of(node))

    def inner(self, node: "Node") -> Expression:
        """The expression that a node wraps."""
        children = significant(node)
        return self.read(children[0]) if children else OPAQUE

    def _super(self, node: "Node") -> Expression:
        return Call(Name("super"), (), (), line_of(node))

    def _string(self, node: "Node") -> Expression:
        return StringLiteral(string_of(node))

    def _template(self, node: "Node") -> Expression:
        parts: list[Expression] = []
        for child in node.named_children:
            if child.type == "template_substitution":
                parts.append(self.inner(child))
            else:
                parts.append(StringLiteral(_unescape(text_of(child))))
        return join_texts(parts, LONGEST)

    def _member(self, node: "Node") -> Expression:
        base, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if base is None or name is None:
            return OPAQUE
        owner, word = self.read(base), text_of(name)
        if isinstance(owner, Name | Attribute) and owner.name in _KEY_HOLDERS:
            self.reads.append(KeyRead(self.scope, owner, word, line_of(name)))
        return Attribute(owner, word)

    def _subscript(self, node: "Node") -> Expression:
        base, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if base is None or index is None:
            return OPAQUE
        owner, key = self.read(base), self.read(index)
        if isinstance(key, StringLiteral):
            self.reads.append(KeyRead(self.scope, owner, key.value, line_of(index)))
        return Subscript(owner, key)

    def _call(self, node: "Node") -> Expression:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        inside = node.child_by_field_name("arguments")
        if function is None:
            return OPAQUE
        module = _required_module(function, inside)
        if module is not None:
            local = f"require({module!r})"
            self.imports.append(Import(0, local, module, 0, "default"))
            return Name(local)
        if function.type == "super":
            callee: Expression = Attribute(self._super(function), "constructor")
        else:
            callee = self.read(function)
        arguments = self.arguments(callee, inside) if inside is not None else ()
        call = Call(callee, arguments, (), _call_line(function))
        self.calls.append(CallSite(self.scope, call))
        return call

    def arguments(self, callee: Expression, inside: "Node") -> tuple[Expression, ...]:
        """The arguments of a call, a tagged template's among them; `callee` says what reads them."""
        del callee
        if inside.type != "arguments":
            return (self.read(inside),)
        return tuple(self.read(child) for child in significant(inside)[:LONGEST])

    def combine(self, operator: str, operands: list[Expression]) -> Expression:
        """`+` puts strings together, others give one of their operands; a comparison may say which methods are answered."""
        if operator in _COMPARING:
            excludes = operator.startswith("!")
            self.comparisons += method_test(self.scope, (operands[0], operands[1]), excludes=excludes)
        match operator:
            case "+":
                return join_texts(operands, LONGEST)
            case "||" | "??":
                return Alternatives(tuple(operands[:LONGEST]))
            case "&&":
                return operands[-1]
            case _:
                return OPAQUE

    def _switch(self, node: "Node") -> Expression:
        """A switch; one over a request's method says which methods are answered."""
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        left = self.read(value) if value is not None else OPAQUE
        for case in body.named_children if body is not None else ():
            test = case.child_by_field_name("value") if case.type == "switch_case" else None
            if test is not None and test.type in {"string", "member_expression"}:
                sides = (left, self.read(test))
                self.comparisons += method_test(self.scope, sides, excludes=False, is_case=True)
        return self.read(body) if body is not None else OPAQUE

    def _ternary(self, node: "Node") -> Expression:
        parts = [self.read(child) for child in significant(node)]
        return Alternatives(tuple(parts[1:])) if len(parts) == 3 else OPAQUE

    def _array(self, node: "Node") -> Expression:
        return Items(tuple(self.read(child) for child in significant(node)[:LONGEST]))

    def _cast(self, node: "Node") -> Expression:
        """`value as Type` is the value; the type it is said to have is not proved."""
        return self.inner(node)

    def _generic_type(self, node: "Node") -> Expression:
        name, inside = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        base = self.read(name) if name is not None else OPAQUE
        parts = tuple(self.read(child) for child in significant(inside)) if inside is not None else ()
        return Subscript(base, parts[0] if len(parts) == 1 else Items(parts))

    def _nested_type(self, node: "Node") -> Expression:
        parts = significant(node)
        return Attribute(self.read(parts[0]), text_of(parts[-1])) if len(parts) > 1 else OPAQUE

    def _union_type(self, node: "Node") -> Expression:
        options: list[Expression] = []
        for child in significant(node):
            option = self.read(child)
            options += option.options if isinstance(option, Alternatives) else (option,)
        return Alternatives(tuple(options))

    def _array_type(self, node: "Node") -> Expression:
        return Subscript(Name("Array"), self.inner(node))

    def _type_query(self, node: "Node") -> Expression:
        return Subscript(Name("typeof"), self.inner(node))

    LEAVES: ClassVar[dict[str, Read]] = {
        **dict.fromkeys(
            ("identifier", "type_identifier", "predefined_type", "property_identifier", "this"), _identifier
        ),
        **dict.fromkeys(("number", "true", "false", "null", "undefined"), SyntaxReader.constant),
        "string": _string,
        "super": _super,
        **dict.fromkeys(
            ("regex", "comment", "intersection_type", "lookup_type", "function_type", "object_type"),
            SyntaxReader.opaque,
        ),
        **dict.fromkeys(
            ("tuple_type", "conditional_type", "type_arguments", "type_parameters", "function_signature"),
            SyntaxReader.opaque,
        ),
    }
    READERS: ClassVar[dict[str, Read]] = {
        "template_string": _template,
        "parenthesized_expression": inner,
        "await_expression": inner,
        "non_null_expression": inner,
        "as_expression": _cast,
        "satisfies_expression": _cast,
        "type_assertion": SyntaxReader.last_inside,
        "member_expression": _member,
        "nested_identifier": _nested_type,
        "subscript_expression": _subscript,
        "call_expression": _call,
        "new_expression": _call,
        "binary_expression": SyntaxReader.binary,
        "switch_statement": _switch,
        "ternary_expression": _ternary,
        "array": _array,
        "spread_element": SyntaxReader.splat,
        "sequence_expression": SyntaxReader.last_inside,
        "type_annotation": inner,
        "generic_type": _generic_type,
        "nested_type_identifier": _nested_type,
        "union_type": _union_type,
        "array_type": _array_type,
        "type_query": _type_query,
        "literal_type": inner,
        "readonly_type": inner,
        "parenthesized_type": inner,
    }


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


def _call_line(function: "Node") -> int:
    """A call in a chain is known by the line of its own name."""
    name = function.child_by_field_name("property") if function.type == "member_expression" else None
    return line_of(name if name is not None else function)
