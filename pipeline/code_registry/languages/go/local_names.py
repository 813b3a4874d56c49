"""Which variable a name means at a place of a Go function: blocks nest, and a declaration counts from its end on.

A local variable is stored under its name with a number, so that one that shadows a package, a type or another variable
is never taken for it. Parameters keep their plain name: they hold in the whole function.
"""

from typing import NamedTuple

from pipeline.code_registry.facts import NUMBER_MARK


class Variable(NamedTuple):
    """A local variable: the name it is stored under and the definition that it belongs to."""

    stored_name: str
    scope: int


class LocalNames:
    """The blocks that are open at the moment of reading."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Variable]] = []
        self._count = 0

    def open(self) -> None:
        """Enter a block."""
        self._blocks.append({})

    def close(self) -> None:
        """Leave the innermost block."""
        self._blocks.pop()

    def parameter(self, name: str, scope: int) -> None:
        """Declare a parameter of a function."""
        self._blocks[-1][name] = Variable(name, scope)

    def declare(self, name: str, scope: int) -> Variable:
        """Declare a variable in the innermost block."""
        self._count += 1
        variable = Variable(f"{name}{NUMBER_MARK}{self._count}", scope)
        self._blocks[-1][name] = variable
        return variable

    def in_this_block(self, name: str) -> Variable | None:
        """The variable of this name that the innermost block declares: `:=` gives it a new value."""
        return self._blocks[-1].get(name) if self._blocks else None

    def find(self, name: str) -> Variable | None:
        """The local variable a name means; None for what the package or the language declares."""
        for block in reversed(self._blocks):
            if name in block:
                return block[name]
        return None
