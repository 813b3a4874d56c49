"""The function that answers a request, in languages where handlers are known by the types of their parameters."""

from pipeline.code_registry.facts import Call, Inline, Name, Splat, Subscript, last_word
from pipeline.code_registry.linking.names.program import Collection, DefinitionRef, Instance, Module
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer

DEEPEST = 8
DEPTH_BEHIND_VARIABLE = 4
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

    def find(self, scoped_value: ScopedValue) -> DefinitionRef | None:
        """What answers, as it is written where it is registered, or behind variables."""
        answer = self._find_direct(scoped_value, 0)
        if answer is not None:
            return answer
        for source in self._tracer.sources(scoped_value):
            expression, scope = source
            if source == scoped_value:
                continue
            if isinstance(expression, Inline):
                return self._maker(scope, expression.number, scoped_value.scope)
            answer = self._find_direct(source, 0)
            if answer is not None:
                return answer
        return None

    def _find_direct(self, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        expression, scope = scoped_value
        if depth > DEEPEST:
            return None
        if isinstance(expression, Inline):
            return DefinitionRef(scope.path, expression.number)
        if isinstance(expression, Splat):
            return None
        if isinstance(expression, Call):
            return self._find_in_call(expression, scope, depth)
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        match entity:
            case DefinitionRef() if not self._program.is_class(entity):
                return entity
            case Instance():
                return self._method(entity)
            case _:
                return None

    def _find_in_call(self, call: Call, scope: Scope, depth: int) -> DefinitionRef | None:
        """What a call gives: the handler that it is handed; failing that, the function that makes one."""
        for inner in call.arguments:
            answer = self._find_argument(ScopedValue(inner, scope), depth + 1)
            if answer is not None:
                return answer
        callee = self._tracer.types.of(call.function, scope.path, scope.number)
        if isinstance(callee, DefinitionRef):
            result = self._tracer.types.result(callee)
            method = self._method(result) if isinstance(result, Instance) else None
            if method is not None:
                return method
            return None if self._program.is_class(callee) else callee
        return None

    def _find_argument(self, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        """A handler among the arguments of a wrapper; other functions are not taken for one."""
        answer = self._find_direct(scoped_value, depth)
        if answer is not None and self._answers(answer):
            return answer
        expression, scope = scoped_value
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        if not isinstance(expression, Name) or isinstance(entity, Instance | Collection | Module):
            return None
        for source in self._tracer.sources(scoped_value):
            answer = (
                None if source == scoped_value else self._find_direct(source, depth + DEPTH_BEHIND_VARIABLE)
            )
            if answer is not None and self._answers(answer):
                return answer
        return None

    def _answers(self, function: DefinitionRef) -> bool:
        definition = self._program.definition(function)
        if any(
            last_word(argument.annotation, Subscript) in self._contexts for argument in definition.arguments
        ):
            return True
        return last_word(definition.returns, Subscript) in _HANDLERS

    def _method(self, instance: Instance) -> DefinitionRef | None:
        for word in self._answering:
            method = self._tracer.types.member(instance, word)
            if isinstance(method, DefinitionRef):
                return method
        return None

    def _maker(self, scope: Scope, number: int, asked_from: Scope) -> DefinitionRef:
        """The named function that returns a function written inside it; people know it by that name."""
        parent = self._program.files[scope.path].definitions[number].parent
        if parent > 0 and (scope.path, parent) != (asked_from.path, asked_from.number):
            return DefinitionRef(scope.path, parent)
        return DefinitionRef(scope.path, number)
