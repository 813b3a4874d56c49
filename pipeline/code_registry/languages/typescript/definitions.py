"""Read functions, classes and object literals of TypeScript: what they define, and what their code says."""

from collections.abc import Iterator
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
    part_of,
)
from pipeline.code_registry.languages.syntax_reader import Read, line_of, significant, text_of
from pipeline.code_registry.languages.typescript.expressions import LONGEST, TypeScriptExpressionReader
from pipeline.code_registry.languages.typescript.syntax import (
    FUNCTIONS,
    documentation,
    is_function_property,
    is_overload,
    key_of,
    place_name,
    test_name,
    test_word,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_EACH_METHODS = frozenset({"forEach", "map", "flatMap", "filter", "some", "every", "find"})
UNDEFINED_VALUE = Constant("undefined")


class DefinitionReader(TypeScriptExpressionReader):
    """Reads whatever has a scope of its own."""

    named_by: "Node | None" = None
    """What the result of a wrapper that is being read is assigned to."""

    def function(
        self, node: "Node", name: str, name_node: "Node | None", *, element_source: Expression | None = None
    ) -> int:
        """Read a function. `element_source` is the collection whose elements it is called with."""
        inside_class = self.definitions[self.scope].kind == "class" and self.definitions[self.scope].name
        index = self.define("function", name, node, name_node, docstring=documentation(node))
        parent, self.scope = self.scope, index
        if inside_class:
            self._bind_this(node, str(inside_class))
        elif node.type in {"function_expression", "function_declaration"}:
            self.assign("this", OPAQUE, line_of(node), mode="this")
        parameters = list(self._parameters(node))
        if element_source is not None and parameters:
            first = parameters.pop(0)
            self.assign(first.name, element_source, first.line, mode="each")
        type_ = node.child_by_field_name("return_type")
        returns = self.read(type_) if type_ is not None else None
        self.complete(index, arguments=tuple(parameters), returns=returns)
        body = node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            self.read(body)
        elif body is not None:
            self.returns.append(ReturnValue(index, self.read(body)))
        self.scope = parent
        return index

    def _bind_this(self, node: "Node", class_name: str) -> None:
        is_static = any(child.type == "static" for child in node.children)
        value, annotation = (Name(class_name), None) if is_static else (None, Name(class_name))
        self.assign("this", value, line_of(node), "this", annotation=annotation)

    def _parameters(self, node: "Node") -> Iterator[Argument]:
        single = node.child_by_field_name("parameter")
        if single is not None:
            yield Argument(text_of(single), None, None, "plain", line_of(single))
            return
        parameters = node.child_by_field_name("parameters")
        for child in significant(parameters) if parameters is not None else ():
            pattern = child.child_by_field_name("pattern") or child
            if pattern.type != "this":
                yield self._parameter(child, pattern)

    def _parameter(self, node: "Node", pattern: "Node") -> Argument:
        type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        annotation = self.read(type_) if type_ is not None else None
        line = line_of(pattern)
        if pattern.type == "assignment_pattern":
            left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
            value, pattern = right, left if left is not None else pattern
        default = self.read(value) if value is not None else None
        decorators = [self.inner(child) for child in node.named_children if child.type == "decorator"]
        kind = "plain"
        if pattern.type == "rest_pattern":
            kind = "list"
            pattern = significant(pattern)[0]
            if isinstance(annotation, Subscript) and annotation.base == Name("Array"):
                annotation = annotation.key
        name = text_of(pattern) if pattern.type == "identifier" else place_name(pattern)
        if pattern.type != "identifier":
            self.bind(pattern, Name(name))
        if any(child.type in {"accessibility_modifier", "readonly"} for child in node.children):
            self.assign(name, Name(name), line, annotation=annotation, on_self=True)
        if decorators:
            annotation = Subscript(Name("Annotated"), Items((annotation or OPAQUE, *decorators)))
        return Argument(name, annotation, default, kind, line)

    def bind(self, pattern: "Node", value: Expression | None, *, mode: str = "assign") -> None:
        """Bind the names of a pattern to parts of a value; keys that are taken from a value count as read."""
        kind = pattern.type
        if kind in {"identifier", "shorthand_property_identifier_pattern"}:
            self.assign(text_of(pattern), value, line_of(pattern), mode=mode)
        elif kind == "object_pattern":
            base = self.whole_element(pattern, value) if mode == "each" else value
            for child in significant(pattern):
                self._bind_property(child, base)
        elif kind == "array_pattern":
            self._bind_parts(pattern, value, mode)
        elif kind in {"assignment_pattern", "object_assignment_pattern"}:
            left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
            if right is not None:
                self.read(right)
            if left is not None:
                self.bind(left, value)
        elif kind == "rest_pattern":
            for child in significant(pattern):
                self.bind(child, None)
        else:
            self.read(pattern)

    def _bind_parts(self, pattern: "Node", value: Expression | None, mode: str) -> None:
        """`[a, b] = value`"""
        base = self.whole_element(pattern, value) if mode == "each" else value
        parts = significant(pattern)
        has_gaps = sum(child.type == "," for child in pattern.children) >= len(parts)
        for number, child in enumerate(parts):
            if base is None or has_gaps or child.type == "rest_pattern":
                self.bind(child, None)
            else:
                self.bind(child, part_of(base, number), mode="part")

    def _bind_property(self, node: "Node", base: Expression | None) -> None:
        key, target = node, node
        if node.type == "pair_pattern":
            key_node, value = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key_node is None or value is None:
                return
            key, target = key_node, value
        elif node.type == "object_assignment_pattern":
            left = node.child_by_field_name("left")
            key = left if left is not None else node
        elif node.type == "rest_pattern":
            self.bind(node, None)
            return
        word = key_of(key)
        if base is not None and word is not None:
            self.reads.append(KeyRead(self.scope, base, word, line_of(key)))
            self.bind(target, Attribute(base, word))
        else:
            self.bind(target, None)

    def _function_value(self, node: "Node") -> Expression:
        name = place_name(node)
        self.function(node, name, None)
        return Name(name)

    def arguments(self, callee: Expression, inside: "Node") -> tuple[Expression, ...]:
        """Arguments; a function handed to `forEach` and its like gets each element of what it is called on.

        What is handed to `it` or `test` with a title is known by that title.
        """
        element_source = (
            callee.base if isinstance(callee, Attribute) and callee.name in _EACH_METHODS else None
        )
        word = test_word(callee)
        if isinstance(callee, Name) and self.named_by is not None and inside.type == "arguments":
            return self._named_arguments(inside)
        if inside.type != "arguments" or (element_source is None and not word):
            return super().arguments(callee, inside)
        values: list[Expression] = []
        for child in significant(inside)[:LONGEST]:
            is_first = (
                not values
                if element_source is not None
                else isinstance(values[0] if values else None, StringLiteral)
            )
            if child.type in FUNCTIONS and is_first:
                name = place_name(child) if element_source is not None else test_name(word, values[0])
                self.function(child, name, None, element_source=element_source)
                values.append(Name(name))
            else:
                values.append(self.read(child))
        return tuple(values)

    def _named_arguments(self, inside: "Node") -> tuple[Expression, ...]:
        """Arguments of a wrapper whose result gets a name: the first function among them is known by it."""
        values: list[Expression] = []
        for child in significant(inside)[:LONGEST]:
            name = self.named_by
            if child.type in FUNCTIONS and name is not None:
                self.named_by = None
                self.function(child, text_of(name), name)
                values.append(Name(text_of(name)))
            else:
                values.append(self.read(child))
        return tuple(values)

    def class_(self, node: "Node", name: str, name_node: "Node | None", decorators: list["Node"]) -> int:
        """Read a class: bases, fields, methods."""
        index = self.define("class", name, node, name_node, docstring=documentation(node))
        parent, self.scope = self.scope, index
        inner_decorators = [child for child in node.named_children if child.type == "decorator"]
        read = tuple(self.inner(decorator) for decorator in (*decorators, *inner_decorators))
        bases: list[Expression] = []
        for heritage in node.named_children:
            if heritage.type in {"class_heritage", "extends_type_clause"}:
                bases += self._bases(heritage)
        self.complete(index, decorators=read, bases=tuple(bases))
        body = node.child_by_field_name("body")
        waiting: list[Node] = []
        for member in significant(body) if body is not None else ():
            if member.type == "decorator":
                waiting.append(member)
            else:
                self._class_member(member, waiting)
                waiting = []
        self.scope = parent
        return index

    def _bases(self, heritage: "Node") -> Iterator[Expression]:
        if heritage.type == "extends_type_clause":
            yield from (self.read(child) for child in significant(heritage))
            return
        for clause in significant(heritage):
            value = clause.child_by_field_name("value") if clause.type == "extends_clause" else None
            if value is not None:
                yield self.read(value)
            elif clause.type not in {"extends_clause", "implements_clause"}:
                yield self.read(clause)

    def _class_member(self, node: "Node", decorators: list["Node"]) -> None:
        name_node = node.child_by_field_name("name")
        name = key_of(name_node) if name_node is not None else None
        if name is None:
            self.read(node)
        elif node.type in {"public_field_definition", "field_definition", "property_signature"}:
            self.field(node, name, decorators)
        elif node.type == "method_definition" and not is_overload(node):
            index = self.function(node, name, name_node)
            words = [text_of(child) for child in node.children if not child.is_named]
            read = [self._decorator(decorator, index) for decorator in decorators]
            if "get" in words or "set" in words:
                read.append(Name("get" if "get" in words else "set"))
            self.complete(index, decorators=tuple(read))
        elif node.type in {"abstract_method_signature", "method_signature"}:
            self.function(node, name, name_node)

    def _decorator(self, node: "Node", index: int) -> Expression:
        outside, self.scope = self.scope, index
        expression = self.inner(node)
        self.scope = outside
        return expression

    def field(self, node: "Node", name: str, decorators: list["Node"]) -> None:
        """Note a field of a class; a function in it is a method."""
        inner_decorators = [child for child in node.named_children if child.type == "decorator"]
        read = [self.inner(decorator) for decorator in (*decorators, *inner_decorators)]
        value, type_ = node.child_by_field_name("value"), node.child_by_field_name("type")
        name_node = node.child_by_field_name("name")
        if value is not None and value.type in FUNCTIONS and not read:
            self.function(value, name, name_node)
            return
        annotation = self.read(type_) if type_ is not None else None
        if any(child.type == "?" for child in node.children):
            annotation = Alternatives((annotation or OPAQUE, UNDEFINED_VALUE))
        if read:
            annotation = Subscript(Name("Annotated"), Items((annotation or OPAQUE, *read)))
        initial_value = self.read(value) if value is not None else None
        line = line_of(name_node if name_node is not None else node)
        self.assign(name, initial_value, line, "field", annotation=annotation)

    def _object(self, node: "Node") -> Expression:
        return self.object(node, None)

    def object(self, node: "Node", name: str | None) -> Pairs:
        """Read an object literal. One with functions, or one a module consists of, can be asked for its members."""
        children = significant(node)[:LONGEST]
        index = None
        if any(is_function_property(child) for child in children) or (name is not None and self.scope == 0):
            name = name or place_name(node)
            index = self.define("object", name, node)
        pairs: list[tuple[Expression, Expression]] = []
        for child in children:
            if child.type == "spread_element":
                pairs.append((OPAQUE, Splat(self.inner(child))))
                continue
            key, value = self._property(child, index, name)
            pairs.append((key, value))
            if index is not None and isinstance(key, StringLiteral) and not is_function_property(child):
                self.assign(key.value, value, line_of(child), mode="field", scope=index)
        if index is not None:
            bases = tuple(value.value for _, value in pairs if isinstance(value, Splat))
            self.complete(index, bases=bases)
        return Pairs(tuple(pairs), None if index is None else name)

    def _property(self, node: "Node", index: int | None, name: str | None) -> tuple[Expression, Expression]:
        if node.type == "shorthand_property_identifier":
            word = text_of(node)
            return StringLiteral(word), Name(word)
        key_node = node.child_by_field_name("key") or node.child_by_field_name("name")
        word_or_none = key_of(key_node) if key_node is not None else None
        key = StringLiteral(word_or_none) if word_or_none is not None else OPAQUE
        value = node if node.type == "method_definition" else node.child_by_field_name("value")
        if value is None:
            return key, OPAQUE
        if word_or_none is not None and index is not None and value.type in FUNCTIONS:
            parent, self.scope = self.scope, index
            self.function(value, word_or_none, key_node)
            self.scope = parent
            return key, Attribute(Name(name or ""), word_or_none)
        return key, self.read(value)

    def _class_value(self, node: "Node") -> Expression:
        name_node = node.child_by_field_name("name")
        name = text_of(name_node) if name_node is not None else place_name(node)
        self.class_(node, name, name_node, [])
        return Name(name)

    READERS: ClassVar[dict[str, Read]] = {
        **TypeScriptExpressionReader.READERS,
        "arrow_function": _function_value,
        "function_expression": _function_value,
        "generator_function": _function_value,
        "class": _class_value,
        "object": _object,
    }
