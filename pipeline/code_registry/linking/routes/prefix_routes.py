"""Functions that answer everything below a path: `application.use("/status", (request, response) => …)`.

The same method mounts routers and adds middleware. What a function does with its parameters tells which it is: one that
answers calls something of the response, or hands it on, and does not go on to the next function.
"""

from collections.abc import Iterator, Sequence

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Expression,
    Items,
    JoinedText,
    Name,
    Pairs,
    StringLiteral,
    Subscript,
    plain,
)
from pipeline.code_registry.framework import Framework, RouteMethod
from pipeline.code_registry.linking.handlers.handlers import HandlerFinder
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.router_words import word_of
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.composition import RouteRegistration
from pipeline.code_registry.linking.values.call_arguments import argument
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer

_MOST_PARAMETERS = 3
"""Request, response and the next function; one parameter more, and it is handed errors."""


class PrefixRouteReader:
    """Reads such statements. `methods` are the methods that register so, by name."""

    def __init__(
        self, graph: RouterGraph, tracer: Tracer, handlers: HandlerFinder, frameworks: Sequence[Framework]
    ) -> None:
        self._graph = graph
        self._tracer = tracer
        self._handlers = handlers
        self.methods: dict[str, list[tuple[Framework, RouteMethod]]] = {}
        for framework in frameworks:
            for method in framework.prefix_routes:
                self.methods.setdefault(method.name, []).append((framework, method))

    def may_register(self, call: Call) -> bool:
        """Whether a call has a path and something behind it: to follow its values is dear."""
        return isinstance(call.function, Attribute) and any(
            argument(call, method.path) is not argument(call, method.handler)
            for _, method in self.methods.get(word_of(call), ())
        )

    def registrations(self, call: Call, scope: Scope, at: SourceRange) -> Iterator[RouteRegistration]:
        """What a call registers: none where it mounts a router or adds middleware."""
        if not isinstance(call.function, Attribute):
            return
        for framework, method in self.methods.get(word_of(call), ()):
            path, target = argument(call, method.path), argument(call, method.handler)
            if path is None or target is None or target is path or not self._may_be_path(path, scope):
                continue
            nodes = [
                node
                for node in self._graph.routers(ScopedValue(call.function.base, scope))
                if self._graph.speaks(framework, node)
            ]
            if not nodes or self._has_router(call, path, scope) or _is_made_with_options(target):
                continue
            handler = self._handlers.find(ScopedValue(target, scope))
            if handler.ref is not None and self._answers(handler.ref):
                for node in nodes:
                    yield RouteRegistration(node, framework, method, call, scope, *handler, at)
                return

    def _may_be_path(self, value: Expression, scope: Scope) -> bool:
        if isinstance(value, Items):
            return bool(value.items) and all(self._may_be_path(item, scope) for item in value.items)
        texts = self._tracer.texts(ScopedValue(value, scope))
        if texts:
            return all(text.dynamic or text.text.startswith(("/", "*", ":")) for text in texts)
        is_known = self._tracer.types.of(value, scope.path, scope.number) is not None
        return isinstance(value, StringLiteral | JoinedText | Name | Attribute | Subscript) and not is_known

    def _has_router(self, call: Call, path: Expression, scope: Scope) -> bool:
        return any(
            self._graph.routers(ScopedValue(value, scope)) for value in call.arguments if value is not path
        )

    def _answers(self, ref: DefinitionRef) -> bool:
        """Whether a function uses the response that it is handed, and never goes on to the next function."""
        definition = self._tracer.program.definition(ref)
        names = [plain(parameter.name) for parameter in definition.arguments]
        if definition.kind != "function" or not 1 < len(names) <= _MOST_PARAMETERS:
            return False
        response, *following = names[1:]
        calls = list(self._calls_in(ref))
        goes_on = any(_goes_on(call, name) for name in following for call in calls)
        return not goes_on and any(_uses(call, response) for call in calls)

    def _calls_in(self, function: DefinitionRef) -> Iterator[Call]:
        """The calls in the code of a function, functions inside of it included."""
        definitions = self._tracer.program.definitions_of(function.path)
        for site in self._tracer.program.files[function.path].calls:
            within = site.scope
            while within > 0 and within != function.number:
                within = definitions[within].parent
            if within == function.number:
                yield site.call


def _is_made_with_options(target: Expression) -> bool:
    """Whether what answers is made by a call with options: a function among these is asked for something else."""
    return isinstance(target, Call) and any(isinstance(value, Pairs) for value in target.arguments)


def _goes_on(call: Call, name: str) -> bool:
    """Whether a call goes on to the next function, or hands it on: `next(error)` ends the request."""
    return (_is_named(call.function, name) and not call.arguments) or _is_handed(call, name)


def _uses(call: Call, name: str) -> bool:
    """Whether a call is of a method of a parameter, or is handed it."""
    return (isinstance(call.function, Attribute) and _is_named(call.function.base, name)) or _is_handed(
        call, name
    )


def _is_handed(call: Call, name: str) -> bool:
    return any(_is_named(value, name) for value in call.arguments)


def _is_named(value: Expression, name: str) -> bool:
    return isinstance(value, Name) and plain(value.name) == name
