"""Read one Go file, or a go.mod, into facts: definitions, imports, assignments, calls and returns."""

from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    INLINE,
    Argument,
    Constant,
    Expression,
    FileFacts,
    Inline,
    Items,
    Name,
    ReturnValue,
    StringLiteral,
    Subscript,
    last_word,
    method_test,
)
from pipeline.code_registry.languages.go.declarations import (
    comment_above,
    imports_of,
    module_facts,
    struct_fields,
)
from pipeline.code_registry.languages.go.variables import VariableReader
from pipeline.code_registry.languages.grammars import parse_go
from pipeline.code_registry.languages.syntax_reader import (
    ReadStatement,
    SyntaxReader,
    line_of,
    significant,
    text_of,
)
from pipeline.code_registry.parsing import Deadline

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

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
    reader = _FileReader(parse_go(source, deadline), deadline)
    reader.file()
    return reader.facts()


class _FileReader(VariableReader):
    """Walks the declarations and statements of a file."""

    def __init__(self, tree: "Tree", deadline: Deadline) -> None:
        super().__init__(tree, deadline)
        self._extensions: dict[str, int] = {}
        self._named_results: dict[int, tuple[Expression, ...]] = {}
        self._literals: dict[int, int] = {}

    def facts(self) -> FileFacts:
        """All that was noted. What looked like a new value for a variable of the file is one if there is such a variable."""
        file_variables = {assignment.target for assignment in self.assignments if assignment.scope == 0}
        self.assignments = [a for a in self.assignments if a.mode != "outer" or a.target in file_variables]
        return super().facts()

    def file(self) -> None:
        """Read the whole file."""
        children = self.root.named_children
        package = next((child for child in children if child.type == "package_clause"), None)
        name = text_of(package.named_children[0]) if package is not None and package.named_children else ""
        comments = [text_of(child) for child in children if child.type == "comment" and child.text]
        constraint = next((text[10:].strip() for text in comments if text.startswith("//go:build")), "")
        keywords = (("build", StringLiteral(constraint)),) if constraint else ()
        self.define_file("program" if name == "main" else "module", name, keywords)
        self.imports = imports_of(self.root)
        for child in children:
            self.statement(child)

    def _scoped_block(self, node: "Node") -> None:
        """Read the statements inside a node, with variables of their own."""
        self.names.open()
        self.block(node)
        self.names.close()

    # Declarations

    def _function(self, node: "Node") -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        receiver = node.child_by_field_name("receiver")
        parent = None
        if receiver is not None:
            parent = self._extension(receiver)
        index = self.define(
            "function", text_of(name), node, name, parent=parent, docstring=comment_above(node)
        )
        self._body(node, index, receiver)

    def _extension(self, receiver: "Node") -> int:
        """The definition that holds the methods of a type: the type itself may stand in another file."""
        types = [c.child_by_field_name("type") for c in receiver.named_children]
        type_ = self.read_type(types[0]) if types and types[0] is not None else Name("")
        name = last_word(type_, Subscript)
        if name not in self._extensions:
            self._extensions[name] = self.define(
                "extension", name, receiver, docstring=comment_above(receiver)
            )
        return self._extensions[name]

    def _body(self, node: "Node", index: int, receiver: "Node | None") -> None:
        """Read signature and body of a function. Types are read outside of it, names of parameters count inside."""
        outside = self.scope
        arguments = (
            *self._parameters(receiver)[:1],
            *self._parameters(node.child_by_field_name("parameters")),
        )
        if receiver is not None and not (arguments and self._parameters(receiver)):
            arguments = (Argument("_", None, None, "plain", line_of(node)), *arguments)
        returns, results = self._results(node.child_by_field_name("result"))
        self.complete(index, arguments=arguments, returns=returns)
        self.scope = index
        self.names.open()
        for argument in arguments:
            self.names.parameter(argument.name, index)
        result_names: list[Expression] = []
        for name, type_ in results:
            variable = self.names.declare(name, index)
            self.assign(variable.stored_name, None, self.definitions[index].line, annotation=type_)
            result_names.append(Name(variable.stored_name))
        self._named_results[index] = tuple(result_names)
        body = node.child_by_field_name("body")
        if body is not None:
            self._scoped_block(body)
        self.names.close()
        self.scope = outside

    def _parameters(self, node: "Node | None") -> tuple[Argument, ...]:
        parameters: list[Argument] = []
        for child in node.named_children if node is not None else ():
            type_ = child.child_by_field_name("type")
            if type_ is None:
                continue
            annotation = self.read_type(type_)
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
            return self.read_type(node), []
        types: list[Expression] = []
        result_types: list[tuple[str, Expression]] = []
        for result in self._parameters(node):
            types.append(result.annotation if result.annotation is not None else Name("any"))
            if result.name != "_":
                result_types.append((result.name, types[-1]))
        return types[0] if len(types) == 1 else Items(tuple(types)), result_types

    def inline(self, node: "Node") -> Expression:
        """A function or a type that is written where it is used."""
        word = "func" if node.type == "func_literal" else "struct"
        owner = self.scope
        self._literals[owner] = self._literals.get(owner, 0) + 1
        kind = "function" if word == "func" else "class"
        index = self.define(kind, f"{word}{self._literals[owner]}", node, docstring=comment_above(node))
        if word == "func":
            self.complete(index, keywords=INLINE)
            self._body(node, index, None)
        else:
            self._class(node, index)
        return Inline(index)

    def _type(self, node: "Node") -> None:
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is not None and type_ is not None:
            index = self.define("class", text_of(name), node, name, docstring=comment_above(node))
            self._class(type_, index)

    def _class(self, type_: "Node", index: int) -> None:
        """Fields, embedded types and methods of a type."""
        if type_.type == "struct_type":
            bases, keywords, fields = struct_fields(type_, self.read_type)
            for field in fields:
                self.assign(field.name, None, field.line, "field", annotation=field.type, scope=index)
            self.complete(index, bases=bases, keywords=keywords)
        elif type_.type == "interface_type":
            self._interface(type_, index)
        else:
            underlying = self.read_type(type_)
            self.complete(index, bases=(underlying,), keywords=((UNDERLYING, underlying),))

    def _interface(self, node: "Node", index: int) -> None:
        bases: list[Expression] = []
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if child.type == "method_elem" and name is not None:
                docstring = comment_above(child)
                method = self.define(
                    "function", text_of(name), child, name, parent=index, docstring=docstring
                )
                arguments = self._parameters(child.child_by_field_name("parameters"))
                returns, _ = self._results(child.child_by_field_name("result"))
                self.complete(method, arguments=arguments, returns=returns)
            elif child.type == "type_elem":
                bases.append(self.read_type(child))
        self.complete(index, bases=tuple(bases), keywords=((INTERFACE, Constant("true")),))

    # Statements

    def _range(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is None:
            return
        value = self.read(right)
        type_ = self.type_of(right)
        targets = left.named_children if left is not None else []
        for position, target in enumerate(targets):
            if target.type != "identifier":
                continue
            if position == 0:
                self.bind(target, None, value, "key")
            elif isinstance(type_, Subscript):
                inner = type_.key.items[-1] if isinstance(type_.key, Items) else type_.key
                self.bind(target, inner, value, "each")
            else:
                self.bind(target, None, value, "each")

    def _type_switch(self, node: "Node") -> None:
        alias, value = node.child_by_field_name("alias"), node.child_by_field_name("value")
        self.names.open()
        first = node.child_by_field_name("initializer")
        if first is not None:
            self.statement(first)
        read = self.read(value) if value is not None else None
        for case in node.named_children:
            if case.type not in {"type_case", "default_case"}:
                continue
            self.names.open()
            types = [child for child in case.children_by_field_name("type") if child.is_named]
            if alias is not None and alias.named_children:
                single = self.read_type(types[0]) if len(types) == 1 else None
                self.bind(alias.named_children[0], single, None if single else read, "case")
            for child in case.named_children:
                if child not in types:
                    self.statement(child)
            self.names.close()
        self.names.close()

    def _switch(self, node: "Node") -> None:
        """A switch; one over a request's method says which methods are answered."""
        value = node.child_by_field_name("value")
        if value is not None and value.type == "selector_expression":
            subject = self.read(value)
            for case in node.named_children:
                values = case.child_by_field_name("value") if case.type == "expression_case" else None
                for child in values.named_children if values is not None else ():
                    if child.type in _PLAIN:
                        sides = (subject, self.read(child))
                        self.comparisons += method_test(self.scope, sides, excludes=False, is_case=True)
        self._scoped_block(node)

    def _return(self, node: "Node") -> None:
        inside = [part for child in node.named_children for part in significant(child)]
        values = tuple(self.read(part) for part in inside) or self._named_results.get(self.scope, ())
        if values:
            self.returns.append(ReturnValue(self.scope, values[0] if len(values) == 1 else Items(values)))

    STATEMENTS: ClassVar[dict[str, ReadStatement]] = {
        **VariableReader.STATEMENTS,
        "function_declaration": _function,
        "method_declaration": _function,
        "type_spec": _type,
        "type_alias": _type,
        "range_clause": _range,
        "type_switch_statement": _type_switch,
        "expression_switch_statement": _switch,
        "return_statement": _return,
        **dict.fromkeys(
            ("block", "if_statement", "for_statement", "expression_case", "default_case", "select_statement"),
            _scoped_block,
        ),
        "communication_case": _scoped_block,
        **dict.fromkeys(
            ("statement_list", "expression_list", "expression_statement", "labeled_statement", "for_clause"),
            SyntaxReader.block,
        ),
        **dict.fromkeys(
            ("type_declaration", "var_declaration", "const_declaration", "var_spec_list", "ERROR"),
            SyntaxReader.block,
        ),
        **dict.fromkeys(("comment", "package_clause", "import_declaration", "label_name"), SyntaxReader.skip),
    }


_PLAIN = frozenset({"interpreted_string_literal", "raw_string_literal", "selector_expression"})
