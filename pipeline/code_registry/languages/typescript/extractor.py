"""Read one TypeScript or JavaScript file into facts: definitions, imports, exports, assignments, calls, key reads."""

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from pipeline.code_registry.facts import OPAQUE, Constant, Expression, FileFacts, Import, Name, ReturnValue
from pipeline.code_registry.languages.grammars import is_configuration, parse_typescript
from pipeline.code_registry.languages.syntax_reader import Read, line_of, significant, text_of, tokens
from pipeline.code_registry.languages.typescript.definitions import DefinitionReader, property_sides
from pipeline.code_registry.languages.typescript.expressions import (
    DEFAULT_EXPORT,
    FUNCTIONS,
    key_of,
    plain_or_quoted,
    string_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

_INTERFACE, _ENUM = (("interface", Constant("true")),), (("enum", Constant("true")),)
"""Keywords of classes that are not made by calls."""
_CLASSES = frozenset({"class", "class_declaration", "abstract_class_declaration"})
_WRAPPERS = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})


def extract(source: bytes) -> FileFacts:
    """Facts of one file. Syntax errors cost the statements they stand in, never the file.

    A file that begins like JSON is configuration: its facts are one assignment of its value to no name.

    Raises:
        TooDeep: the file nests deeper than a person would write.
    """
    reader = _FileReader(source, parse_typescript(source))
    reader.define_file()
    if is_configuration(source):
        reader.configuration()
    else:
        reader.module()
    return reader.facts()


