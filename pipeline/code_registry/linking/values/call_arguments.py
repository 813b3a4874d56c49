"""Values with the scope they stand in, and the arguments of calls."""

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.code_registry.facts import (
    OPAQUE,
    Attribute,
    Call,
    Expression,
    Items,
    Name,
    Pairs,
    Splat,
    StringLiteral,
    Subscript,
)
from pipeline.code_registry.framework import ArgumentAt
from pipeline.code_registry.linking.names.program import DefinitionRef, SourceProgram


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


def argument(call: Call, at: ArgumentAt | None) -> Expression | None:
    """The argument that stands at a position or keyword of a call."""
    if at is None:
        return None
    for key, value in call.keywords:
        if key == at.keyword:
            return value
    if at.position is not None and -len(call.arguments) <= at.position < len(call.arguments):
        value = call.arguments[at.position]
        match value:
            case Splat(Items((*_, last))) if at.position == -1:  # `get(path, ...[check, show])`
                value = last
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


def bound_arguments(
    program: SourceProgram, function: DefinitionRef, call: Call, scope: Scope
) -> dict[str, tuple[ScopedValue, ...]]:
    """The values by parameter, for a call that stands in `scope`; a parameter that collects a list has several.

    `orders.add(item, urgent=True)` gives `self` the value `orders`, `item` the first argument and `urgent` the keyword.
    What the call leaves out has its default; what has none is left out here, too.
    """
    definition = program.definition(function)
    arguments = list(definition.arguments)
    bound: dict[str, tuple[ScopedValue, ...]] = {}
    outside = program.files[function.path].definitions[definition.parent].kind
    is_receiver = bool(arguments) and arguments[0].name in program.words.receivers
    if (outside == "class" and is_receiver) or (outside == "extension" and arguments):
        receiver = arguments.pop(0)
        if isinstance(call.function, Attribute):
            bound[receiver.name] = (ScopedValue(call.function.base, scope),)
    values = [ScopedValue(value, scope) for value in call.arguments]
    for argument in arguments:
        if argument.kind == "list":
            bound[argument.name], values = tuple(values), []
        elif argument.kind == "plain" and values and not isinstance(values[0].expression, Splat):
            bound[argument.name] = (values.pop(0),)
    names = {argument.name for argument in arguments}
    bound |= {key: (ScopedValue(value, scope),) for key, value in call.keywords if key in names}
    inside = Scope(function.path, function.number)
    for argument in arguments:
        if argument.name not in bound and argument.default is not None:
            bound[argument.name] = (ScopedValue(argument.default, inside),)
    return bound
