"""Registrations by value: `@protected(router.get, "/orders")` hands the method of a router to a function of somebody's own."""

from collections.abc import Iterator, Mapping, Sequence

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import Attribute, Call, Expression, JoinedText, Name, StringLiteral
from pipeline.code_registry.framework import Framework, RouteMethod
from pipeline.code_registry.linking.handlers.handlers import Handler
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.composition import RouteRegistration
from pipeline.code_registry.linking.values.call_arguments import argument
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer

Methods = Mapping[str, Sequence[tuple[Framework, RouteMethod]]]


class ByValue:
    """Reads such statements. `methods` are the methods that register, by name."""

    def __init__(self, graph: RouterGraph, tracer: Tracer, methods: Methods) -> None:
        self._graph = graph
        self._tracer = tracer
        self._methods = methods

    def registrations(self, call: Call, scope: Scope, handler: Handler | None) -> Iterator[RouteRegistration]:
        """The registrations that a call makes by handing on a router's method; `handler` is the function that it decorates."""
        for value in call.arguments:
            if isinstance(value, Attribute) and value.name in self._methods:
                rest = tuple(sibling for sibling in call.arguments if sibling is not value)
                path = next((sibling for sibling in rest if self._is_path(sibling, scope)), None)
                if path is not None:
                    yield from self._with_path(call, value, path, scope, handler)

    def _is_path(self, value: Expression, scope: Scope) -> bool:
        """Whether a value is a path: a text, or a name that is known to be one, which begins with a slash or is empty."""
        if not isinstance(value, StringLiteral | JoinedText | Name | Attribute):
            return False
        texts = self._tracer.texts(ScopedValue(value, scope))
        return bool(texts) and all(not text.text or text.text.startswith("/") for text in texts)

    def _with_path(
        self, call: Call, method: Attribute, path: Expression, scope: Scope, handler: Handler | None
    ) -> Iterator[RouteRegistration]:
        nodes = self._graph.routers(ScopedValue(method.base, scope))
        if not nodes:
            return
        arguments = tuple(
            sibling for sibling in call.arguments if sibling is not method and sibling is not path
        )
        registering_call = Call(method, (path, *arguments), call.keywords, call.line)
        texts = tuple(self._tracer.texts(ScopedValue(path, scope)))
        if not self._hands_on(call, method, path, scope):
            texts = tuple(TextValue(text.text, True) for text in texts)
        at = SourceRange(scope.path, call.line, call.line)
        for framework, route in self._methods[method.name]:
            speaking = [node for node in nodes if self._graph.speaks(framework, node)]
            if handler is None and argument(registering_call, route.handler) in {None, path}:
                continue
            target = handler if handler is not None else Handler(None, "?")
            for node in speaking:
                yield RouteRegistration(node, framework, route, registering_call, scope, *target, at, texts)
            if speaking:
                return

    def _hands_on(self, call: Call, method: Attribute, path: Expression, scope: Scope) -> bool:
        """Whether the function hands the path on as it is: `def protected(method, path): … method(path)(function)`."""
        entity = self._tracer.types.of(call.function, scope.path, scope.number)
        if not isinstance(entity, DefinitionRef) or self._tracer.program.is_class(entity):
            return False
        names = {value: name for name, value in self._handed_to(entity, call)}
        method_name, path_name = names.get(method), names.get(path)
        definitions = self._tracer.program.definitions_of(entity.path)
        for site in self._tracer.program.files[entity.path].calls:
            within = site.scope
            while within > 0 and within != entity.number:
                within = definitions[within].parent
            if within == entity.number and site.call.function == Name(method_name or ""):
                values = (*site.call.arguments, *(value for _, value in site.call.keywords))
                return Name(path_name or "") in values
        return False

    def _handed_to(self, function: DefinitionRef, call: Call) -> Iterator[tuple[str, Expression]]:
        """Which value each parameter of a function gets."""
        plain = [item for item in self._tracer.program.definition(function).arguments if item.kind == "plain"]
        yield from ((item.name, value) for item, value in zip(plain, call.arguments, strict=False))
        yield from call.keywords
