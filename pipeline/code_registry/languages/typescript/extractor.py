"""Read one TypeScript or JavaScript file into facts: definitions, imports, exports, assignments, calls, key reads."""

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from pipeline.code_registry.facts import OPAQUE, Constant, Expression, FileFacts, Import, Name, ReturnValue
from pipeline.code_registry.languages.grammars import is_configuration, parse_typescript
from pipeline.code_registry.languages.syntax_reader import Read, line_of, significant, text_of
from pipeline.code_registry.languages.typescript.definitions import DefinitionReader
from pipeline.code_registry.languages.typescript.expressions import string_of
from pipeline.code_registry.languages.typescript.syntax import FUNCTIONS, key_of
from pipeline.code_registry.parsing import Deadline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_INTERFACE, _ENUM = (("interface", Constant("true")),), (("enum", Constant("true")),)
"""Keywords of classes that are not made by calls."""
DEFAULT_EXPORT = "default"
"""The name under which a module's one exported value is bound."""


def extract(source: bytes) -> FileFacts:
    """Facts of one file. Syntax errors cost the statements they stand in, never the file.

    A file that begins like JSON is configuration: its facts are one assignment of its value to no name.

    Raises:
        TooDeep: the file nests deeper than a person would write.
        TooSlow: it takes too long.
    """
    deadline = Deadline()
    reader = _FileReader(parse_typescript(source, deadline), deadline)
    reader.define_file()
    if is_configuration(source):
        reader.configuration()
    else:
        reader.module()
    return reader.facts()


