"""What the readers of all languages share: how deep a file may be nested, and what is noted while expressions are read."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from pipeline.code_registry.facts import OPAQUE, CallSite, Comparison, Constant, Expression, KeyRead
from pipeline.code_registry.unfit_file import TooDeep

if TYPE_CHECKING:
    from tree_sitter import Node


class SyntaxReader:
    """Reads one file, and knows how deep it is in its syntax."""

    DEEPEST: ClassVar[int] = 150
    """Nesting beyond which a file is hostile: a chain of thirty calls on each other is as deep as sixty brackets."""

    def __init__(self) -> None:
        self._depth = 0

    def _enter(self) -> None:
        """One level deeper.

        Raises:
            TooDeep: the file is nested deeper than it is read.
        """
        self._depth += 1
        if self._depth > self.DEEPEST:
            raise TooDeep("nested too deep to be written by a person")

    def _leave(self) -> None:
        """One level up. What raises gives up its file, so nobody leaves then."""
        self._depth -= 1


class ExpressionReader(SyntaxReader):
    """Reads expressions of one file; `scope` is the definition whose code is being read. A language says in `READERS` how each
    kind of node is read.
    """

    READERS: ClassVar[Mapping[str, Callable[..., Expression]]]

    def __init__(self) -> None:
        super().__init__()
        self.scope = 0
        self.calls: list[CallSite] = []
        self.reads: list[KeyRead] = []
        self.comparisons: list[Comparison] = []

    def read(self, node: "Node") -> Expression:
        """The expression of a node; what stands inside it is noted even where the result is opaque."""
        reader = self.READERS.get(node.type)
        self._enter()
        result: Expression = OPAQUE
        if reader is not None:
            result = reader(self, node)
        else:
            for child in node.named_children:
                self.read(child)
        self._leave()
        return result

    def constant(self, node: "Node") -> Expression:
        """A value that is its own text."""
        return Constant(text_of(node))


def combine_operands(
    node: "Node",
    read: Callable[["Node"], Expression],
    combine: Callable[[str, list[Expression]], Expression],
) -> Expression:
    """The value of a binary operation: `combine` is given an operator and the operands that it stands between.

    `a + b + c` is `(a + b) + c`. It is read from the inside out, so that a text of a thousand lines is not deep, and its three
    operands are combined at once, so that it does not take a million steps.
    """
    operations = [node]
    while (left := operations[-1].child_by_field_name("left")) is not None and left.kind_id == node.kind_id:
        operations.append(left)
    operands, word = [read(left) if left is not None else OPAQUE], ""
    for operation in reversed(operations):
        operator, right = operation.child_by_field_name("operator"), operation.child_by_field_name("right")
        sign = operator.type if operator is not None else ""
        if sign != word and len(operands) > 1:
            operands = [combine(word, operands)]
        word = sign
        operands.append(read(right) if right is not None else OPAQUE)
    return combine(word, operands)


def text_of(node: "Node") -> str:
    """The source of a node; broken encodings become replacement characters."""
    return (node.text or b"").decode("utf-8", "replace")


def line_of(node: "Node") -> int:
    """The line on which a node starts, counted from 1."""
    return node.start_point[0] + 1
