"""Go expressions as facts, and the names that tell the variables of one function apart."""

import json
from abc import abstractmethod
from collections.abc import Iterator
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
    Name,
    Pairs,
    Splat,
    StringLiteral,
    Subscript,
    fill_format,
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
    from tree_sitter import Node, Tree


class Variable(NamedTuple):
    """A local variable: the name it is stored under and the definition that it belongs to."""

    stored_name: str
    scope: int


class LocalNames:
    """The blocks that are open at the moment of tracer."""

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


SLICE = Name("[]")
MAP = Name("map")
FUNCTION = Name("func")
_COLLECTIONS = frozenset({"slice_type", "array_type", "implicit_length_array_type", "map_type"})


class GoExpressionReader(SyntaxReader):
    """Reads expressions of Go, and its types, for which a table of their own says how."""

    LONGEST = 2000

    def __init__(self, source: bytes, tree: "Tree") -> None:
        super().__init__(source, tree)
        self.names = LocalNames()

    @abstractmethod
    def inline(self, node: "Node") -> Expression:
        """Make a definition of a function or a type that is written where it is used."""

    # Types

    def type_of(self, node: "Node") -> Expression | None:
        """The type that a literal, a conversion or `make` names, where the expression alone does not tell it."""
        if node.type == "unary_expression" and node.named_children:
            return self.type_of(node.named_children[0])
        if node.type == "composite_literal":
            type_ = node.child_by_field_name("type")
            return self.read_type(type_) if type_ is not None and type_.type in _COLLECTIONS else None
        if node.type == "call_expression" and called_word(node) == "make":
            inside = node.child_by_field_name("arguments")
            return self.read_type(inside.named_children[0]) if inside and inside.named_children else None
        return None

    def read_type(self, node: "Node | None") -> Expression:
        """The expression of a type; a pointer stands for what it points to."""
        reader = self.types.get(node.kind_id) if node is not None else None
        if reader is None:
            return OPAQUE
        self.enter()
        result = reader(self, node)
        self.leave()
        return result

    def _qualified_type(self, node: "Node") -> Expression:
        parts = node.named_children
        return Attribute(Name(text_of(parts[0])), text_of(parts[-1])) if len(parts) > 1 else OPAQUE

    def _pointed_type(self, node: "Node") -> Expression:
        parts = node.named_children
        return self.read_type(parts[0]) if len(parts) == 1 else OPAQUE

    def _list_type(self, node: "Node") -> Expression:
        return Subscript(SLICE, self.read_type(_element_type(node)))

    def _map_type(self, node: "Node") -> Expression:
        return Subscript(
            MAP, Items(tuple(self.read_type(node.child_by_field_name(part)) for part in ("key", "value")))
        )

    def _generic_type(self, node: "Node") -> Expression:
        base, *_, inside = node.named_children
        parts = [self.read_type(child) for child in inside.named_children]
        return Subscript(self.read_type(base), shapes.one_or_items(parts))

    def _function_type(self, _node: "Node") -> Expression:
        return FUNCTION

    def _inline_type(self, node: "Node") -> Expression:
        return self.inline(node) if node.named_children else Name("any")

    TYPES: ClassVar[dict[str, ReadLeaf]] = {
        **dict.fromkeys(("type_identifier", "identifier"), shapes.name),
        **dict.fromkeys(("qualified_type", "selector_expression"), _qualified_type),
        **dict.fromkeys(
            ("pointer_type", "parenthesized_type", "type_elem", "unary_expression"), _pointed_type
        ),
        **dict.fromkeys(
            ("slice_type", "array_type", "implicit_length_array_type", "channel_type"), _list_type
        ),
        "map_type": _map_type,
        "generic_type": _generic_type,
        "function_type": _function_type,
        **dict.fromkeys(("struct_type", "interface_type"), _inline_type),
    }

    # Expressions

    def _identifier(self, node: "Node") -> Expression:
        name = text_of(node)
        variable = self.names.find(name)
        return Name(variable.stored_name if variable is not None else name)

    def _string(self, node: "Node") -> Expression:
        return StringLiteral(string_value(node))

    def _call(self, node: "Node") -> Expression:
        function, inside = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or inside is None:
            return OPAQUE
        parts, word = significant(inside), called_word(node)
        if word in _BUILDERS and self.names.find(word) is None:
            return self._built_in(word, parts, line_of(node))
        read = self.read(function)
        arguments = tuple(self.read(child) for child in parts[: self.LONGEST])
        return _sprintf(self._note(Call(read, arguments, (), line_of(node))))

    def _note(self, call: Call) -> Call:
        self.calls.append(CallSite(self.scope, call))
        return call

    def _built_in(self, word: str, parts: list["Node"], line: int) -> Expression:
        if word == "append":
            values = [self.read(part) for part in parts]
            return values[0] if values else OPAQUE
        for part in parts[1:]:
            self.read(part)
        return Call(self.read_type(parts[0]), (), (), line) if word == "new" and parts else OPAQUE

    def _spread(self, node: "Node") -> Expression:
        """`values...`; of `append(values, more)...` all that is put together."""
        (inner,) = significant(node)[:1] or (node,)
        arguments = inner.child_by_field_name("arguments") if inner.type == "call_expression" else None
        if arguments is not None and called_word(inner) == "append":
            return Splat(Items(tuple(self.read(part) for part in significant(arguments))))
        return self.splat(node)

    def _conversion(self, node: "Node") -> Expression:
        """`T(x)` and `x.(T)` where the syntax says that T is a type: a value of T, no call."""
        operand, type_ = node.child_by_field_name("operand"), node.child_by_field_name("type")
        if operand is None or type_ is None:
            return OPAQUE
        value = self.read(operand)
        call = Call(self.read_type(type_), (value,), (), line_of(node))
        return self._note(call) if type_.type == "generic_type" else call

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

    def _instantiation(self, node: "Node") -> Expression:
        return Subscript(shapes.first_inside(self, node), OPAQUE)

    def _slice(self, node: "Node") -> Expression:
        values = [self.read(child) for child in node.named_children]
        return values[0] if values else OPAQUE

    def _literal(self, node: "Node") -> Expression:
        type_, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        return self._composite(type_, body) if type_ is not None and body is not None else OPAQUE

    def _composite(self, type_: "Node | None", body: "Node") -> Expression:
        """A composite literal: of a slice `Items`, of a map `Pairs`, of a struct a call of its type.

        A literal inside another one may have a type that is declared elsewhere: `{"GET", "/"}` in `Routes{…}`.
        """
        while (
            type_ is not None
            and type_.type in {"pointer_type", "parenthesized_type"}
            and type_.named_children
        ):
            type_ = type_.named_children[0]
        kind = type_.type if type_ is not None else ""
        inner = _element_type(type_) if type_ is not None else None
        values: list[Expression] = []
        keys: list[tuple[Node, Expression]] = []
        for key, element in _elements(body.named_children[: self.LONGEST]):
            value = self._element(element, inner)
            if key is None:
                values.append(value)
            else:
                keys.append((key, value))
        if kind == "map_type":
            return Pairs(tuple((self._element(key, None), value) for key, value in keys))
        if kind in _COLLECTIONS:
            return Items((*values, *(value for _, value in keys)))
        keywords = tuple((text_of(key), value) for key, value in keys)
        if type_ is None:
            return Call(OPAQUE, tuple(values), keywords, line_of(body))
        return self._note(Call(self.read_type(type_), tuple(values), keywords, line_of(type_)))

    def _element(self, node: "Node", type_: "Node | None") -> Expression:
        inside = node.named_children[0] if node.named_children else node
        if inside.type != "literal_value":
            return self.read(inside)
        self.enter()
        result = self._composite(type_, inside)
        self.leave()
        return result

    LEAVES: ClassVar[dict[str, ReadLeaf]] = {
        "identifier": _identifier,
        **dict.fromkeys(("interpreted_string_literal", "raw_string_literal"), _string),
        **dict.fromkeys(
            ("int_literal", "float_literal", "imaginary_literal", "rune_literal", "true", "false", "nil"),
            SyntaxReader.constant,
        ),
        **dict.fromkeys(("iota", "comment"), SyntaxReader.constant),
    }
    READERS: ClassVar[dict[str, Read]] = {
        **dict.fromkeys(("parenthesized_expression", "literal_element"), SyntaxReader.last_inside),
        "selector_expression": shapes.member("operand", "field"),
        "call_expression": _call,
        "variadic_argument": _spread,
        **dict.fromkeys(("type_conversion_expression", "type_assertion_expression"), _conversion),
        "unary_expression": _unary,
        "binary_expression": SyntaxReader.binary,
        "index_expression": shapes.element("operand", "index"),
        "type_instantiation_expression": _instantiation,
        "slice_expression": _slice,
        "composite_literal": _literal,
        **dict.fromkeys(
            ("slice_type", "array_type", "map_type", "channel_type", "pointer_type", "qualified_type"),
            read_type,
        ),
        **dict.fromkeys(("generic_type", "function_type", "type_identifier"), read_type),
    }


_BUILDERS = frozenset({"append", "make", "new"})


def _element_type(node: "Node") -> "Node | None":
    return node.child_by_field_name("element") or node.child_by_field_name("value")


def _elements(nodes: "list[Node]") -> "Iterator[tuple[Node | None, Node]]":
    """Key and value of the elements of a literal."""
    for node in nodes:
        value = node.child_by_field_name("value")
        if node.type == "literal_element":
            yield None, node
        elif node.type == "keyed_element" and value is not None:
            yield node.child_by_field_name("key"), value


def called_word(node: "Node") -> str:
    """The bare name that a call calls."""
    function = node.child_by_field_name("function")
    return text_of(function) if function is not None and function.type == "identifier" else ""


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


def _sprintf(call: Call) -> Expression:
    """`fmt.Sprintf("…%s…", a)` as a joined string, where its verbs are plain and each has its value."""
    match call:
        case Call(Attribute(Name("fmt"), "Sprintf"), (StringLiteral(pattern), *values)):
            pieces = pattern.replace("%d", "%s").replace("%v", "%s").split("%s")
            if len(pieces) == len(values) + 1 and "%" not in "".join(pieces):
                return fill_format(pieces, values, GoExpressionReader.LONGEST)
    return call