class _FileReader(DefinitionReader):
    """Walks the statements of a file."""

    def module(self) -> None:
        """Read the statements of the file."""
        for child in self.root.named_children:
            self.read(child)

    def configuration(self) -> None:
        """Read the one value of the file."""
        for statement in significant(self.root)[:1]:
            self.assign("", self.read(statement), 1, "configuration")
        self.calls.clear()

    def _block(self, node: "Node") -> Expression:
        self.deadline.check()
        for child in node.named_children:
            self.read(child)
        return OPAQUE

    def _import(self, node: "Node") -> Expression:
        source = node.child_by_field_name("source")
        for clause in significant(node):
            if clause.type == "import_clause" and source is not None:
                for child in significant(clause):
                    self._import_names(child, string_of(source))
            elif clause.type == "import_require_clause":
                parts = significant(clause)
                module = string_of(parts[-1])
                self.imports.append(Import(0, text_of(parts[0]), module, 0, DEFAULT_EXPORT))
        return OPAQUE

    def _import_names(self, node: "Node", module: str) -> None:
        if node.type == "identifier":
            self.imports.append(Import(0, text_of(node), module, 0, DEFAULT_EXPORT))
        elif node.type == "namespace_import":
            self.imports.append(Import(0, text_of(significant(node)[0]), module, 0, None))
        elif node.type == "named_imports":
            self.imports += (Import(0, local, module, 0, name) for name, local, _ in _specifiers(node))

    def _export(self, node: "Node") -> Expression:
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        if source is not None:
            self._export_from(node, string_of(source))
        elif declaration is not None:
            decorators = [child for child in node.named_children if child.type == "decorator"]
            is_default = any(child.type == "default" for child in node.children)
            name = self._declaration(declaration, decorators)
            if is_default and name is not None and name != DEFAULT_EXPORT:
                self.assign(DEFAULT_EXPORT, Name(name), line_of(node), mode="export")
        elif value is not None:
            self._export_value(value)
        else:
            for child in significant(node):
                if child.type == "export_clause":
                    for name, exported, line in _specifiers(child):
                        if exported != name:
                            self.assign(exported, Name(name), line, mode="export")
                else:
                    self._export_value(child)
        return OPAQUE

    def _export_from(self, node: "Node", module: str) -> None:
        clauses = significant(node)[:-1]
        if not clauses:
            self.imports.append(Import(0, "*", module, 0, "*"))
        for clause in clauses:
            if clause.type == "namespace_export":
                self.imports.append(Import(0, _plain(significant(clause)[0]), module, 0, None))
            elif clause.type == "export_clause":
                self.imports += (Import(0, local, module, 0, name) for name, local, _ in _specifiers(clause))

    def _export_value(self, value: "Node") -> None:
        """`export default value`, `export = value` and `module.exports = value`."""
        if value.type in FUNCTIONS:
            self.function(value, DEFAULT_EXPORT, None)
        elif value.type == "class":
            name_node = value.child_by_field_name("name")
            self.class_(value, text_of(name_node) if name_node is not None else DEFAULT_EXPORT, name_node, [])
            if name_node is not None:
                self.assign(DEFAULT_EXPORT, Name(text_of(name_node)), line_of(value), mode="export")
        else:
            self.assign(DEFAULT_EXPORT, self._value(value, DEFAULT_EXPORT), line_of(value), mode="export")

    def _declaration(self, node: "Node", decorators: "list[Node]") -> str | None:
        if node.type in {"class_declaration", "abstract_class_declaration"}:
            name_node = node.child_by_field_name("name")
            name = text_of(name_node) if name_node is not None else DEFAULT_EXPORT
            self.class_(node, name, name_node, decorators)
            return name
        self.read(node)
        name_node = node.child_by_field_name("name")
        return text_of(name_node) if name_node is not None else None

    def _class_declaration(self, node: "Node") -> Expression:
        self._declaration(node, [])
        return OPAQUE

    def _function_declaration(self, node: "Node") -> Expression:
        name_node = node.child_by_field_name("name")
        self.function(node, text_of(name_node) if name_node is not None else DEFAULT_EXPORT, name_node)
        return OPAQUE

    def _interface(self, node: "Node") -> Expression:
        name_node = node.child_by_field_name("name")
        if name_node is not None:
            index = self.class_(node, text_of(name_node), name_node, [])
            self.complete(index, keywords=_INTERFACE)
        return OPAQUE

    def _enum(self, node: "Node") -> Expression:
        name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name_node is None or body is None:
            return OPAQUE
        index = self.define("class", text_of(name_node), node, name_node)
        self.complete(index, keywords=_ENUM)
        for child in significant(body):
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            word = key_of(name if name is not None else child)
            member_value = self.read(value) if value is not None else OPAQUE
            if word is not None:
                self.assign(word, member_value, line_of(child), mode="field", scope=index)
        return OPAQUE

    def _type_alias(self, node: "Node") -> Expression:
        name_node, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name_node is None or value is None:
            return OPAQUE
        if value.type == "object_type":
            index = self.define("class", text_of(name_node), node, name_node)
            self.complete(index, keywords=_INTERFACE)
            parent, self.scope = self.scope, index
            for member in significant(value):
                self._class_member(member, [])
            self.scope = parent
        else:
            self.assign(text_of(name_node), self.read(value), line_of(name_node))
        return OPAQUE

    def _variable(self, node: "Node") -> Expression:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return OPAQUE
        type_ = node.child_by_field_name("type")
        annotation = self.read(type_) if type_ is not None else None
        if name.type != "identifier":
            self._destructuring(name, value)
        elif value is not None and value.type in FUNCTIONS:
            index = self.function(value, text_of(name), name)
            if annotation is not None:
                self.complete(index, bases=(annotation,))
        elif value is not None and value.type == "class":
            self.class_(value, text_of(name), name, [])
        else:
            word, line = text_of(name), line_of(name)
            if value is not None and self._read_wrapper(name, value):
                return OPAQUE
            initial_value = self._value(value, word) if value is not None else None
            if isinstance(initial_value, Name) and initial_value.name.startswith("require("):
                self.imports[-1] = replace(self.imports[-1], local=word, scope=self.scope)
                return OPAQUE
            self.assign(word, initial_value, line, annotation=annotation)
        return OPAQUE

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
        while node.type in {"as_expression", "satisfies_expression", "parenthesized_expression"}:
            inner = significant(node)
            if not inner:
                break
            node = inner[0]
        return self.object(node, name) if node.type == "object" else self.read(node)

    def _destructuring(self, pattern: "Node", value: "Node | None") -> None:
        initial_value = self.read(value) if value is not None else None
        if (
            not isinstance(initial_value, Name)
            or not initial_value.name.startswith("require(")
            or pattern.type != "object_pattern"
        ):
            self.bind(pattern, initial_value)
            return
        module = self.imports.pop().module
        for child in significant(pattern):
            key, target = child, child
            if child.type == "pair_pattern":
                key = child.child_by_field_name("key") or child
                target = child.child_by_field_name("value") or child
            self.imports.append(Import(self.scope, text_of(target), module, 0, key_of(key)))

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
        for front in ("module.exports.", "exports."):
            if target.startswith(front) and target.removeprefix(front).isidentifier():
                return self._export_named(target.removeprefix(front), left, right)
        value = self.read(right)
        if left.type == "member_expression" and target.startswith("this."):
            name = target.removeprefix("this.")
            self.assign(name, value, line_of(left), on_self=True)
        elif left.type in {"identifier", "object_pattern", "array_pattern"}:
            self.bind(left, value)
        else:
            self.read(left)
        return value

    def _augmented_assignment(self, node: "Node") -> Expression:
        """`name += more`: from then on nobody knows what the name is."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is not None:
            self.read(right)
        if left is not None:
            self.bind(left, OPAQUE)
        return OPAQUE

    def _export_named(self, name: str, left: "Node", right: "Node") -> Expression:
        if right.type in FUNCTIONS:
            self.function(right, name, left)
        else:
            value = self._value(right, name)
            if value != Name(name):
                self.assign(name, value, line_of(left), mode="export", scope=0)
        return Name(name)

    def _return(self, node: "Node") -> Expression:
        for child in significant(node):
            self.returns.append(ReturnValue(self.scope, self.read(child)))
        return OPAQUE

    def _for_in(self, node: "Node") -> Expression:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.read(right) if right is not None else None
        is_of = any(child.type == "of" for child in node.children)
        if left is not None:
            self.bind(left, value if is_of else None, mode="each" if is_of else "assign")
        body = node.child_by_field_name("body")
        if body is not None:
            self.read(body)
        return OPAQUE

    READERS: ClassVar[dict[str, Read]] = {
        **DefinitionReader.READERS,
        "statement_block": _block,
        "expression_statement": DefinitionReader.inner,
        "import_statement": _import,
        "export_statement": _export,
        "class_declaration": _class_declaration,
        "abstract_class_declaration": _class_declaration,
        "function_declaration": _function_declaration,
        "generator_function_declaration": _function_declaration,
        "interface_declaration": _interface,
        "enum_declaration": _enum,
        "type_alias_declaration": _type_alias,
        "variable_declarator": _variable,
        "assignment_expression": _assignment,
        "augmented_assignment_expression": _augmented_assignment,
        "return_statement": _return,
        "for_in_statement": _for_in,
    }


def _specifiers(clause: "Node") -> "Iterator[tuple[str, str, int]]":
    """The names in braces of an import or export: each as it was and as it is from now on (`a as b`), with its line."""
    for child in significant(clause):
        name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
        if name is not None:
            yield _plain(name), _plain(alias if alias is not None else name), line_of(child)


def _plain(node: "Node") -> str:
    return string_of(node) if node.type == "string" else text_of(node)