class _FileReader(DefinitionReader):
    """Reads the statements of a file."""

    IMPORTS = "typescript/imports.scm"

    def module(self) -> None:
        """Read the statements of the file."""
        self.read_inside(self.root)

    def configuration(self) -> None:
        """Read the one value of the file."""
        for statement in significant(self.root)[:1]:
            self.assign("", self.read(statement), 1, "configuration")
        self.calls.clear()

    # Imports and exports

    def _import(self, node: "Node") -> None:
        source = node.child_by_field_name("source")
        clauses = [child for child in significant(node) if child.type == "import_require_clause"]
        if clauses:
            source = significant(clauses[0])[-1]
        if source is not None:
            self.imports += self._read_imports(node, string_of(source))

    def _read_imports(self, node: "Node", module: str) -> "Iterator[Import]":
        for match in self.import_matches(node):
            words = {capture: plain_or_quoted(nodes[0]) for capture, nodes in match.items()}
            if "name" in words:
                yield Import(0, words.get("local", words["name"]), module, 0, words["name"])
            else:
                name = DEFAULT_EXPORT if "default" in words else None
                yield Import(0, words.get("default") or words["whole"], module, 0, name)

    def _export(self, node: "Node") -> None:
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        if source is not None:
            module = string_of(source)
            self.imports += self._read_imports(node, module)
            if "*" in tokens(node):
                self.imports.append(Import(0, "*", module, 0, "*"))
        elif declaration is not None:
            self._export_declaration(node, declaration)
        elif value is not None:
            self._export_value(value)
        else:
            for child in significant(node):
                if child.type == "export_clause":
                    for match in self.import_matches(child):
                        if "local" in match:
                            name, alias = (plain_or_quoted(match[key][0]) for key in ("name", "local"))
                            self.assign(alias, Name(name), line_of(match["name"][0]), "export")
                else:
                    self._export_value(child)

    def _export_declaration(self, node: "Node", declaration: "Node") -> None:
        name_node = declaration.child_by_field_name("name")
        if declaration.type in _CLASSES:
            decorators = [child for child in node.named_children if child.type == "decorator"]
            self._declare_class(declaration, decorators)
        else:
            self.read(declaration)
        if "default" in tokens(node) and name_node is not None and text_of(name_node) != DEFAULT_EXPORT:
            self.assign(DEFAULT_EXPORT, Name(text_of(name_node)), line_of(node), "export")

    def _export_value(self, value: "Node") -> None:
        """`export default value`, `export = value` and `module.exports = value`."""
        if value.type in FUNCTIONS:
            self.function(value, DEFAULT_EXPORT, None)
        elif value.type == "class":
            name_node = self._declare_class(value)
            if name_node is not None:
                self.assign(DEFAULT_EXPORT, Name(text_of(name_node)), line_of(value), "export")
        else:
            self.assign(DEFAULT_EXPORT, self._value(value, DEFAULT_EXPORT), line_of(value), "export")

    def _export_named(self, name: str, left: "Node", right: "Node") -> Expression:
        if right.type in FUNCTIONS:
            self.function(right, name, left)
        else:
            value = self._value(right, name)
            if value != Name(name):
                self.assign(name, value, line_of(left), "export", scope=0)
        return Name(name)

    # Declarations

    def _declare_class(self, node: "Node", decorators: "Sequence[Node]" = ()) -> "Node | None":
        """Read a class under its name, which one that is exported may lack."""
        name_node = node.child_by_field_name("name")
        name = text_of(name_node) if name_node is not None else DEFAULT_EXPORT
        self.class_(node, name, name_node, decorators)
        return name_node

    def _class_declaration(self, node: "Node") -> None:
        self._declare_class(node)

    def _function_declaration(self, node: "Node") -> None:
        name_node = node.child_by_field_name("name")
        self.function(node, text_of(name_node) if name_node is not None else DEFAULT_EXPORT, name_node)

    def _interface(self, node: "Node") -> None:
        name_node = node.child_by_field_name("name")
        if name_node is not None:
            self.complete(self.class_(node, text_of(name_node), name_node), keywords=_INTERFACE)

    def _enum(self, node: "Node") -> None:
        name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None or body is None:
            return
        index = self.define("class", text_of(name_node), node, name_node)
        self.complete(index, keywords=_ENUM)
        for child in significant(body):
            word, value = key_of(child.child_by_field_name("name") or child), self.read_part(child, "value")
            if word is not None:
                self.assign(word, value or OPAQUE, line_of(child), "field", scope=index)

    def _type_alias(self, node: "Node") -> None:
        name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name_node is None or value is None:
            return
        if value.type == "object_type":
            index = self.define("class", text_of(name_node), node, name_node)
            self.complete(index, keywords=_INTERFACE)
            parent, self.scope = self.scope, index
            self.members(value)
            self.scope = parent
        else:
            self.assign(text_of(name_node), self.read(value), line_of(name_node))

    def _variable(self, node: "Node") -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        annotation, word = self.read_part(node, "type"), text_of(name)
        if name.type != "identifier":
            self._destructuring(name, value)
        elif value is not None and value.type in FUNCTIONS:
            index = self.function(value, word, name)
            if annotation is not None:
                self.complete(index, bases=(annotation,))
        elif value is not None and value.type == "class":
            self.class_(value, word, name)
        elif value is None or not self._read_wrapper(name, value):
            initial_value = self._value(value, word) if value is not None else None
            if _is_required(initial_value):
                self.imports[-1] = replace(self.imports[-1], local=word, scope=self.scope)
            else:
                self.assign(word, initial_value, line_of(name), annotation=annotation)

    def _read_wrapper(self, name: "Node", value: "Node") -> bool:
        """Read `const name = wrapper(function)` at the top of a file: the function is known by that name."""
        function = value.child_by_field_name("function") if value.type == "call_expression" else None
        inside = value.child_by_field_name("arguments")
        if self.scope or function is None or function.type != "identifier" or inside is None:
            return False
        if not any(child.type in FUNCTIONS for child in inside.named_children):
            return False
        self.named_by = name
        self.read(value)
        return True

    def _value(self, node: "Node", name: str) -> Expression:
        """A value that gets a name: an object literal is then known by it."""
        while node.type in _WRAPPERS and (inner := significant(node)):
            node = inner[0]
        return self.object_literal(node, name) if node.type == "object" else self.read(node)

    def _destructuring(self, pattern: "Node", value: "Node | None") -> None:
        initial_value = self.read(value) if value is not None else None
        if not _is_required(initial_value) or pattern.type != "object_pattern":
            self.bind(pattern, initial_value)
            return
        module = self.imports.pop().module
        for child in significant(pattern):
            key, target = property_sides(child)
            self.imports.append(Import(self.scope, text_of(target), module, 0, key_of(key)))

    # Statements

    def _assignment(self, node: "Node") -> Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return OPAQUE
        target = text_of(left)
        if target in {"module.exports", "exports"}:
            if right.type == "assignment_expression":
                return self.read(right)
            self._export_value(right)
            return Name(DEFAULT_EXPORT)
        name = target.removeprefix("module.").removeprefix("exports.")
        if target in {f"exports.{name}", f"module.exports.{name}"} and name.isidentifier():
            return self._export_named(name, left, right)
        value = self.read(right)
        if left.type == "member_expression" and target.startswith("this."):
            self.assign(target.removeprefix("this."), value, line_of(left), on_self=True)
        else:
            self.bind(left, value)
        return value

    def _augmented_assignment(self, node: "Node") -> None:
        """`name += more`: from then on the value of the name is unknown."""
        left, _ = node.child_by_field_name("left"), self.read_part(node, "right")
        if left is not None:
            self.bind(left, OPAQUE)

    def _return(self, node: "Node") -> None:
        self.returns += [ReturnValue(self.scope, self.read(child)) for child in significant(node)]

    def _for_in(self, node: "Node") -> None:
        left, value = node.child_by_field_name("left"), self.read_part(node, "right")
        is_of = "of" in tokens(node)
        if left is not None:
            self.bind(left, value if is_of else None, "each" if is_of else "assign")
        self.read_part(node, "body")

    READERS: ClassVar[dict[str, Read]] = {
        **DefinitionReader.READERS,
        "import_statement": _import,
        "export_statement": _export,
        **dict.fromkeys(("class_declaration", "abstract_class_declaration"), _class_declaration),
        **dict.fromkeys(("function_declaration", "generator_function_declaration"), _function_declaration),
        "interface_declaration": _interface,
        "enum_declaration": _enum,
        "type_alias_declaration": _type_alias,
        "variable_declarator": _variable,
        "assignment_expression": _assignment,
        "augmented_assignment_expression": _augmented_assignment,
        "return_statement": _return,
        "for_in_statement": _for_in,
    }


def _is_required(value: Expression | None) -> bool:
    return isinstance(value, Name) and value.name.startswith("require(")
