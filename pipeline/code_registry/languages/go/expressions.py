"""Go expressions as facts, and the names that tell the variables of one function apart."""

import json
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pipeline.code_registry.facts import (
    NUMBER_MARK,
    OPAQUE,
    Attribute,
    Call,
    CallSite,
    Constant,
    Expression,
    Items,
    KeyRead,
    Name,
    Pairs,
    Splat,
    StringLiteral,
    Subscript,
    fill_format,
    join_texts,
    method_test,
)
from pipeline.code_registry.languages.syntax_reader import Read, SyntaxReader, line_of, significant, text_of
from pipeline.code_registry.parsing import Deadline

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


class Variable(NamedTuple):
    """A local variable: the name it is stored under and the definition that it belongs to."""

    stored_name: str
    scope: int


class LocalNames:
    """The blocks that are open at the moment of reading."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Variable]] = []
        self._count = 0

    def open(self) -> None:
        """Enter a block."""
        self._blocks.append({})

    def close(self) -> None:
        """Leave the innermost block."""
        self._blocks.pop()

    def parameter(self, name: str, scope: int) -> None:
        """Declare a parameter of a function."""
        self._blocks[-1][name] = Variable(name, scope)

    def declare(self, name: str, scope: int) -> Variable:
        """Declare a variable in the innermost block."""
        self._count += 1
        variable = Variable(f"{name}{NUMBER_MARK}{self._count}", scope)
        self._blocks[-1][name] = variable
        return variable

    def in_this_block(self, name: str) -> Variable | None:
        """The variable of this name that the innermost block declares: `:=` gives it a new value."""
        return self._blocks[-1].get(name) if self._blocks else None

    def find(self, name: str) -> Variable | None:
        """The local variable a name means; None for what the package or the language declares."""
        for block in reversed(self._blocks):
            if name in block:
                return block[name]
        return None


LONGEST = 2000
"""Items of a literal that are kept."""
SLICE = Name("[]")
MAP = Name("map")
FUNCTION = Name("func")


class GoExpressionReader(SyntaxReader):
    """Reads expressions and types of Go."""

    def __init__(self, tree: "Tree", deadline: Deadline) -> None:
        super().__init__(tree, deadline)
        self.names = LocalNames()

    @abstractmethod
    def inline(self, node: "Node") -> Expression:
        """Make a definition of a function or a type that is written where it is used."""

    def type_of(self, node: "Node") -> Expression | None:
        """The type that a literal, a conversion or `make` names, where the expression alone does not tell it."""
        if node.type == "composite_literal":
            type_ = node.child_by_field_name("type")
            if type_ is not None and type_.type in _COLLECTIONS:
                return self.read_type(type_)
        if node.type == "call_expression" and _text_of_function(node) == "make":
            inside = node.child_by_field_name("arguments")
            if inside is not None and inside.named_children:
                return self.read_type(inside.named_children[0])
        if node.type == "unary_expression" and node.named_children:
            return self.type_of(node.named_children[0])
        return None

    def read_type(self, node: "Node") -> Expression:
        """The expression of a type; a pointer stands for what it points to."""
        kind = node.type
        if kind in {"type_identifier", "identifier"}:
            return Name(text_of(node))
        if kind in {"qualified_type", "selector_expression"}:
            parts = node.named_children
            return Attribute(Name(text_of(parts[0])), text_of(parts[-1])) if len(parts) > 1 else OPAQUE
        if kind in {"pointer_type", "parenthesized_type", "type_elem", "unary_expression"}:
            return self._single(node)
        if kind in {"slice_type", "array_type", "implicit_length_array_type", "channel_type"}:
            element = node.child_by_field_name("element") or node.child_by_field_name("value")
            return Subscript(SLICE, self._read_deeper(element))
        if kind == "map_type":
            key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
            return Subscript(MAP, Items((self._read_deeper(key), self._read_deeper(value))))
        if kind == "generic_type":
            parts = node.named_children
            inside = tuple(self._read_deeper(child) for child in parts[-1].named_children)
            return Subscript(self.read_type(parts[0]), inside[0] if len(inside) == 1 else Items(inside))
        if kind == "function_type":
            return FUNCTION
        if kind in {"struct_type", "interface_type"}:
            return self.inline(node) if node.named_children else Name("any")
        return OPAQUE

    def _single(self, node: "Node") -> Expression:
        parts = node.named_children
        return self._read_deeper(parts[0]) if len(parts) == 1 else OPAQUE

    def _read_deeper(self, node: "Node | None") -> Expression:
        self.enter()
        result = self.read_type(node) if node is not None else OPAQUE
        self.leave()
        return result

    def _identifier(self, node: "Node") -> Expression:
        name = text_of(node)
        variable = self.names.find(name)
        return Name(variable.stored_name if variable is not None else name)

    def _string(self, node: "Node") -> Expression:
        return StringLiteral(string_value(node))

    def _selector(self, node: "Node") -> Expression:
        operand, field = node.child_by_field_name("operand"), node.child_by_field_name("field")
        if operand is None or field is None:
            return OPAQUE
        return Attribute(self.read(operand), text_of(field))

    def _call(self, node: "Node") -> Expression:
        function, inside = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or inside is None:
            return OPAQUE
        parts = significant(inside)
        line = line_of(node)
        word = text_of(function) if function.type == "identifier" else ""
        if word in _BUILDERS and self.names.find(word) is None:
            return self._built_in(word, parts, line)
        read = self.read(function)
        arguments = tuple(self.read(child) for child in parts[:LONGEST])
        call = Call(read, arguments, (), line)
        self.calls.append(CallSite(self.scope, call))
        return _sprintf(call)

    def _built_in(self, word: str, parts: list["Node"], line: int) -> Expression:
        if word == "append":
            values = [self.read(part) for part in parts]
            return values[0] if values else OPAQUE
        for part in parts[1:]:
            self.read(part)
        if word == "new" and parts:
            return Call(self.read_type(parts[0]), (), (), line)
        return OPAQUE

    def _spread(self, node: "Node") -> Expression:
        """`values...`; of `append(values, more)...` all that is put together."""
        (inner,) = significant(node)[:1] or (node,)
        if inner.type == "call_expression" and (text_of(inner).startswith("append(")):
            arguments = inner.child_by_field_name("arguments")
            parts = significant(arguments) if arguments is not None else []
            return Splat(Items(tuple(self.read(part) for part in parts)))
        return self.splat(node)

    def _conversion(self, node: "Node") -> Expression:
        """`T(x)` and `x.(T)` where the syntax says that T is a type: a value of T, no call."""
        operand, type_ = node.child_by_field_name("operand"), node.child_by_field_name("type")
        if operand is None or type_ is None:
            return OPAQUE
        value = self.read(operand)
        line = line_of(node)
        call = Call(self.read_type(type_), (value,), (), line)
        if type_.type == "generic_type":
            self.calls.append(CallSite(self.scope, call))
        return call

    def _unary(self, node: "Node") -> Expression:
        operator, operand = node.child_by_field_name("operator"), node.child_by_field_name("operand")
        value = self.read(operand) if operand is not None else OPAQUE
        match operator.type if operator is not None else "":
            case "&" | "*":
                return value
            case "<-":
                return Subscript(value, Constant("<-"))
            case _:
                return OPAQUE

    def combine(self, operator: str, operands: list[Expression]) -> Expression:
        """`+` puts strings together; a comparison may say which methods are answered."""
        if operator in {"==", "!="}:
            self.comparisons += method_test(self.scope, (operands[0], operands[1]), excludes=operator == "!=")
        return join_texts(operands, LONGEST) if operator == "+" else OPAQUE

    def _index(self, node: "Node") -> Expression:
        operand, index = node.child_by_field_name("operand"), node.child_by_field_name("index")
        if operand is None or index is None:
            return OPAQUE
        base, key = self.read(operand), self.read(index)
        if isinstance(key, StringLiteral):
            self.reads.append(KeyRead(self.scope, base, key.value, line_of(node)))
        return Subscript(base, key)

    def _instantiation(self, node: "Node") -> Expression:
        parts = node.named_children
        return Subscript(self.read(parts[0]), OPAQUE) if parts else OPAQUE

    def _slice(self, node: "Node") -> Expression:
        values = [self.read(child) for child in node.named_children]
        return values[0] if values else OPAQUE

    def _literal(self, node: "Node") -> Expression:
        type_, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        return self._composite(type_, body) if type_ is not None and body is not None else OPAQUE

    def _composite(self, type_: "Node", body: "Node") -> Expression:
        """A composite literal: of a slice `Items`, of a map `Pairs`, of a struct a call of its type."""
        while type_.type in {"pointer_type", "parenthesized_type"} and type_.named_children:
            type_ = type_.named_children[0]
        inner = type_.child_by_field_name("element") or type_.child_by_field_name("value")
        keys: list[tuple[Node, Expression]] = []
        values: list[Expression] = []
        for child in body.named_children[:LONGEST]:
            if child.type == "keyed_element":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and value is not None:
                    keys.append((key, self._element(value, inner)))
            elif child.type == "literal_element":
                values.append(self._element(child, inner))
        if type_.type == "map_type":
            return Pairs(tuple((self._element(key, None), value) for key, value in keys))
        if type_.type in _COLLECTIONS:
            return Items((*values, *(value for _, value in keys)))
        keywords = tuple((text_of(key), value) for key, value in keys)
        call = Call(self.read_type(type_), tuple(values), keywords, line_of(type_))
        self.calls.append(CallSite(self.scope, call))
        return call

    def _element(self, node: "Node", type_: "Node | None") -> Expression:
        inside = node.named_children[0] if node.named_children else node
        if inside.type != "literal_value":
            return self.read(inside)
        if type_ is None:
            return self._untyped_literal(inside)
        self.enter()
        result = self._composite(type_, inside)
        self.leave()
        return result

    def _untyped_literal(self, body: "Node") -> Expression:
        """A literal inside another one whose type is declared elsewhere: `{"GET", "/"}` in `Routes{…}`."""
        self.enter()
        values: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        for child in body.named_children[:LONGEST]:
            if child.type == "keyed_element":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and value is not None:
                    keywords.append((text_of(key), self._element(value, None)))
            elif child.type == "literal_element":
                values.append(self._element(child, None))
        self.leave()
        return Call(OPAQUE, tuple(values), tuple(keywords), line_of(body))

    def _function_literal(self, node: "Node") -> Expression:
        return self.inline(node)

    LEAVES: ClassVar[dict[str, Read]] = {
        "identifier": _identifier,
        "interpreted_string_literal": _string,
        "raw_string_literal": _string,
        **dict.fromkeys(
            ("int_literal", "float_literal", "imaginary_literal", "rune_literal", "true", "false", "nil"),
            SyntaxReader.constant,
        ),
        **dict.fromkeys(("iota", "comment"), SyntaxReader.constant),
    }
    READERS: ClassVar[dict[str, Read]] = {
        "parenthesized_expression": SyntaxReader.last_inside,
        "literal_element": SyntaxReader.last_inside,
        "selector_expression": _selector,
        "call_expression": _call,
        "variadic_argument": _spread,
        "type_conversion_expression": _conversion,
        "type_assertion_expression": _conversion,
        "unary_expression": _unary,
        "binary_expression": SyntaxReader.binary,
        "index_expression": _index,
        "type_instantiation_expression": _instantiation,
        "slice_expression": _slice,
        "composite_literal": _literal,
        "func_literal": _function_literal,
        **dict.fromkeys(
            ("slice_type", "array_type", "map_type", "channel_type", "pointer_type", "qualified_type"),
            read_type,
        ),
        **dict.fromkeys(("generic_type", "function_type", "type_identifier"), read_type),
    }


_BUILDERS = frozenset({"append", "make", "new"})
_COLLECTIONS = frozenset({"slice_type", "array_type", "implicit_length_array_type", "map_type"})


def string_value(node: "Node") -> str:
    """The value of a string literal."""
    text = text_of(node)
    if text.startswith("`"):
        return text.strip("`")
    if "\\" not in text:
        return text[1:-1]
    try:
        value = json.loads(text)
    except ValueError:
        return text[1:-1]
    return value if isinstance(value, str) else text[1:-1]


def _text_of_function(node: "Node") -> str:
    function = node.child_by_field_name("function")
    return text_of(function) if function is not None and function.type == "identifier" else ""


def _sprintf(call: Call) -> Expression:
    """`fmt.Sprintf("…%s…", a)` as a joined string, where its verbs are plain and each has its value."""
    match call:
        case Call(Attribute(Name("fmt"), "Sprintf"), (StringLiteral(pattern), *values)):
            pieces = pattern.replace("%d", "%s").replace("%v", "%s").split("%s")
            if len(pieces) == len(values) + 1 and "%" not in "".join(pieces):
                return fill_format(pieces, values, LONGEST)
    return call
