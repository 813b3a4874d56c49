"""Read one Python file into facts: definitions, imports, assignments, calls, returns and key reads."""

from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    Argument,
    Assignment,
    CodeDefinition,
    Constant,
    Expression,
    FileFacts,
    Import,
    Items,
    ReturnValue,
    part_of,
)
from pipeline.code_registry.languages.grammars import parse_python
from pipeline.code_registry.languages.python.expressions import PythonExpressionReader
from pipeline.code_registry.languages.python.imports import (
    BLOCKS,
    Memory,
    ReadImport,
    plain_string,
    read_import,
    read_import_from,
    sides,
)
from pipeline.code_registry.languages.syntax_reader import ReadStatement, line_of, significant
from pipeline.code_registry.parsing import Deadline

if TYPE_CHECKING:
    from tree_sitter import Node


def extract(source: bytes) -> FileFacts:
    """Facts of one file. Syntax errors cost the statements they stand in, never the file.

    Raises:
        TooDeep: the file nests deeper than a person would write.
        TooSlow: it takes too long.
    """
    deadline = Deadline()
    reader = _FileReader(source, parse_python(source, deadline), deadline)
    reader.define_file(docstring=reader.docstring(reader.root))
    reader.block(reader.root)
    return reader.facts()


_NONE = Constant("None")
_IMPORTS: Memory[tuple[Import, ...]] = Memory(160)
_PARAMETERS: Memory[list[tuple[str, Expression | None, Expression | None, str, int]]] = Memory(160)


