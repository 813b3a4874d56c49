"""Read one Python file into facts: definitions, imports, assignments, calls, returns and key reads."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    Argument,
    Assignment,
    Constant,
    Expression,
    FileFacts,
    Import,
    ReturnValue,
)
from pipeline.code_registry.languages.grammars import parse_python
from pipeline.code_registry.languages.python.expressions import PythonExpressionReader, plain_string
from pipeline.code_registry.languages.syntax_reader import Read, line_of, significant

if TYPE_CHECKING:
    from tree_sitter import Node


def extract(source: bytes) -> FileFacts:
    """Facts of one file. Syntax errors cost the statements they stand in, never the file.

    Raises:
        TooDeep: the file nests deeper than a person would write.
    """
    reader = _FileReader(source, parse_python(source))
    reader.define_file(docstring=reader.docstring(reader.root))
    reader.read_inside(reader.root)
    return reader.facts()


_NO_VALUE = Constant("None")
_PARAMETERS = frozenset({"default_parameter", "typed_parameter", "typed_default_parameter"})
_SPLATS = {"list_splat_pattern": "list", "dictionary_splat_pattern": "mapping"}

_TARGET_LISTS = frozenset({"pattern_list", "tuple_pattern", "tuple", "list_pattern"})


class _FileReader(PythonExpressionReader):
    """Reads the statements of a file."""

    IMPORTS = "python/imports.scm"

    def _assignment(self, node: "Node") -> None:
        left, right, type_ = _sides(node)
        annotation = self.read(type_) if type_ is not None else None
        value: Expression | None = None
        if right is not None and right.type == "assignment":
            self._assignment(right)
            value = self.assignments[-1].value if self.assignments else None
        elif right is not None:
            value = self.read(right)
        if left is not None:
            self.bind(left, value, annotation=annotation)

    def _addition(self, node: "Node") -> None:
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        value = self.read_part(node, "right")
        if left is not None and left.type != "identifier":
            self.read(left)
        elif left is not None and operator is not None and operator.type == "+=":
            name, line = self.text(left), line_of(node)
            self.additions.append(Assignment(self.scope, name, False, None, value, "add", line))

    def bind(
        self,
        target: "Node",
        value: Expression | None,
        mode: str = "assign",
        annotation: Expression | None = None,
    ) -> None:
        """Give a value to what stands on the left of it."""
        kind = target.type
        if kind == "identifier":
            self.assign(self.text(target), value, line_of(target), mode, annotation=annotation)
        elif kind == "attribute":
            base, name = target.named_children[0], target.named_children[-1]
            if base.type == "identifier" and self.text(base) in {"self", "cls"}:
                line = line_of(target)
                self.assign(self.text(name), value, line, mode, annotation=annotation, on_self=True)
            else:
                self.read(target)
        elif kind == "as_pattern_target":
            for part in significant(target):
                self.bind(part, value, mode)
        elif kind in _TARGET_LISTS:
            self.bind_parts(target, value, mode)
        else:
            self.read(target)

    def _import(self, node: "Node") -> None:
        for match in self.import_matches(node):
            self.imports += self._read_import({name: self.text(nodes[0]) for name, nodes in match.items()})

    def _read_import(self, match: dict[str, str]) -> Iterator[Import]:
        """`import a.b` binds `a`; `a.b` stands for what is then written."""
        module = match["module"].lstrip(".")
        level = len(match["module"]) - len(module)
        name = "*" if "all" in match else match.get("name")
        local = match.get("local") or name
        if local is None:
            head = module.partition(".")[0]
            yield Import(self.scope, head, head, 0, None)
        yield Import(self.scope, local or module, module, level, name)

    def _decorated_definition(self, node: "Node") -> None:
        *decorators, definition = significant(node)
        self._definition(definition, decorators)

    def _definition(self, node: "Node", decorators: Sequence["Node"] = ()) -> None:
        """Note a function or class; what its header calls happens on its behalf, so the header is its scope."""
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        if name is None or body is None:
            return
        is_class = node.type == "class_definition"
        kind = "class" if is_class else "function"
        index = self.define(kind, self.text(name), node, name, docstring=self.docstring(body))
        parent, self.scope = self.scope, index
        parts: dict[str, object] = {
            "decorators": tuple(
                [self.read(part.named_children[0]) for part in decorators if part.named_children]
            )
        }
        if is_class:
            above = node.child_by_field_name("superclasses")
            parts["bases"], parts["keywords"] = self.call_arguments(above) if above is not None else ((), ())
        else:
            parts["arguments"] = tuple(self._arguments(node))
            parts["returns"] = self.read_part(node, "return_type")
        self.complete(index, **parts)
        self.read(body)
        self.scope = parent

    def _arguments(self, node: "Node") -> Iterator[Argument]:
        parameters = node.child_by_field_name("parameters")
        for child in parameters.named_children if parameters is not None else ():
            target, line = child, line_of(child)
            if child.type in _PARAMETERS:
                target = child.named_children[0]
            annotation, default = self.read_part(child, "type"), self.read_part(child, "value")
            if target.type == "identifier":
                yield Argument(self.text(target), annotation, default, "plain", line)
            elif target.type in _SPLATS and target.named_children:
                name = self.text(target.named_children[0])
                yield Argument(name, annotation, None, _SPLATS[target.type], line)

    def _return(self, node: "Node") -> None:
        for child in significant(node):
            value = self.read(child)
            if value != _NO_VALUE:
                self.returns.append(ReturnValue(self.scope, value))

    def _for(self, node: "Node") -> None:
        left, value = node.child_by_field_name("left"), self.read_part(node, "right")
        if left is not None:
            self.bind(left, value, "each")
        for part in ("body", "alternative"):
            self.read_part(node, part)

    def _with_item(self, node: "Node") -> None:
        for child in node.named_children:
            parts = child.named_children
            if child.type == "as_pattern" and len(parts) > 1:
                self.bind(parts[-1], self.read(parts[0]), "enter")
            else:
                self.read(child)

    def _type_alias(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and left.named_children:
            self.bind(left.named_children[0], self.read(right))

    def docstring(self, block: "Node") -> str | None:
        """First paragraph of the docstring."""
        statement = next((child for child in block.named_children if child.type != "comment"), None)
        if statement is None or statement.type != "expression_statement":
            return None
        string = statement.named_children[0] if statement.named_children else statement
        if string.type != "string":
            return None
        text = plain_string(self.source[string.start_byte : string.end_byte])
        if text is None:
            pieces = [child for child in string.children if child.type == "string_content"]
            text = b"".join(self.source[piece.start_byte : piece.end_byte] for piece in pieces)
        return " ".join(text.decode("utf-8", "replace").strip().partition("\n\n")[0].split()) or None

    READERS: ClassVar[dict[str, Read]] = {
        **PythonExpressionReader.READERS,
        "assignment": _assignment,
        "augmented_assignment": _addition,
        **dict.fromkeys(("import_statement", "import_from_statement"), _import),
        **dict.fromkeys(("function_definition", "class_definition"), _definition),
        "decorated_definition": _decorated_definition,
        "return_statement": _return,
        "for_statement": _for,
        "with_item": _with_item,
        "type_alias_statement": _type_alias,
    }


def _sides(node: "Node") -> "tuple[Node | None, Node | None, Node | None]":
    """Target, value and type of an assignment: by their places, where nothing stands between them."""
    parts, field = node.children, node.child_by_field_name
    if len(parts) == 3 and parts[1].type == "=":
        return parts[0], parts[2], None
    return field("left"), field("right"), field("type")
