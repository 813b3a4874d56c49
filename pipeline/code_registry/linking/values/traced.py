"""An expression and the place to read it in."""

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.code_registry.facts import OPAQUE, Attribute, Expression, Items, Name, Subscript
from pipeline.code_registry.linking.names.program import DefinitionRef


class Scope(NamedTuple):
    """Where an expression is read, and what the parameters of its function hold there, if that is known."""

    path: str
    number: int
    arguments: Mapping[str, tuple["ScopedValue", ...]] | None = None
    rebinding: frozenset[str] = frozenset()
    """Parameters that are being read on the right side of their own new value: they mean what was handed in."""
    owner: DefinitionRef | None = None
    """The class of the instance whose code this is, where that is another one than the class in which the code stands."""


class ScopedValue(NamedTuple):
    """An expression and the scope to read it in."""

    expression: Expression
    scope: Scope


def is_handed_in(base: Expression, scope: Scope) -> bool:
    """Whether a value is, or is inside of, what a parameter or a loop variable holds here."""
    while isinstance(base, Attribute | Subscript):
        base = base.base
    return isinstance(base, Name) and scope.arguments is not None and base.name in scope.arguments


def result_part(value: Expression, result_number: int | None) -> Expression:
    """One of several values that are returned together."""
    if result_number is None or not isinstance(value, Items):
        return value
    return value.items[result_number] if result_number < len(value.items) else OPAQUE
