"""From registrations to routes: method, full path, handler, and where each came from."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.code_registry.entries import Confidence, Place
from pipeline.code_registry.facts import Attribute, Call, Constant, Definition, Expression, Items, Name, Text
from pipeline.code_registry.framework import Framework, MountMethod, RouteMethod, RouterClass
from pipeline.code_registry.linking.program import Defined, Program
from pipeline.code_registry.linking.routers import Node, RouterGraph, argument, join
from pipeline.code_registry.linking.tracing import Scope, Traced, Tracer, Written

VIEW_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")


class Registration(NamedTuple):
    """A statement that gives a router a path and a handler."""

    node: Node
    method: RouteMethod
    call: Call
    scope: Scope
    handler: Defined | None
    handler_name: str
    at: Place


class FoundRoute(NamedTuple):
    """A route before its fields are read. `handler` is a function or the method of a view class."""

    method: str
    path: str
    handler: Defined | None
    handler_name: str
    framework: str
    registered_at: Place
    mounts: tuple[Place, ...]
    top: Node
    dynamic: bool
    confidence: Confidence


class RouteFinder:
    """Reads all registrations of a program, with the frameworks of its language."""

    def __init__(self, tracer: Tracer, frameworks: Sequence[Framework]) -> None:
        self._tracer = tracer
        self._program: Program = tracer.program
        self._frameworks = frameworks
        self.graph = RouterGraph(tracer, frameworks)
        self._mounts: dict[str, list[tuple[Framework, MountMethod]]] = {}
        self._routes: dict[str, list[tuple[Framework, RouteMethod]]] = {}
        for framework in frameworks:
            for mount in framework.mounts:
                self._mounts.setdefault(mount.name, []).append((framework, mount))
            for route in framework.routes:
                self._routes.setdefault(route.name, []).append((framework, route))
        self._factories = {framework.view_factory for framework in frameworks} - {None}

    def find(self) -> list[FoundRoute]:
        """All routes, in order of file and line."""
        registrations: list[Registration] = []
        for path, facts in self._program.files.items():
            decorators = {id(d) for definition in facts.definitions for d in definition.decorators}
            for site in facts.calls:
                if id(site.call) in decorators or not isinstance(site.call.function, Attribute):
                    continue
                word = site.call.function.name
                if word in self._mounts or word in self._routes:
                    for scope, at in self._scopes(path, site.scope, site.call):
                        self._statement(word, site.call, scope, at, registrations)
            for index, definition in enumerate(facts.definitions):
                self._decorated(Defined(path, index), definition, registrations)
        return [route for registration in registrations for route in self._composed(registration)]

    def _scopes(self, path: str, index: int, call: Call) -> Iterator[tuple[Scope, Place]]:
        """The scope and place of a statement.

        If it speaks of its function's parameters: once per call of the function, with the place of that call.
        """
        definition = self._program.files[path].definitions[index]
        function = Defined(path, index)
        names = {argument.name for argument in definition.arguments}
        sites = self._tracer.calls.sites.get(function, [])
        if definition.kind != "function" or not sites or not (names & set(_names(call))):
            yield Scope(path, index), Place(path, call.line, call.line)
            return
        for site_path, site in sites:
            line = site.call.line
            yield (
                Scope(path, index, self._tracer.bound(function, site_path, site)),
                Place(site_path, line, line),
            )

    def _statement(self, word: str, call: Call, scope: Scope, at: Place, found: list[Registration]) -> None:
        for _, mount in self._mounts.get(word, ()):
            self.graph.add_mount(call, scope, mount)
        for framework, route in self._routes.get(word, ()):
            target = argument(call, route.handler)
            if (
                target is None
                or argument(call, route.path) is None
                or not isinstance(call.function, Attribute)
            ):
                continue
            handler, name = self._handler(Traced(target, scope))
            nodes = self.graph.routers(Traced(call.function.base, scope))
            found += [
                Registration(node, route, call, scope, handler, name, at)
                for node in nodes
                if self._speaks(framework, node)
            ]

    def _decorated(self, defined: Defined, definition: Definition, found: list[Registration]) -> None:
        for decorator in definition.decorators:
            if not isinstance(decorator, Call) or not isinstance(decorator.function, Attribute):
                continue
            routes = self._routes.get(decorator.function.name, ())
            if not routes:
                continue
            scope = Scope(defined.path, definition.parent)
            for node in self.graph.routers(Traced(decorator.function.base, scope)):
                for framework, route in routes:
                    if route.handler is None and self._speaks(framework, node):
                        at = Place(defined.path, decorator.line, decorator.line)
                        found.append(
                            Registration(node, route, decorator, scope, defined, definition.name, at)
                        )
                        break

    def _speaks(self, framework: Framework, node: Node) -> bool:
        """Whether a router is of this framework; one that is only assumed fits the first that asks."""
        kind: RouterClass | None = self.graph.nodes[node].kind
        return kind is None or any(kind == own for own in framework.routers)

    def _handler(self, traced: Traced) -> tuple[Defined | None, str]:
        """The function or class that answers, seen through wrappers, with its name as written."""
        for source in [traced, *self._tracer.sources(traced)]:
            expression, scope = source
            if isinstance(expression, Call):
                function = expression.function
                if isinstance(function, Attribute) and function.name in self._factories:
                    return self._handler(Traced(function.base, scope))
                for inner in expression.arguments[:1]:
                    found = self._handler(Traced(inner, scope))
                    if found[0] is not None:
                        return found
                continue
            entity = self._tracer.types.of(expression, scope.path, scope.number)
            if isinstance(entity, Defined):
                return entity, self._program.qualified_name(entity)
        expression = traced.expression
        return None, expression.name if isinstance(expression, Name | Attribute) else "?"

    def _composed(self, registration: Registration) -> Iterator[FoundRoute]:
        node, route, call, scope, _, name, at = registration
        framework = next(f for f in self._frameworks if route in f.routes)
        path_value = argument(call, route.path)
        paths = self._paths(call, route, scope) if path_value is not None else []
        joining = self.graph.joining(node)
        ways = self.graph.ways(node)
        for verb, target in self._answers(registration):
            for way in ways:
                for path in paths:
                    yield FoundRoute(
                        verb,
                        _rooted(join(way.prefix, path.text, joining)),
                        target,
                        name if target is None else self._program.qualified_name(target),
                        framework.name,
                        at,
                        way.mounts,
                        way.top,
                        way.dynamic or path.dynamic,
                        way.confidence,
                    )

    def _paths(self, call: Call, route: RouteMethod, scope: Scope) -> list[Written]:
        values: tuple[Expression, ...]
        if route.path.spread and route.path.position is not None:
            values = call.arguments[route.path.position :]
        else:
            value = argument(call, route.path)
            values = () if value is None else (value,)
        found: list[Written] = []
        for value in values:
            found += [text for text in self._tracer.texts(Traced(value, scope)) if text not in found]
        return found

    def _answers(self, registration: Registration) -> Iterator[tuple[str, Defined | None]]:
        """Each HTTP method, and what answers it: a function, or the class's method of that name."""
        _, route, call, scope, handler, _, _ = registration
        listed = self._listed(argument(call, route.verbs_at), scope)
        if handler is not None and self._program.is_class(handler):
            for word in VIEW_METHODS:
                entity = self._tracer.types.member(handler, word)
                if isinstance(entity, Defined) and (not listed or word.upper() in listed):
                    yield word.upper(), entity
            return
        for verb in listed or route.verbs:
            yield verb, handler

    def _listed(self, value: Expression | None, scope: Scope) -> tuple[str, ...]:
        if value is None or isinstance(value, Constant):
            return ()
        found: list[str] = []
        for source in self._tracer.sources(Traced(value, scope)):
            items = source.expression.items if isinstance(source.expression, Items) else ()
            found += [item.value.upper() for item in items if isinstance(item, Text)]
        return tuple(dict.fromkeys(found))


def _rooted(path: str) -> str:
    return path if path.startswith("/") else f"/{path}"


def _names(expression: Expression) -> Iterator[str]:
    """Every bare name in an expression."""
    if isinstance(expression, Name):
        yield expression.name
    elif isinstance(expression, tuple):
        for part in _parts(expression):
            yield from _names(part)


def _parts(expression: Sequence[object]) -> Iterator[Expression]:
    for part in expression:
        if isinstance(part, tuple):
            if type(part) is tuple:
                yield from _parts(part)
            else:
                yield part  # type: ignore[misc] # every named tuple inside an expression is an expression
