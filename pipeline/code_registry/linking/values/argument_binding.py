"""Which value of a call each parameter of a function gets."""

from pipeline.code_registry.facts import Attribute, Call, Splat
from pipeline.code_registry.linking.names.program import DefinitionRef, SourceProgram
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue


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
