"""Which function answers: seen through names, wrappers, objects and factories of views."""

from collections.abc import Iterable
from typing import NamedTuple

from pipeline.code_registry.facts import Attribute, Call, Expression, Items, Name, Pairs, Subscript, Text
from pipeline.code_registry.linking.program import Defined, Entity, Instance
from pipeline.code_registry.linking.traced import Traced
from pipeline.code_registry.linking.tracing import Tracer

_DEEPEST = 8
INLINE = "inline function"
"""What a handler is called that has no name of its own."""


class Handler(NamedTuple):
    """What answers, if it is in the repository, and its name for a person."""

    defined: Defined | None
    name: str


class HandlerFinder:
    """Finds handlers. A wrapper's own function is not the handler: what is handed to the wrapper is."""

    def __init__(self, tracer: Tracer, factories: Iterable[str | None]) -> None:
        self._tracer = tracer
        self._factories = frozenset(factories) - {None}

    def find(self, traced: Traced) -> Handler:
        """The function or class that answers for a value."""
        found = self._find(traced, 0)
        if found is None:
            return Handler(None, _written(traced.expression))
        *outer, own = self._tracer.program.qualified_name(found).split(".")
        if own.startswith("<"):
            return Handler(found, INLINE)
        return Handler(found, ".".join([*(part for part in outer if not part.startswith("<")), own]))

    def _find(self, traced: Traced, depth: int) -> Defined | None:
        if depth > _DEEPEST:
            return None
        expression, scope = traced
        match expression:
            case Call():
                return self._called(expression, traced, depth)
            case Items(items):
                return self._find(Traced(items[-1], scope), depth + 1) if items else None
            case Pairs(items):
                inner = next((value for key, value in items if key == Text("handler")), None)
                return None if inner is None else self._find(Traced(inner, scope), depth + 1)
            case Name() | Attribute() | Subscript():
                for source in self._tracer.sources(traced, into_calls=False):
                    if source != traced:
                        found = self._find(source, depth + 1)
                        if found is not None:
                            return found
                entity = self._tracer.types.of(expression, scope.path, scope.number)
                if entity is None and isinstance(expression, Attribute):
                    entity = self._method(expression, traced)
                return entity if isinstance(entity, Defined) and self._answers(entity) else None
            case _:
                return None

    def _method(self, expression: Attribute, traced: Traced) -> Entity | None:
        """A method of a value that is followed first: of the object that a parameter is handed."""
        for source in self._tracer.sources(Traced(expression.base, traced.scope)):
            owner = self._tracer.types.of(source.expression, source.scope.path, source.scope.number)
            if isinstance(owner, Instance):
                return self._tracer.types.member(owner, expression.name)
        return None

    def _called(self, call: Call, traced: Traced, depth: int) -> Defined | None:
        function, scope = call.function, traced.scope
        if isinstance(function, Attribute) and function.name in self._factories:
            return self._find(Traced(function.base, scope), depth + 1)
        for inner in call.arguments:
            found = self._find(Traced(inner, scope), depth + 1)
            if found is not None:
                return found
        if isinstance(function, Attribute) and function.name == "bind":
            return self._find(Traced(function.base, scope), depth + 1)
        for source in self._tracer.sources(traced):
            if source != traced and not isinstance(source.expression, Call):
                found = self._find(source, depth + 1)
                if found is not None:
                    return found
        return None

    def _answers(self, defined: Defined) -> bool:
        return self._tracer.program.definition(defined).kind != "object"


def _written(expression: Expression) -> str:
    match expression:
        case Name(name) | Attribute(_, name):
            return name
        case Call(function):
            return _written(function)
        case _:
            return "?"
