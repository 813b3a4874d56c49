"""Read one Go file, or a go.mod, into facts: definitions, imports, assignments, calls and returns."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from pipeline.code_registry.facts import (
    INLINE,
    Argument,
    Assignment,
    CodeDefinition,
    Constant,
    Expression,
    FileFacts,
    Inline,
    Items,
    Name,
    ReturnValue,
    StringLiteral,
    Subscript,
    method_test,
)
from pipeline.code_registry.languages.go.declarations import (
    comment_above,
    imports_of,
    module_facts,
    struct_fields,
    word_of,
)
from pipeline.code_registry.languages.go.expressions import GoExpressionReader
from pipeline.code_registry.languages.go.parsing import parse_go
from pipeline.code_registry.languages.go.variables import ASSIGNING, VariableReader
from pipeline.code_registry.languages.syntax_reader import SyntaxReader, line_of, text_of
from pipeline.code_registry.parsing import Deadline

if TYPE_CHECKING:
    from tree_sitter import Node

INTERFACE = "interface type"
UNDERLYING = "underlying type"
"""Keys in the keywords of a class; they cannot be names of fields."""


def extract(source: bytes) -> FileFacts:
    """Facts of one file. Syntax errors cost the statements they stand in, never the file.

    Raises:
        TooDeep: the file nests deeper than a person would write.
        TooSlow: it takes too long.
    """
    module = module_facts(source)
    if module is not None:
        return module
    deadline = Deadline()
    reader = _FileReader(deadline)
    reader.file(parse_go(source, deadline).root_node)
    return reader.facts()


class _FileReader(SyntaxReader):
    """Walks the declarations and statements of a file."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline
        self._expressions = GoExpressionReader(self._inline)
        self._names = self._expressions.names
        self._variables = VariableReader(self._expressions)
        self._definitions: list[CodeDefinition] = []
        self._returns: list[ReturnValue] = []
        self._imports = imports_of(None)
        self._extensions: dict[str, int] = {}
        self._named_results: dict[int, tuple[Expression, ...]] = {}
        self._literals: dict[int, int] = {}

    def facts(self) -> FileFacts:
        file_variables = {
            assignment.target for assignment in self._variables.assignments if assignment.scope == 0
        }
        assignments = [
            a for a in self._variables.assignments if a.mode != "outer" or a.target in file_variables
        ]
        return FileFacts(
            tuple(self._definitions),
            tuple(self._imports),
            tuple(assignments),
            tuple(self._expressions.calls),
            tuple(self._returns),
            tuple(self._expressions.reads),
            comparisons=tuple(self._expressions.comparisons),
        )

    def file(self, root: "Node") -> None:
        package = next((c for c in root.named_children if c.type == "package_clause"), None)
        name = text_of(package.named_children[0]) if package is not None and package.named_children else ""
        kind = "program" if name == "main" else "module"
        build = [text_of(c) for c in root.named_children if c.type == "comment" and c.text]
        constraint = next((line[10:].strip() for line in build if line.startswith("//go:build")), "")
        keywords = (("build", StringLiteral(constraint)),) if constraint else ()
        end = root.end_point[0] + 1
        self._definitions.append(CodeDefinition(kind, name, -1, 1, end, (), (), None, (), keywords, None))
        self._imports = imports_of(root)
        for child in root.named_children:
            self._statement(child)

    def _block(self, node: "Node | None") -> None:
        """Read the statements below a node, whatever kind of block it is, with variables of their own."""
        if node is None:
            return
        self._names.open()
        self._statements(node)
        self._names.close()

    def _statements(self, node: "Node") -> None:
        self._enter()
        for child in node.named_children:
            self._statement(child)
        self._leave()

    def _statement(self, node: "Node") -> None:
        self._deadline.check()
        handler = self._STATEMENTS.get(node.type)
        if handler is not None:
            handler(self, node)
        elif (assigning := ASSIGNING.get(node.type)) is not None:
            assigning(self._variables, node)
        elif node.type in _BLOCKS:
            self._block(node)
        elif node.type in _GROUPS:
            self._statements(node)
        elif node.type not in _SILENT:
            self._expressions.read(node)

    # Declarations

    def _define(self, kind: str, name: str, node: "Node", *, parent: int | None = None) -> int:
        at = node.child_by_field_name("name") or node
        self._definitions.append(
            CodeDefinition(
                kind,
                name,
                self._expressions.scope if parent is None else parent,
                line_of(at),
                node.end_point[0] + 1,
                (),
                (),
                None,
                (),
                (),
                comment_above(node),
            )
        )
        return len(self._definitions) - 1

    def _function(self, node: "Node") -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        receiver = node.child_by_field_name("receiver")
        parent = None
        if receiver is not None:
            parent = self._extension(receiver)
        self._body(node, self._define("function", text_of(name), node, parent=parent), receiver)

    def _extension(self, receiver: "Node") -> int:
        """The definition that holds the methods of a type: the type itself may stand in another file."""
        types = [c.child_by_field_name("type") for c in receiver.named_children]
        type_ = self._expressions.read_type(types[0]) if types and types[0] is not None else Name("")
        name = word_of(type_)
        if name not in self._extensions:
            self._extensions[name] = self._define("extension", name, receiver)
        return self._extensions[name]

    def _body(self, node: "Node", index: int, receiver: "Node | None") -> None:
        """Read signature and body of a function. Types are read outside of it, names of parameters count inside."""
        outside = self._expressions.scope
        arguments = (
            *self._parameters(receiver)[:1],
            *self._parameters(node.child_by_field_name("parameters")),
        )
        if receiver is not None and not (arguments and self._parameters(receiver)):
            arguments = (Argument("_", None, None, "plain", line_of(node)), *arguments)
        returns, results = self._results(node.child_by_field_name("result"))
        self._definitions[index] = replace(self._definitions[index], arguments=arguments, returns=returns)
        self._expressions.scope = index
        self._names.open()
        for argument in arguments:
            self._names.parameter(argument.name, index)
        result_names: list[Expression] = []
        for name, type_ in results:
            variable = self._names.declare(name, index)
            self._variables.assignments.append(
                Assignment(
                    index, variable.stored_name, False, type_, None, "assign", self._definitions[index].line
                )
            )
            result_names.append(Name(variable.stored_name))
        self._named_results[index] = tuple(result_names)
        self._block(node.child_by_field_name("body"))
        self._names.close()
        self._expressions.scope = outside

    def _parameters(self, node: "Node | None") -> tuple[Argument, ...]:
        parameters: list[Argument] = []
        for child in node.named_children if node is not None else ():
            type_ = child.child_by_field_name("type")
            if type_ is None:
                continue
            annotation = self._expressions.read_type(type_)
            kind = "list" if child.type == "variadic_parameter_declaration" else "plain"
            names = [text_of(name) for name in child.children_by_field_name("name")] or ["_"]
            line = line_of(child)
            parameters += [Argument(name, annotation, None, kind, line) for name in names]
        return tuple(parameters)

    def _results(self, node: "Node | None") -> tuple[Expression | None, list[tuple[str, Expression]]]:
        """What a function returns: a type, `Items` of several, or None; and those results that have names."""
        if node is None:
            return None, []
        if node.type != "parameter_list":
            return self._expressions.read_type(node), []
        types: list[Expression] = []
        result_types: list[tuple[str, Expression]] = []
        for result in self._parameters(node):
            types.append(result.annotation if result.annotation is not None else Name("any"))
            if result.name != "_":
                result_types.append((result.name, types[-1]))
        return types[0] if len(types) == 1 else Items(tuple(types)), result_types

    def _inline(self, node: "Node") -> Expression:
        """A function or a type that is written where it is used."""
        word = "func" if node.type == "func_literal" else "struct"
        owner = self._expressions.scope
        self._literals[owner] = self._literals.get(owner, 0) + 1
        kind = "function" if word == "func" else "class"
        index = self._define(kind, f"{word}{self._literals[owner]}", node)
        if word == "func":
            self._definitions[index] = replace(self._definitions[index], keywords=INLINE)
            self._body(node, index, None)
        else:
            self._class(node, index)
        return Inline(index)

    def _type(self, node: "Node") -> None:
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is not None and type_ is not None:
            self._class(type_, self._define("class", text_of(name), node))

    def _class(self, type_: "Node", index: int) -> None:
        """Fields, embedded types and methods of a type."""
        if type_.type == "struct_type":
            bases, keywords, fields = struct_fields(type_, self._expressions.read_type)
            for field in fields:
                self._variables.assignments.append(
                    Assignment(index, field.name, False, field.type, None, "field", field.line)
                )
            definition = replace(self._definitions[index], bases=bases, keywords=keywords)
        elif type_.type == "interface_type":
            definition = self._interface(type_, index)
        else:
            underlying = self._expressions.read_type(type_)
            keyword = ((UNDERLYING, underlying),)
            definition = replace(self._definitions[index], bases=(underlying,), keywords=keyword)
        self._definitions[index] = definition

    def _interface(self, node: "Node", index: int) -> CodeDefinition:
        bases: list[Expression] = []
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if child.type == "method_elem" and name is not None:
                method = self._define("function", text_of(name), child, parent=index)
                arguments = self._parameters(child.child_by_field_name("parameters"))
                returns, _ = self._results(child.child_by_field_name("result"))
                self._definitions[method] = replace(
                    self._definitions[method], arguments=arguments, returns=returns
                )
            elif child.type == "type_elem":
                bases.append(self._expressions.read_type(child))
        keyword = ((INTERFACE, Constant("true")),)
        return replace(self._definitions[index], bases=tuple(bases), keywords=keyword)

    # Statements

    def _range(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is None:
            return
        value = self._expressions.read(right)
        type_ = self._expressions.type_of(right)
        targets = left.named_children if left is not None else []
        for position, target in enumerate(targets):
            if target.type != "identifier":
                continue
            if position == 0:
                self._variables.bind(target, None, value, "key")
            elif isinstance(type_, Subscript):
                inner = type_.key.items[-1] if isinstance(type_.key, Items) else type_.key
                self._variables.bind(target, inner, value, "each")
            else:
                self._variables.bind(target, None, value, "each")

    def _type_switch(self, node: "Node") -> None:
        alias, value = node.child_by_field_name("alias"), node.child_by_field_name("value")
        self._names.open()
        first = node.child_by_field_name("initializer")
        if first is not None:
            self._statement(first)
        read = self._expressions.read(value) if value is not None else None
        for case in node.named_children:
            if case.type not in {"type_case", "default_case"}:
                continue
            self._names.open()
            types = [child for child in case.children_by_field_name("type") if child.is_named]
            if alias is not None and alias.named_children:
                single = self._expressions.read_type(types[0]) if len(types) == 1 else None
                self._variables.bind(alias.named_children[0], single, None if single else read, "case")
            for child in case.named_children:
                if child not in types:
                    self._statement(child)
            self._names.close()
        self._names.close()

    def _switch(self, node: "Node") -> None:
        """A switch; one over a request's method says which methods are answered."""
        value = node.child_by_field_name("value")
        if value is not None and value.type == "selector_expression":
            left = self._expressions.read(value)
            for case in node.named_children:
                values = case.child_by_field_name("value") if case.type == "expression_case" else None
                for child in values.named_children if values is not None else ():
                    if child.type in _PLAIN:
                        sides = (left, self._expressions.read(child))
                        scope, comparisons = self._expressions.scope, self._expressions.comparisons
                        comparisons += method_test(scope, sides, excludes=False, is_case=True)
        self._block(node)

    def _return(self, node: "Node") -> None:
        scope = self._expressions.scope
        inside = [c for child in node.named_children for c in child.named_children if c.type != "comment"]
        values = tuple(self._expressions.read(child) for child in inside)
        values = values or self._named_results.get(scope, ())
        if values:
            self._returns.append(ReturnValue(scope, values[0] if len(values) == 1 else Items(values)))

    _STATEMENTS: ClassVar[dict[str, Callable[["_FileReader", "Node"], None]]] = {
        "function_declaration": _function,
        "method_declaration": _function,
        "type_spec": _type,
        "type_alias": _type,
        "range_clause": _range,
        "type_switch_statement": _type_switch,
        "expression_switch_statement": _switch,
        "return_statement": _return,
    }


_SILENT = frozenset({"comment", "package_clause", "import_declaration", "label_name"})
_GROUPS = frozenset(
    {
        "statement_list",
        "expression_list",
        "expression_statement",
        "type_declaration",
        "var_declaration",
        "const_declaration",
        "var_spec_list",
        "labeled_statement",
        "for_clause",
        "ERROR",
    }
)
_PLAIN = frozenset({"interpreted_string_literal", "raw_string_literal", "selector_expression"})
_BLOCKS = frozenset(
    {
        "block",
        "if_statement",
        "for_statement",
        "expression_case",
        "default_case",
        "select_statement",
        "communication_case",
    }
)
