"""Read functions, classes and object literals of TypeScript: what they define, and what their code says."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    OPAQUE,
    Alternatives,
    Argument,
    Attribute,
    Constant,
    Expression,
    Items,
    KeyRead,
    Name,
    Pairs,
    ReturnValue,
    Splat,
    StringLiteral,
    Subscript,
)
from pipeline.code_registry.languages import shapes
from pipeline.code_registry.languages.syntax_reader import Read, line_of, significant, text_of, tokens
from pipeline.code_registry.languages.typescript.expressions import (
    FUNCTIONS,
    TypeScriptExpressionReader,
    documentation,
    is_function_property,
    key_of,
    place_name,
    test_name,
    test_word,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_EACH_METHODS = frozenset({"forEach", "map", "flatMap", "filter", "some", "every", "find"})
_FIELDS = frozenset({"public_field_definition", "field_definition", "property_signature"})
_METHODS = frozenset({"method_definition", "abstract_method_signature", "method_signature"})
_UNDEFINED_VALUE = Constant("undefined")


class DefinitionReader(TypeScriptExpressionReader):
    """Reads whatever has a scope of its own."""

    named_by: "Node | None" = None
    """What the result of a wrapper that is being read is assigned to."""

    def function(
        self, node: "Node", name: str, name_node: "Node | None", *, element_source: Expression | None = None
    ) -> int:
        """Read a function. `element_source` is the collection whose elements it is called with."""
        above = self.definitions[self.scope]
        index = self.define("function", name, node, name_node, docstring=documentation(node))
        parent, self.scope = self.scope, index
        if above.kind == "class" and above.name:
            value, annotation = (
                (Name(above.name), None) if "static" in tokens(node) else (None, Name(above.name))
            )
            self.assign("this", value, line_of(node), "this", annotation=annotation)
        elif node.type in {"function_expression", "function_declaration"}:
            self.assign("this", OPAQUE, line_of(node), "this")
        parameters = list(self._parameters(node))
        if element_source is not None and parameters:
            first = parameters.pop(0)
            self.assign(first.name, element_source, first.line, "each")
        self.complete(index, arguments=tuple(parameters), returns=self.read_part(node, "return_type"))
        body, result = node.child_by_field_name("body"), self.read_part(node, "body")
        if body is not None and result is not None and body.type != "statement_block":
            self.returns.append(ReturnValue(index, result))
        self.scope = parent
        return index

    def _parameters(self, node: "Node") -> Iterator[Argument]:
        single, parameters = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
        for child in (
            [single] if single is not None else significant(parameters) if parameters is not None else ()
        ):
            pattern = child.child_by_field_name("pattern") or child
            if pattern.type != "this":
                yield self._parameter(child, pattern)

    def _parameter(self, node: "Node", pattern: "Node") -> Argument:
        annotation, default = self.read_part(node, "type"), self.read_part(node, "value")
        line, kind = line_of(pattern), "plain"
        if pattern.type == "assignment_pattern":
            default = self.read_part(pattern, "right")
            pattern = pattern.child_by_field_name("left") or pattern
        decorators = self._decorators(node)
        if pattern.type == "rest_pattern":
            kind, pattern = "list", significant(pattern)[0]
            if isinstance(annotation, Subscript) and annotation.base == Name("Array"):
                annotation = annotation.key
        name = text_of(pattern) if pattern.type == "identifier" else place_name(pattern)
        if pattern.type != "identifier":
            self.bind(pattern, Name(name))
        if any(child.type in {"accessibility_modifier", "readonly"} for child in node.children):
            self.assign(name, Name(name), line, annotation=annotation, on_self=True)
        return Argument(name, _with_decorators(annotation, decorators), default, kind, line)

    def _decorators(self, node: "Node", before: "Sequence[Node]" = ()) -> list[Expression]:
        inside = [child for child in node.named_children if child.type == "decorator"]
        return [shapes.first_inside(self, decorator) for decorator in (*before, *inside)]

    def bind(
        self,
        target: "Node",
        value: Expression | None,
        mode: str = "assign",
        annotation: Expression | None = None,
    ) -> None:
        """Bind the names of a pattern to parts of a value; keys that are taken from a value count as read."""
        kind = target.type
        if kind in {"identifier", "shorthand_property_identifier_pattern"}:
            self.assign(text_of(target), value, line_of(target), mode, annotation=annotation)
        elif kind == "object_pattern":
            base = self.whole_element(target, value) if mode == "each" else value
            for child in significant(target):
                self._bind_property(child, base)
        elif kind == "array_pattern":
            has_gaps = sum(child.type == "," for child in target.children) >= len(significant(target))
            self.bind_parts(target, None if has_gaps else value, mode)
        elif kind in {"assignment_pattern", "object_assignment_pattern"}:
            left, _ = target.child_by_field_name("left"), self.read_part(target, "right")
            if left is not None:
                self.bind(left, value)
        elif kind == "rest_pattern":
            for child in significant(target):
                self.bind(child, None)
        else:
            self.read(target)

    def _bind_property(self, node: "Node", base: Expression | None) -> None:
        key, target = property_sides(node)
        word = key_of(key) if node.type != "rest_pattern" else None
        if base is None or word is None:
            self.bind(target, None)
        else:
            self.reads.append(KeyRead(self.scope, base, word, line_of(key)))
            self.bind(target, Attribute(base, word))

    def _function_value(self, node: "Node") -> Expression:
        return self._named_function(node, place_name(node))

    def _named_function(
        self,
        node: "Node",
        name: str,
        name_node: "Node | None" = None,
        *,
        element_source: Expression | None = None,
    ) -> Expression:
        self.function(node, name, name_node, element_source=element_source)
        return Name(name)

    def arguments(self, callee: Expression, inside: "Node") -> tuple[Expression, ...]:
        """The arguments of a call, a tagged template's among them; `callee` says what reads them.

        A function handed to `forEach` and its like gets each element of what it is called on; one handed to `it` or `test` with
        a title is known by that title, and the first one handed to a wrapper whose result gets a name by that name.
        """
        if inside.type != "arguments":
            return (self.read(inside),)
        elements = callee.base if isinstance(callee, Attribute) and callee.name in _EACH_METHODS else None
        word = test_word(callee)
        wrapping = self.named_by if isinstance(callee, Name) else None
        values: list[Expression] = []
        for child in significant(inside)[: self.LONGEST]:
            if child.type not in FUNCTIONS:
                values.append(self.read(child))
            elif wrapping is not None:
                self.named_by, name_node, wrapping = None, wrapping, None
                values.append(self._named_function(child, text_of(name_node), name_node))
            elif elements is not None and not values:
                values.append(self._named_function(child, place_name(child), element_source=elements))
            elif elements is None and word and values and isinstance(values[0], StringLiteral):
                values.append(self._named_function(child, test_name(word, values[0])))
            else:
                values.append(self.read(child))
        return tuple(values)

    def class_(
        self, node: "Node", name: str, name_node: "Node | None", decorators: "Sequence[Node]" = ()
    ) -> int:
        """Read a class or an interface: bases, fields, methods."""
        index = self.define("class", name, node, name_node, docstring=documentation(node))
        parent, self.scope = self.scope, index
        read = tuple(self._decorators(node, decorators))
        bases = [
            base
            for heritage in node.named_children
            if heritage.type in {"class_heritage", "extends_type_clause"}
            for base in self._bases(heritage)
        ]
        self.complete(index, decorators=read, bases=tuple(bases))
        body = node.child_by_field_name("body")
        if body is not None:
            self.members(body)
        self.scope = parent
        return index

    def _bases(self, heritage: "Node") -> Iterator[Expression]:
        for clause in significant(heritage):
            value = clause.child_by_field_name("value") if clause.type == "extends_clause" else clause
            if value is not None and value.type != "implements_clause":
                yield self.read(value)

    def members(self, body: "Node") -> None:
        """Read what a class or an object type holds."""
        waiting: list[Node] = []
        for member in significant(body):
            if member.type == "decorator":
                waiting.append(member)
                continue
            name_node = member.child_by_field_name("name")
            name = key_of(name_node)
            if name_node is None or name is None:
                self.read(member)
            elif member.type in _FIELDS:
                self._field(member, name, name_node, waiting)
            elif member.type in _METHODS:
                self._method(member, name, name_node, waiting)
            waiting = []

    def _method(self, node: "Node", name: str, name_node: "Node", decorators: "list[Node]") -> None:
        index = self.function(node, name, name_node)
        outside, self.scope = self.scope, index
        read = [shapes.first_inside(self, decorator) for decorator in decorators]
        self.scope = outside
        read += [Name(word) for word in ("get", "set") if word in tokens(node)]
        self.complete(index, decorators=tuple(read))

    def _field(self, node: "Node", name: str, name_node: "Node", decorators: "list[Node]") -> None:
        """Note a field of a class; a function in it is a method."""
        read = self._decorators(node, decorators)
        value = node.child_by_field_name("value")
        if value is not None and value.type in FUNCTIONS and not read:
            self.function(value, name, name_node)
            return
        annotation = self.read_part(node, "type")
        if "?" in tokens(node):
            annotation = Alternatives((annotation or OPAQUE, _UNDEFINED_VALUE))
        initial_value = self.read_part(node, "value")
        self.assign(
            name, initial_value, line_of(name_node), "field", annotation=_with_decorators(annotation, read)
        )

    def object_literal(self, node: "Node", name: str | None = None) -> Pairs:
        """Read an object literal. One with functions, or one a module consists of, can be asked for its members."""
        children = significant(node)[: self.LONGEST]
        index = None
        if any(is_function_property(child) for child in children) or (name is not None and self.scope == 0):
            name = name or place_name(node)
            index = self.define("object", name, node)
        pairs: list[tuple[Expression, Expression]] = []
        for child in children:
            if child.type == "spread_element":
                pairs.append((OPAQUE, Splat(shapes.first_inside(self, child))))
                continue
            key, value = self._property(child, index, name)
            pairs.append((key, value))
            if index is not None and isinstance(key, StringLiteral) and not is_function_property(child):
                self.assign(key.value, value, line_of(child), "field", scope=index)
        if index is None:
            return Pairs(tuple(pairs), None)
        self.complete(index, bases=tuple(value.value for _, value in pairs if isinstance(value, Splat)))
        return Pairs(tuple(pairs), name)

    def _property(self, node: "Node", index: int | None, name: str | None) -> tuple[Expression, Expression]:
        if node.type == "shorthand_property_identifier":
            word = text_of(node)
            return StringLiteral(word), Name(word)
        key_node = node.child_by_field_name("key") or node.child_by_field_name("name")
        key_word = key_of(key_node)
        key = StringLiteral(key_word) if key_word is not None else OPAQUE
        value = node if node.type == "method_definition" else node.child_by_field_name("value")
        if value is None:
            return key, OPAQUE
        if key_word is not None and index is not None and value.type in FUNCTIONS:
            parent, self.scope = self.scope, index
            self.function(value, key_word, key_node)
            self.scope = parent
            return key, Attribute(Name(name or ""), key_word)
        return key, self.read(value)

    def _class_value(self, node: "Node") -> Expression:
        name_node = node.child_by_field_name("name")
        name = text_of(name_node) if name_node is not None else place_name(node)
        self.class_(node, name, name_node)
        return Name(name)

    READERS: ClassVar[dict[str, Read]] = {
        **TypeScriptExpressionReader.READERS,
        **dict.fromkeys(("arrow_function", "function_expression", "generator_function"), _function_value),
        "class": _class_value,
        "object": object_literal,
    }


def property_sides(node: "Node") -> "tuple[Node, Node]":
    """Key and target in a pattern: `{key: target}`, `{key = default}`, `{key}`."""
    key, target = node, node
    if node.type == "pair_pattern":
        key, target = node.child_by_field_name("key") or node, node.child_by_field_name("value") or node
    elif node.type == "object_assignment_pattern":
        key = node.child_by_field_name("left") or node
    return key, target


def _with_decorators(annotation: Expression | None, decorators: list[Expression]) -> Expression | None:
    if not decorators:
        return annotation
    return Subscript(Name("Annotated"), Items((annotation or OPAQUE, *decorators)))
