"""Which function answers: seen through names, wrappers, objects and factories of views."""

from collections.abc import Iterable
from typing import NamedTuple

from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Items,
    Name,
    Pairs,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.linking.names.program import DefinitionRef, Entity, Instance
from pipeline.code_registry.linking.values.traced import ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer

_DEEPEST = 8
INLINE = "inline function"
"""What a handler is called that has no name of its own."""


class Handler(NamedTuple):
    """What answers, if it is in the repository, and its name for a person."""

    ref: DefinitionRef | None
    name: str


class HandlerFinder:
    """Finds handlers. A wrapper's own function is not the handler: what is handed to the wrapper is."""

    def __init__(self, tracer: Tracer, factories: Iterable[str | None]) -> None:
        self._tracer = tracer
        self._factories = frozenset(factories) - {None}

    def find(self, scoped_value: ScopedValue) -> Handler:
        """The function or class that answers for a value."""
        ref = self._find(scoped_value, 0)
        if ref is None:
            return Handler(None, (last_word(scoped_value.expression, Call) or "?"))
        *outer, own_name = self._tracer.program.qualified_name(ref).split(".")
        if own_name.startswith("<"):
            return Handler(ref, INLINE)
        return Handler(ref, ".".join([*(part for part in outer if not part.startswith("<")), own_name]))

    def _find(self, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        if depth > _DEEPEST:
            return None
        expression, scope = scoped_value
        match expression:
            case Call():
                return self._find_in_call(expression, scoped_value, depth)
            case Items(items):
                return self._find(ScopedValue(items[-1], scope), depth + 1) if items else None
            case Pairs(items):
                inner = next((value for key, value in items if key == StringLiteral("handler")), None)
                return None if inner is None else self._find(ScopedValue(inner, scope), depth + 1)
            case Attribute(base, name) if (heir := self._tracer.owner(base, scope)) is not None:
                method = self._tracer.types.member(Instance(heir.path, heir.number), name)
                return method if isinstance(method, DefinitionRef) else None
            case Name() | Attribute() | Subscript():
                for source in self._tracer.sources(scoped_value, into_calls=False):
                    if source != scoped_value:
                        ref = self._find(source, depth + 1)
                        if ref is not None:
                            return ref
                entity = self._tracer.types.of(expression, scope.path, scope.number)
                if entity is None and isinstance(expression, Attribute):
                    entity = self._method(expression, scoped_value)
                return entity if isinstance(entity, DefinitionRef) and self._answers(entity) else None
            case _:
                return None

    def _method(self, expression: Attribute, scoped_value: ScopedValue) -> Entity | None:
        """A method of a value that is followed first: of the object that a parameter is handed."""
        for source in self._tracer.sources(ScopedValue(expression.base, scoped_value.scope)):
            owner = self._tracer.types.of(source.expression, source.scope.path, source.scope.number)
            if isinstance(owner, Instance):
                return self._tracer.types.member(owner, expression.name)
        return None

    def _find_in_call(self, call: Call, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        function, scope = call.function, scoped_value.scope
        if isinstance(function, Attribute) and function.name in self._factories:
            return self._find(ScopedValue(function.base, scope), depth + 1)
        for inner in call.arguments:
            ref = self._find(ScopedValue(inner, scope), depth + 1)
            if ref is not None:
                return ref
        if isinstance(function, Attribute) and function.name == "bind":
            return self._find(ScopedValue(function.base, scope), depth + 1)
        for source in self._tracer.sources(scoped_value):
            if source != scoped_value and not isinstance(source.expression, Call):
                ref = self._find(source, depth + 1)
                if ref is not None:
                    return ref
        return None

    def _answers(self, ref: DefinitionRef) -> bool:
        return self._tracer.program.definition(ref).kind != "object"
