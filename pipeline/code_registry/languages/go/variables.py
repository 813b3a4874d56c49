"""Read what a Go file declares and assigns: which variable is meant where names repeat, and what each is given."""

from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import RESULT, Constant, Expression, Subscript
from pipeline.code_registry.languages.go.expressions import GoExpressionReader
from pipeline.code_registry.languages.syntax_reader import Read, line_of, significant, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


class VariableReader(GoExpressionReader):
    """Notes assignments, those of declarations among them."""

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

    READERS: ClassVar[dict[str, Read]] = {
        **GoExpressionReader.READERS,
        **dict.fromkeys(("var_spec", "const_spec"), _declaration),
        **dict.fromkeys(("short_var_declaration", "receive_statement"), _short_declaration),
        "assignment_statement": _assignment,
    }
