"""Pick the arguments of a call: by position, by keyword, or out of a mapping of options."""

from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Expression,
    Name,
    Pairs,
    Splat,
    StringLiteral,
    Subscript,
)
from pipeline.code_registry.framework import ArgumentAt


def argument(call: Call, at: ArgumentAt | None) -> Expression | None:
    """The argument that stands at a position or keyword of a call."""
    if at is None:
        return None
    for key, value in call.keywords:
        if key == at.keyword:
            return value
    if at.position is not None and -len(call.arguments) <= at.position < len(call.arguments):
        value = call.arguments[at.position]
        is_options = at.keyword is not None and isinstance(value, Pairs)
        if not is_options:
            return value if at.spread or not isinstance(value, Splat) else None
    for value in call.arguments if at.keyword is not None else ():
        option = value_of_key(value, at.keyword or "")
        if option is not None:
            return option
    return None


def computed_method(call: Call) -> tuple[Expression, Expression] | None:
    """The base and the name's expression of a method that is called by a name that is worked out.

    `router[method](path)` and `getattr(router, method)(path)`.
    """
    match call.function:
        case Subscript(base, Name() | Attribute() as name) | Call(Name("getattr"), (base, name, *_)):
            return base, name
        case _:
            return None


def value_of_key(value: Expression | None, word: str) -> Expression | None:
    """The value of a key of a mapping, where it is written out."""
    if not isinstance(value, Pairs):
        return None
    return next((inner for key, inner in value.items if key == StringLiteral(word)), None)
