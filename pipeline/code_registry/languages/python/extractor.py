"""Read one Python file into facts: definitions, imports, assignments, calls, returns and key reads."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import (
    Argument,
    Assignment,
    Constant,
    Definition,
    Expression,
    FileFacts,
    Import,
    Items,
    Returned,
    TooDeep,
)
from pipeline.code_registry.languages.python.expressions import DEEPEST, NESTED, ExpressionReader, text_of
from pipeline.code_registry.parsing import Deadline, parse

if TYPE_CHECKING:
    from tree_sitter import Node


def extract(source: bytes) -> FileFacts:
    """Facts of one file. Syntax errors cost the statements they stand in, never the file.

    Raises:
        TooDeep: the file nests deeper than a person would write.
        TooSlow: it takes too long.
    """
    deadline = Deadline()
    reader = _FileReader(deadline)
    reader.module(parse(source, _grammar, deadline).root_node)
    return reader.facts()


def _grammar() -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


class _FileReader:
    """Walks the statements of a file."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self.expressions = ExpressionReader()
        self.definitions: list[Definition] = []
        self.imports: list[Import] = []
        self.assignments: list[Assignment] = []
        self.additions: list[Assignment] = []
        self.returns: list[Returned] = []
        self._depth = 0

    def facts(self) -> FileFacts:
        return FileFacts(
            tuple(self.definitions),
            tuple(self.imports),
            tuple(self.assignments),
            tuple(self.expressions.calls),
            tuple(self.returns),
            tuple(self.expressions.reads),
            tuple(self.additions),
        )

    def module(self, root: "Node") -> None:
        end = root.end_point[0] + 1
        self.definitions.append(Definition("module", "", -1, 1, end, (), (), None, (), (), _docstring(root)))
        self._block(root)

    def _block(self, node: "Node") -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep(NESTED)
        for child in node.named_children:
            self._statement(child)
        self._depth -= 1

    def _statement(self, node: "Node") -> None:
        self._deadline.check()
        kind = node.type
        handler = self._STATEMENTS.get(kind)
        if handler is not None:
            handler(self, node)
        elif kind in _BLOCKS:
            self._block(node)
        elif kind != "comment":
            self.expressions.read(node)

    def _expression_statement(self, node: "Node") -> None:
        for child in node.named_children:
            if child.type == "assignment":
                self._assignment(child)
            elif child.type == "augmented_assignment":
                self._addition(child)
            else:
                self.expressions.read(child)

    def _assignment(self, node: "Node") -> None:
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        type_ = node.child_by_field_name("type")
        annotation = self.expressions.read(type_) if type_ is not None else None
        value: Expression | None = None
        if right is not None and right.type == "assignment":
            self._assignment(right)
            value = self.assignments[-1].value if self.assignments else None
        elif right is not None:
            value = self.expressions.read(right)
        if left is not None:
            self._bind(left, annotation, value, "assign")

    def _addition(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        value = self.expressions.read(right) if right is not None else None
        if left is not None and left.type != "identifier":
            self.expressions.read(left)
        elif left is not None and operator is not None and operator.type == "+=":
            line = node.start_point[0] + 1
            scope = self.expressions.scope
            self.additions.append(Assignment(scope, text_of(left), False, None, value, "add", line))

    def _bind(
        self, target: "Node", annotation: Expression | None, value: Expression | None, mode: str
    ) -> None:
        kind = target.type
        line = target.start_point[0] + 1
        scope = self.expressions.scope
        if kind == "identifier":
            name = self.expressions.name(target)
            self.assignments.append(Assignment(scope, name, False, annotation, value, mode, line))
        elif kind == "attribute":
            parts = target.named_children
            if parts[0].type == "identifier" and text_of(parts[0]) in {"self", "cls"}:
                name = self.expressions.name(parts[-1])
                self.assignments.append(Assignment(scope, name, True, annotation, value, mode, line))
            else:
                self.expressions.read(target)
        elif kind in {"pattern_list", "tuple_pattern", "tuple", "list_pattern", "as_pattern_target"}:
            parts = [child for child in target.named_children if child.type != "comment"]
            single = kind == "as_pattern_target"
            values = value.items if isinstance(value, Items) and mode == "assign" else ()
            for position, part in enumerate(parts):
                piece = value if single else (values[position] if len(values) == len(parts) else None)
                self._bind(part, None, piece, mode if single else "assign")
        else:
            self.expressions.read(target)

    def _import(self, node: "Node") -> None:
        scope = self.expressions.scope
        for child in node.named_children:
            if child.type == "dotted_name":
                module = text_of(child)
                self.imports.append(Import(scope, module.split(".")[0], module.split(".")[0], 0, None))
                self.imports.append(Import(scope, module, module, 0, None))
            elif child.type == "aliased_import":
                module, local = (text_of(part) for part in child.named_children)
                self.imports.append(Import(scope, local, module, 0, None))

    def _import_from(self, node: "Node") -> None:
        scope = self.expressions.scope
        source = node.child_by_field_name("module_name")
        if source is None:
            return
        dotted = text_of(source)
        module = dotted.lstrip(".")
        level = len(dotted) - len(module)
        for child in node.children_by_field_name("name"):
            if child.type == "aliased_import":
                name, local = (text_of(part) for part in child.named_children)
            else:
                name = local = text_of(child)
            self.imports.append(Import(scope, local, module, level, name))
        if any(child.type == "wildcard_import" for child in node.named_children):
            self.imports.append(Import(scope, "*", module, level, "*"))

    def _decorated(self, node: "Node") -> None:
        *decorators, definition = [child for child in node.named_children if child.type != "comment"]
        self._definition(definition, decorators)

    def _plain_definition(self, node: "Node") -> None:
        self._definition(node, [])

    def _definition(self, node: "Node", decorators: list["Node"]) -> None:
        """Note a function or class; what its header calls happens on its behalf, so the header is its scope."""
        parent, index = self.expressions.scope, len(self.definitions)
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        if name is None or body is None:
            return
        is_class = node.type == "class_definition"
        self.expressions.scope = index
        read = [self.expressions.read(part.named_children[0]) for part in decorators if part.named_children]
        arguments = () if is_class else self._arguments(node)
        bases, keywords = self._bases(node) if is_class else ((), ())
        type_ = None if is_class else node.child_by_field_name("return_type")
        returns = self.expressions.read(type_) if type_ is not None else None
        self.definitions.append(
            Definition(
                "class" if is_class else "function",
                self.expressions.name(name),
                parent,
                name.start_point[0] + 1,
                node.end_point[0] + 1,
                tuple(read),
                arguments,
                returns,
                bases,
                keywords,
                _docstring(body),
            )
        )
        self._block(body)
        self.expressions.scope = parent

    def _arguments(self, node: "Node") -> tuple[Argument, ...]:
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            return ()
        return tuple(
            argument for child in parameters.named_children if (argument := self._argument(child)) is not None
        )

    def _argument(self, node: "Node") -> Argument | None:
        line = node.start_point[0] + 1
        kind = node.type
        if kind == "identifier":
            return Argument(self.expressions.name(node), None, None, "plain", line)
        if kind in {"list_splat_pattern", "dictionary_splat_pattern"}:
            return _splat_argument(node, None, line)
        if kind not in {"default_parameter", "typed_parameter", "typed_default_parameter"}:
            return None
        type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        annotation = self.expressions.read(type_) if type_ is not None else None
        default = self.expressions.read(value) if value is not None else None
        target = node.named_children[0]
        if target.type != "identifier":
            return _splat_argument(target, annotation, line)
        return Argument(self.expressions.name(target), annotation, default, "plain", line)

    def _bases(self, node: "Node") -> tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]:
        inside = node.child_by_field_name("superclasses")
        bases: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        for child in inside.named_children if inside is not None else ():
            if child.type == "keyword_argument":
                keywords.append(
                    (text_of(child.named_children[0]), self.expressions.read(child.named_children[-1]))
                )
            elif child.type != "comment":
                bases.append(self.expressions.read(child))
        return tuple(bases), tuple(keywords)

    def _return(self, node: "Node") -> None:
        for child in node.named_children:
            if child.type != "comment":
                value = self.expressions.read(child)
                if value != Constant("None"):
                    self.returns.append(Returned(self.expressions.scope, value))

    def _for(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.expressions.read(right) if right is not None else None
        if left is not None:
            self._bind(left, None, value, "each")
        for child in node.named_children:
            if child.type in _BLOCKS:
                self._block(child)

    def _with(self, node: "Node") -> None:
        for child in node.named_children:
            if child.type == "with_clause":
                for item in child.named_children:
                    self._with_item(item)
            else:
                self._statement(child)

    def _with_item(self, item: "Node") -> None:
        for child in item.named_children:
            if child.type == "as_pattern" and len(child.named_children) > 1:
                value = self.expressions.read(child.named_children[0])
                self._bind(child.named_children[-1], None, value, "enter")
            else:
                self.expressions.read(child)

    def _type_alias(self, node: "Node") -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and left.named_children:
            self._bind(left.named_children[0], None, self.expressions.read(right), "assign")

    _STATEMENTS: ClassVar[dict[str, Callable[["_FileReader", "Node"], None]]] = {
        "expression_statement": _expression_statement,
        "import_statement": _import,
        "import_from_statement": _import_from,
        "function_definition": _plain_definition,
        "class_definition": _plain_definition,
        "decorated_definition": _decorated,
        "return_statement": _return,
        "for_statement": _for,
        "with_statement": _with,
        "type_alias_statement": _type_alias,
    }


def _splat_argument(node: "Node", annotation: Expression | None, line: int) -> Argument | None:
    if not node.named_children:
        return None
    kind = "list" if node.type == "list_splat_pattern" else "mapping"
    return Argument(text_of(node.named_children[0]), annotation, None, kind, line)


def _docstring(block: "Node") -> str | None:
    """First paragraph of the docstring."""
    for statement in block.named_children:
        if statement.type == "comment":
            continue
        if statement.type != "expression_statement" or not statement.named_children:
            return None
        node = statement.named_children[0]
        if node.type != "string":
            return None
        text = "".join(text_of(child) for child in node.children if child.type == "string_content")
        paragraph = text.strip().split("\n\n")[0]
        return " ".join(paragraph.split()) or None
    return None


_BLOCKS = frozenset(
    {
        "block",
        "if_statement",
        "elif_clause",
        "else_clause",
        "while_statement",
        "try_statement",
        "except_clause",
        "except_group_clause",
        "finally_clause",
        "match_statement",
        "case_clause",
        "ERROR",
    }
)
