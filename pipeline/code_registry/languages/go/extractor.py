"""Read one Go file, or a go.mod, into facts: definitions, imports, assignments, calls and returns."""

from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    INLINE,
    RESULT,
    Argument,
    Constant,
    Expression,
    FileFacts,
    Import,
    Inline,
    Items,
    Name,
    ReturnValue,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.languages import shapes
from pipeline.code_registry.languages.go.declarations import comment_above, default_name, module_facts
from pipeline.code_registry.languages.go.expressions import GoExpressionReader, string_value
from pipeline.code_registry.languages.grammars import parse_go
from pipeline.code_registry.languages.syntax_reader import Read, line_of, significant, text_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

INTERFACE = "interface type"
UNDERLYING = "underlying type"
"""Keys in the keywords of a class; they cannot be names of fields."""


def extract(source: bytes) -> FileFacts:
    """Facts of one file. Syntax errors cost the statements they stand in, never the file.

    Raises:
        TooDeep: the file nests deeper than a person would write.
    """
    module = module_facts(source)
    if module is not None:
        return module
    reader = _FileReader(source, parse_go(source))
    reader.file()
    return reader.facts()


class _FileReader(GoExpressionReader):
    """Reads the declarations and statements of a file: which variable is meant where names repeat, and what each is given."""

    IMPORTS = "go/imports.scm"

    def __init__(self, source: bytes, tree: "Tree") -> None:
        super().__init__(source, tree)
        self._extensions: dict[str, int] = {}
        self._named_results: dict[int, tuple[Expression, ...]] = {}
        self._literals: dict[int, int] = {}

    def facts(self) -> FileFacts:
        """All that was noted. What looked like a new value for a variable of the file is one if there is such a variable."""
        file_variables = {assignment.target for assignment in self.assignments if assignment.scope == 0}
        self.assignments = [a for a in self.assignments if a.mode != "outer" or a.target in file_variables]
        return super().facts()

    def file(self) -> None:
        """Read the whole file. All that its package defines counts as imported."""
        children = self.root.named_children
        package = next((child for child in children if child.type == "package_clause"), None)
        name = text_of(package.named_children[0]) if package is not None and package.named_children else ""
        comments = [text_of(child) for child in children if child.type == "comment" and child.text]
        constraint = next((text[10:].strip() for text in comments if text.startswith("//go:build")), "")
        keywords = (("build", StringLiteral(constraint)),) if constraint else ()
        self.define_file("program" if name == "main" else "module", name, keywords)
        self.imports.append(Import(0, "*", "", 1, "*"))
        self.read_inside(self.root)

    def _import(self, node: "Node") -> None:
        for match in self.import_matches(node):
            module = string_value(match["module"][0])
            local = text_of(match["local"][0]) if "local" in match else default_name(module)
            if local == ".":
                self.imports.append(Import(0, "*", module, 0, "*"))
            elif local != "_":
                self.imports.append(Import(0, local, module, 0, None))

    def _scoped_block(self, node: "Node") -> None:
        """Read the statements inside a node, with variables of their own."""
        self.names.open()
        self.read_inside(node)
        self.names.close()

    # Functions

    def _function(self, node: "Node") -> None:
        name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
        if name is None:
            return
        parent = self._extension(receiver) if receiver is not None else None
        documentation = comment_above(node)
        index = self.define("function", text_of(name), node, name, parent=parent, docstring=documentation)
        self._body(node, index, receiver)

    def _extension(self, receiver: "Node") -> int:
        """The definition that holds the methods of a type: the type itself may stand in another file."""
        types = [child.child_by_field_name("type") for child in receiver.named_children]
        name = last_word(self.read_type(types[0]) if types else None, Subscript)
        if name not in self._extensions:
            self._extensions[name] = self.define("extension", name, receiver)
        return self._extensions[name]

    def _body(self, node: "Node", index: int, receiver: "Node | None") -> None:
        """Read signature and body of a function. Types are read outside of it, names of parameters count inside."""
        outside = self.scope
        arguments = self._parameters(node.child_by_field_name("parameters"))
        if receiver is not None:
            nameless = (Argument("_", None, None, "plain", line_of(node)),)
            arguments = (*(self._parameters(receiver)[:1] or nameless), *arguments)
        returns, results = self._results(node.child_by_field_name("result"))
        self.complete(index, arguments=arguments, returns=returns)
        self.scope = index
        self.names.open()
        for argument in arguments:
            self.names.parameter(argument.name, index)
        result_names: list[Expression] = []
        for result in results:
            variable = self.names.declare(result.name, index)
            line = self.definitions[index].line
            self.assign(variable.stored_name, None, line, annotation=result.annotation)
            result_names.append(Name(variable.stored_name))
        self._named_results[index] = tuple(result_names)
        self.read_part(node, "body")
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
            parameters += [Argument(name, annotation, None, kind, line_of(child)) for name in names]
        return tuple(parameters)

    def _results(self, node: "Node | None") -> tuple[Expression | None, list[Argument]]:
        """What a function returns: a type, `Items` of several, or None; and those results that have names."""
        if node is None or node.type != "parameter_list":
            return self.read_type(node) if node is not None else None, []
        results = self._parameters(node)
        types = [result.annotation or Name("any") for result in results]
        return shapes.one_or_items(types), [result for result in results if result.name != "_"]

    def inline(self, node: "Node") -> Expression:
        """A function or a type that is written where it is used."""
        word, kind = ("func", "function") if node.type == "func_literal" else ("struct", "class")
        number = self._literals[self.scope] = self._literals.get(self.scope, 0) + 1
        index = self.define(kind, f"{word}{number}", node, docstring=comment_above(node))
        if word == "func":
            self.complete(index, keywords=INLINE)
            self._body(node, index, None)
        else:
            self._class(node, index)
        return Inline(index)

    # Types

    def _type(self, node: "Node") -> None:
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is not None and type_ is not None:
            index = self.define("class", text_of(name), node, name, docstring=comment_above(node))
            self._class(type_, index)

    def _class(self, type_: "Node", index: int) -> None:
        """Fields, embedded types and methods of a type."""
        if type_.type == "struct_type":
            self._struct(type_, index)
        elif type_.type == "interface_type":
            self._interface(type_, index)
        else:
            underlying = self.read_type(type_)
            self.complete(index, bases=(underlying,), keywords=((UNDERLYING, underlying),))

    def _struct(self, node: "Node", index: int) -> None:
        """Embedded types, tags by field name, and all fields, embedded ones under the name of their type."""
        bases: list[Expression] = []
        tags: list[tuple[str, Expression]] = []
        fields: list[tuple[str, Expression, int]] = []
        for field in [child for part in node.named_children for child in part.named_children]:
            type_, tag = field.child_by_field_name("type"), field.child_by_field_name("tag")
            if field.type != "field_declaration" or type_ is None:
                continue
            read = self.read_type(type_)
            names = [text_of(name) for name in field.children_by_field_name("name")]
            if not names:
                bases.append(read)
                names = [last_word(read, Subscript)]
            fields += [(name, read, line_of(field)) for name in names]
            if tag is not None:
                tags += [(name, StringLiteral(string_value(tag))) for name in names]
        for name, read, line in fields:
            self.assign(name, None, line, "field", annotation=read, scope=index)
        self.complete(index, bases=tuple(bases), keywords=tuple(tags))

    def _interface(self, node: "Node", index: int) -> None:
        bases: list[Expression] = []
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if child.type == "method_elem" and name is not None:
                documentation = comment_above(child)
                method = self.define(
                    "function", text_of(name), child, name, parent=index, docstring=documentation
                )
                arguments = self._parameters(child.child_by_field_name("parameters"))
                returns, _ = self._results(child.child_by_field_name("result"))
                self.complete(method, arguments=arguments, returns=returns)
            elif child.type == "type_elem":
                bases.append(self.read_type(child))
        self.complete(index, bases=tuple(bases), keywords=((INTERFACE, Constant("true")),))

    # Variables

    def _declaration(self, node: "Node") -> None:
        """`var a, b T = …` and constants."""
        type_, inside = node.child_by_field_name("type"), node.child_by_field_name("value")
        annotation = self.read_type(type_) if type_ is not None else None
        targets = [child for child in node.children_by_field_name("name") if child.type == "identifier"]
        self._declare(targets, significant(inside) if inside else [], annotation)

    def _short_declaration(self, node: "Node") -> None:
        """`a, b := …`"""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            self._declare(left.named_children, significant(right), None)

    def _declare(self, targets: list["Node"], values: list["Node"], annotation: Expression | None) -> None:
        pieces = self._pieces(len(targets), values)
        for target, (type_, value) in zip(targets, pieces, strict=True):
            if target.type == "identifier":
                self.bind(target, value, annotation=type_ if annotation is None else annotation)

    def _pieces(self, count: int, values: list["Node"]) -> list[tuple[Expression | None, Expression | None]]:
        """Type and value for each of several targets; of one call that gives many, each its own."""
        if len(values) == count:
            return [(self.type_of(value), self.read(value)) for value in values]
        if len(values) != 1:
            return [(None, None)] * count
        value = self.read(values[0])
        if values[0].type == "call_expression":
            return [(None, Subscript(value, Constant(f"{RESULT}{number}"))) for number in range(count)]
        return [(None, value), *[(None, None)] * (count - 1)]

    def bind(
        self,
        target: "Node",
        value: Expression | None,
        mode: str = "assign",
        annotation: Expression | None = None,
    ) -> None:
        """One variable takes a value here: by a declaration, by a loop, or in a case."""
        name = text_of(target)
        if name == "_":
            return
        stored_name = name
        if self.scope:
            variable = self.names.in_this_block(name) if annotation is None and mode == "assign" else None
            mode = "update" if variable is not None else mode
            stored_name = (variable or self.names.declare(name, self.scope)).stored_name
        self.assign(stored_name, value, line_of(target), mode, annotation=annotation)

    def _assignment(self, node: "Node") -> None:
        """`a, b.c = …`"""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        pieces = self._pieces(len(left.named_children), significant(right))
        for target, (_, value) in zip(left.named_children, pieces, strict=True):
            line = line_of(target)
            if target.type == "identifier" and value is not None:
                variable = self.names.find(text_of(target))
                if variable is None:
                    self.assign(text_of(target), value, line, "outer")
                elif variable.scope == self.scope:
                    self.assign(variable.stored_name, value, line, "update")
            elif target.type == "selector_expression":
                owner, field = target.child_by_field_name("operand"), target.child_by_field_name("field")
                if owner is not None and field is not None:
                    base = self.read(owner)
                    self.assign(text_of(field), value, line, "member", annotation=base, on_self=True)
            else:
                self.read(target)

    # Statements

    def _range(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is None:
            return
        value, type_ = self.read(right), self.type_of(right)
        inner = None
        if isinstance(type_, Subscript):
            inner = type_.key.items[-1] if isinstance(type_.key, Items) else type_.key
        for position, target in enumerate(left.named_children if left is not None else ()):
            if target.type == "identifier":
                self.bind(target, value, "each" if position else "key", inner if position else None)

    def _type_switch(self, node: "Node") -> None:
        alias = node.child_by_field_name("alias")
        self.names.open()
        _, value = self.read_part(node, "initializer"), self.read_part(node, "value")
        for case in node.named_children:
            if case.type not in {"type_case", "default_case"}:
                continue
            self.names.open()
            types = [child for child in case.children_by_field_name("type") if child.is_named]
            if alias is not None and alias.named_children:
                single = self.read_type(types[0]) if len(types) == 1 else None
                self.bind(alias.named_children[0], None if single else value, "case", single)
            for child in case.named_children:
                if child not in types:
                    self.read(child)
            self.names.close()
        self.names.close()

    def _switch(self, node: "Node") -> None:
        """A switch; one over a request's method says which methods are answered."""
        value = node.child_by_field_name("value")
        if value is not None and value.type == "selector_expression":
            cases = [case.child_by_field_name("value") for case in node.named_children]
            values = [child for case in cases if case is not None for child in case.named_children]
            self.note_cases(self.read(value), [child for child in values if child.type in _PLAIN])
        self._scoped_block(node)

    def _return(self, node: "Node") -> None:
        inside = [part for child in node.named_children for part in significant(child)]
        values = [self.read(part) for part in inside] or list(self._named_results.get(self.scope, ()))
        if values:
            self.returns.append(ReturnValue(self.scope, shapes.one_or_items(values)))

    READERS: ClassVar[dict[str, Read]] = {
        **GoExpressionReader.READERS,
        **dict.fromkeys(("var_spec", "const_spec"), _declaration),
        **dict.fromkeys(("short_var_declaration", "receive_statement"), _short_declaration),
        "assignment_statement": _assignment,
        "import_declaration": _import,
        "func_literal": inline,
        **dict.fromkeys(("function_declaration", "method_declaration"), _function),
        **dict.fromkeys(("type_spec", "type_alias"), _type),
        "range_clause": _range,
        "type_switch_statement": _type_switch,
        "expression_switch_statement": _switch,
        "return_statement": _return,
        **dict.fromkeys(
            (
                "block if_statement for_statement expression_case default_case select_statement communication_case"
            ).split(),
            _scoped_block,
        ),
    }


_PLAIN = frozenset({"interpreted_string_literal", "raw_string_literal", "selector_expression"})