class _FileReader(PythonExpressionReader):
    """Walks the statements of a file."""

    def _expression_statement(self, node: "Node") -> None:
        for child in node.named_children:
            reader = self.USED_ALONE.get(child.type)
            if reader is not None:
                reader(self, child)
            else:
                self.read(child)

    def _alone(self, node: "Node") -> None:
        """A string that nobody uses; plain ones hold no calls."""
        if self.source[node.start_byte] not in b"\"'":
            self.read(node)

    def _assignment(self, node: "Node") -> None:
        left, right, type_ = sides(node)
        annotation = self.read(type_) if type_ is not None else None
        value: Expression | None = None
        if right is not None and right.type == "assignment":
            self._assignment(right)
            value = self.assignments[-1].value if self.assignments else None
        elif right is not None:
            value = self.read(right)
        if left is not None:
            self._bind(left, annotation, value, "assign")

    def _addition(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        value = self.read(right) if right is not None else None
        if left is not None and left.type != "identifier":
            self.read(left)
        elif left is not None and operator is not None and operator.type == "+=":
            name, line = self.text(left), line_of(node)
            self.additions.append(Assignment(self.scope, name, False, None, value, "add", line))

    def _bind(
        self, target: "Node", annotation: Expression | None, value: Expression | None, mode: str
    ) -> None:
        kind = target.type
        if kind == "identifier":
            self.assign(self.name(target), value, line_of(target), mode, annotation=annotation)
        elif kind == "attribute":
            self._bind_attribute(target, annotation, value, mode)
        elif kind == "as_pattern_target":
            for part in significant(target):
                self._bind(part, None, value, mode)
        elif kind in _TARGET_LISTS:
            self._bind_parts(target, value, mode)
        else:
            self.read(target)

    def _bind_parts(self, target: "Node", value: Expression | None, mode: str) -> None:
        """`a, b = value`"""
        parts = significant(target)
        if mode == "each":
            value, mode = self.whole_element(target, value), "part"
        values = value.items if isinstance(value, Items) and mode == "assign" else ()
        for position, part in enumerate(parts):
            if len(values) == len(parts):
                self._bind(part, None, values[position], "assign")
            else:
                piece = part_of(value, position) if value is not None else None
                self._bind(part, None, piece, "part")

    def _bind_attribute(
        self, target: "Node", annotation: Expression | None, value: Expression | None, mode: str
    ) -> None:
        parts = target.named_children
        if parts[0].type == "identifier" and self.text(parts[0]) in {"self", "cls"}:
            name, line = self.name(parts[-1]), line_of(target)
            self.assign(name, value, line, mode, annotation=annotation, on_self=True)
        else:
            self.read(target)

    def _import(self, node: "Node") -> None:
        self._read_import(node, read_import)

    def _import_from(self, node: "Node") -> None:
        self._read_import(node, read_import_from)

    def _read_import(self, node: "Node", read: ReadImport) -> None:
        """Note what a statement imports; at the top of a file, most such statements are those of other files."""
        if self.scope:
            self.imports += read(node, self.text, self.scope)
            return
        text = self.source[node.start_byte : node.end_byte]
        imports = _IMPORTS.get(text)
        if imports is None:
            imports = _IMPORTS.learn(text, tuple(read(node, self.text, 0)))
        self.imports += imports

    def _decorated_definition(self, node: "Node") -> None:
        *decorators, definition = significant(node)
        self._definition(definition, decorators)

    def _plain_definition(self, node: "Node") -> None:
        self._definition(node, [])

    def _definition(self, node: "Node", decorators: list["Node"]) -> None:
        """Note a function or class; what its header calls happens on its behalf, so the header is its scope."""
        parent, index = self.scope, len(self.definitions)
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        if name is None or body is None:
            return
        is_class = node.type == "class_definition"
        self.scope = index
        read = [self.read(part.named_children[0]) for part in decorators if part.named_children]
        arguments = () if is_class else self._arguments(node)
        bases, keywords = self._bases(node) if is_class else ((), ())
        type_ = None if is_class else node.child_by_field_name("return_type")
        returns = self.read(type_) if type_ is not None else None
        self.definitions.append(
            CodeDefinition(
                "class" if is_class else "function",
                self.name(name),
                parent,
                line_of(name),
                node.end_point[0] + 1,
                tuple(read),
                arguments,
                returns,
                bases,
                keywords,
                self.docstring(body),
            )
        )
        self.block(body)
        self.scope = parent

    def _arguments(self, node: "Node") -> tuple[Argument, ...]:
        """The parameters of a function. Most lists of them are written in many places: only their lines differ."""
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            return ()
        text = self.source[parameters.start_byte : parameters.end_byte]
        line = line_of(parameters)
        cached_rows = _PARAMETERS.get(text)
        if cached_rows is not None:
            return tuple(
                [
                    Argument(name, type_, value, kind, line + at)
                    for name, type_, value, kind, at in cached_rows
                ]
            )
        notes_before = self.note_count()
        read = [self._argument(child) for child in parameters.named_children]
        arguments = tuple([argument for argument in read if argument is not None])
        if self.note_count() == notes_before:
            _PARAMETERS.learn(
                text, [(a.name, a.annotation, a.default, a.kind, a.line - line) for a in arguments]
            )
        return arguments

    def _argument(self, node: "Node") -> Argument | None:
        line = line_of(node)
        kind = node.type
        if kind == "identifier":
            return Argument(self.name(node), None, None, "plain", line)
        if kind in {"list_splat_pattern", "dictionary_splat_pattern"}:
            return self._splat_argument(node, None, line)
        if kind not in {"default_parameter", "typed_parameter", "typed_default_parameter"}:
            return None
        type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        annotation = self.read(type_) if type_ is not None else None
        default = self.read(value) if value is not None else None
        target = node.named_children[0]
        if target.type != "identifier":
            return self._splat_argument(target, annotation, line)
        return Argument(self.name(target), annotation, default, "plain", line)

    def _splat_argument(self, node: "Node", annotation: Expression | None, line: int) -> Argument | None:
        if not node.named_children:
            return None
        kind = "list" if node.type == "list_splat_pattern" else "mapping"
        return Argument(self.text(node.named_children[0]), annotation, None, kind, line)

    def _bases(self, node: "Node") -> tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]:
        inside = node.child_by_field_name("superclasses")
        bases: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        for child in inside.named_children if inside is not None else ():
            if child.type == "keyword_argument":
                keywords.append(self.keyword(child))
            elif child.type != "comment":
                bases.append(self.read(child))
        return tuple(bases), tuple(keywords)

    def _return(self, node: "Node") -> None:
        for child in significant(node):
            value = self.read(child)
            if value != _NONE:
                self.returns.append(ReturnValue(self.scope, value))

    def _for(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.read(right) if right is not None else None
        if left is not None:
            self._bind(left, None, value, "each")
        for child in node.named_children:
            if child.type in BLOCKS:
                self.block(child)

    def _with(self, node: "Node") -> None:
        for child in node.named_children:
            if child.type == "with_clause":
                for item in child.named_children:
                    self._with_item(item)
            else:
                self.statement(child)

    def _with_item(self, item: "Node") -> None:
        for child in item.named_children:
            if child.type == "as_pattern" and len(child.named_children) > 1:
                value = self.read(child.named_children[0])
                self._bind(child.named_children[-1], None, value, "enter")
            else:
                self.read(child)

    def _type_alias(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and left.named_children:
            self._bind(left.named_children[0], None, self.read(right), "assign")

    def docstring(self, block: "Node") -> str | None:
        """First paragraph of the docstring."""
        for statement in block.named_children:
            if statement.type == "comment":
                continue
            parts = statement.named_children if statement.type == "expression_statement" else []
            return self._first_paragraph(parts[0]) if parts and parts[0].type == "string" else None
        return None

    def _first_paragraph(self, string: "Node") -> str | None:
        plain = plain_string(self.source[string.start_byte : string.end_byte])
        if plain is not None:
            text = plain.decode("utf-8", "replace")
        else:
            pieces = [child for child in string.children if child.type == "string_content"]
            text = "".join(map(self.text, pieces))
        return " ".join(text.strip().partition("\n\n")[0].split()) or None

    STATEMENTS: ClassVar[dict[str, ReadStatement]] = {
        "expression_statement": _expression_statement,
        "import_statement": _import,
        "import_from_statement": _import_from,
        "function_definition": _plain_definition,
        "class_definition": _plain_definition,
        "decorated_definition": _decorated_definition,
        "return_statement": _return,
        "for_statement": _for,
        "with_statement": _with,
        "type_alias_statement": _type_alias,
        "comment": PythonExpressionReader.skip,
        **dict.fromkeys(BLOCKS, PythonExpressionReader.block),
    }
    USED_ALONE: ClassVar[dict[str, ReadStatement]] = {
        "assignment": _assignment,
        "augmented_assignment": _addition,
        "string": _alone,
    }
    """Of statements that are expressions, those that are read in their own way."""


_TARGET_LISTS = frozenset({"pattern_list", "tuple_pattern", "tuple", "list_pattern"})
