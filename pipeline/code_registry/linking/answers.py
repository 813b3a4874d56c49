"""The function that answers a request, in languages where handlers are known by the types of their parameters."""

from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Expression,
    Inline,
    Name,
    Splat,
    Subscript,
)
from pipeline.code_registry.linking.program import Collection, Defined, Instance, Module
from pipeline.code_registry.linking.traced import Scope, Traced
from pipeline.code_registry.linking.tracing import Tracer

DEEPEST = 8
FOLLOWED = 4
"""What following a variable costs of that depth."""
_HANDLERS = frozenset({"HandlerFunc", "Handler", "func"})
"""Last words of the types that handlers have."""


class AnswerFinder:
    """Sees through wrappers: `allow(withId(orders.show), "read")` is answered by `orders.show`."""

    def __init__(self, tracer: Tracer, contexts: frozenset[str], answering: frozenset[str]) -> None:
        self._tracer = tracer
        self._program = tracer.program
        self._contexts = contexts
        self._answering = answering

    def find(self, traced: Traced) -> Defined | None:
        """What answers, as it is written where it is registered, or behind variables."""
        found = self._written(traced, 0)
        if found is not None:
            return found
        for source in self._tracer.sources(traced):
            expression, scope = source
            if source == traced:
                continue
            if isinstance(expression, Inline):
                return self._maker(scope, expression.number, traced.scope)
            found = self._written(source, 0)
            if found is not None:
                return found
        return None

    def _written(self, traced: Traced, depth: int) -> Defined | None:
        expression, scope = traced
        if depth > DEEPEST:
            return None
        if isinstance(expression, Inline):
            return Defined(scope.path, expression.number)
        if isinstance(expression, Splat):
            return None
        if isinstance(expression, Call):
            return self._wrapped(expression, scope, depth)
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        match entity:
            case Defined() if not self._program.is_class(entity):
                return entity
            case Instance():
                return self._method(entity)
            case _:
                return None

    def _wrapped(self, call: Call, scope: Scope, depth: int) -> Defined | None:
        """What a call gives: the handler that it is handed; failing that, the function that makes one."""
        for inner in call.arguments:
            found = self._handed(Traced(inner, scope), depth + 1)
            if found is not None:
                return found
        called = self._tracer.types.of(call.function, scope.path, scope.number)
        if isinstance(called, Defined):
            result = self._tracer.types.result(called)
            method = self._method(result) if isinstance(result, Instance) else None
            if method is not None:
                return method
            return None if self._program.is_class(called) else called
        return None

    def _handed(self, traced: Traced, depth: int) -> Defined | None:
        """A handler among the arguments of a wrapper; other functions are not taken for one."""
        found = self._written(traced, depth)
        if found is not None and self._answers(found):
            return found
        expression, scope = traced
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        if not isinstance(expression, Name) or isinstance(entity, Instance | Collection | Module):
            return None
        for source in self._tracer.sources(traced):
            found = None if source == traced else self._written(source, depth + FOLLOWED)
            if found is not None and self._answers(found):
                return found
        return None

    def _answers(self, function: Defined) -> bool:
        definition = self._program.definition(function)
        if any(_word(argument.annotation) in self._contexts for argument in definition.arguments):
            return True
        return _word(definition.returns) in _HANDLERS

    def _method(self, instance: Instance) -> Defined | None:
        for word in self._answering:
            method = self._tracer.types.member(instance, word)
            if isinstance(method, Defined):
                return method
        return None

    def _maker(self, scope: Scope, number: int, asked_from: Scope) -> Defined:
        """The named function that returns a function written inside it; people know it by that name."""
        parent = self._program.files[scope.path].definitions[number].parent
        if parent > 0 and (scope.path, parent) != (asked_from.path, asked_from.number):
            return Defined(scope.path, parent)
        return Defined(scope.path, number)


def _word(type_: Expression | None) -> str:
    match type_:
        case Name(name) | Attribute(_, name):
            return name
        case Subscript(base):
            return _word(base)
        case _:
            return ""
