"""From registrations to routes: method, full path, handler, and where each came from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.code_registry.entries import Place
from pipeline.code_registry.facts import (
    Assignment,
    Attribute,
    Call,
    CallSite,
    Constant,
    Definition,
    Expression,
    FileFacts,
    Inline,
    Items,
    Joined,
    Name,
    plain,
)
from pipeline.code_registry.framework import Framework, MountMethod, RouteMethod
from pipeline.code_registry.linking.answers import AnswerFinder
from pipeline.code_registry.linking.controllers import routes_of_controllers
from pipeline.code_registry.linking.file_routes import routes_by_file
from pipeline.code_registry.linking.found_route import FoundRoute, rooted
from pipeline.code_registry.linking.handlers import Handler, HandlerFinder
from pipeline.code_registry.linking.mounts import MountReader
from pipeline.code_registry.linking.program import Defined, Program
from pipeline.code_registry.linking.routers import Node, RouterGraph, argument, join
from pipeline.code_registry.linking.tracing import Scope, Traced, Tracer, Written

_MOST_ROUNDS = 8
"""Mounts inside mounted functions that are followed."""
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


class RouteFinder:
    """Reads all registrations of a program, with the frameworks of its language."""

    def __init__(self, tracer: Tracer, frameworks: Sequence[Framework]) -> None:
        self._tracer = tracer
        self._program: Program = tracer.program
        self._frameworks = frameworks
        self._handlers = HandlerFinder(tracer, (framework.view_factory for framework in frameworks))
        self.graph = RouterGraph(tracer, frameworks)
        self._mount_reader = MountReader(self.graph, tracer, self._handlers)
        self._calls_children = any(mount.calls_child for own in frameworks for mount in own.mounts)
        self._mounts: dict[str, list[tuple[Framework, MountMethod]]] = {}
        self._routes: dict[str, list[tuple[Framework, RouteMethod]]] = {}
        for framework in frameworks:
            for mount in framework.mounts:
                self._mounts.setdefault(mount.name, []).append((framework, mount))
            for route in framework.routes:
                self._routes.setdefault(route.name, []).append((framework, route))
        self._contexts = frozenset(word for framework in frameworks for word in framework.contexts)
        self._answering = frozenset(f.answering for f in frameworks if f.answering is not None)
        self._answers_of = AnswerFinder(tracer, self._contexts, self._answering)
        self._outer_of: dict[tuple[str, Call], Call] = {}

    def find(self) -> list[FoundRoute]:
        """All routes, in order of file and line."""
        self.graph.find_blocks()
        self._add_mounts()
        registrations: list[Registration] = []
        for path, facts in self._program.files.items():
            self._outer_of.update(self._outer_calls(path, facts))
            for site in self._sites(path, self._routes):
                for scope, at in self._scopes(path, site.scope, site.call):
                    self._statement(site.call, scope, at, registrations)
            for index, definition in enumerate(facts.definitions):
                self._decorated(Defined(path, index), definition, registrations)
        found = [route for registration in registrations for route in self._composed(registration)]
        for framework in self._frameworks:
            found += routes_by_file(self._tracer, self._handlers, framework)
            found += routes_of_controllers(self._tracer, framework)
        return found

    def _add_mounts(self) -> None:
        """Note all mounts. A mount may make the router that another hangs something at: then it goes on."""
        before = -1
        for _ in range(_MOST_ROUNDS):
            for path in self._program.files:
                for site in self._sites(path, self._mounts):
                    for scope, _ in self._scopes(path, site.scope, site.call):
                        for framework, mount in self._mounts[_word(site.call)]:
                            self._mount_reader.add(framework, mount, site.call, scope)
            if not self._calls_children or len(self.graph.mounts) == before:
                return
            before = len(self.graph.mounts)

    def _sites(self, path: str, words: Mapping[str, object]) -> Iterator[CallSite]:
        """Calls of methods of these names that are no decorators."""
        facts = self._program.files[path]
        decorators = {id(d) for definition in facts.definitions for d in definition.decorators}
        for site in facts.calls:
            if _word(site.call) in words and id(site.call) not in decorators:
                yield site

    def _scopes(self, path: str, index: int, call: Call) -> Iterator[tuple[Scope, Place]]:
        """The scope and place of a statement.

        If it speaks of its function's parameters: once per call of the function, with the place of that call.
        """
        each = self._each(path, index, call)
        if each is not None:
            variable, elements = each
            for element in elements:
                yield Scope(path, index, {variable: (element,)}), Place(path, call.line, call.line)
            return
        definition = self._program.files[path].definitions[index]
        function = Defined(path, index)
        names = {argument.name for argument in definition.arguments}
        sites = self._tracer.calls.sites.get(function, [])
        here = Place(path, call.line, call.line)
        if definition.kind != "function" or not sites or not (names & set(_names(call))):
            yield Scope(path, index), here
            return
        handed_in = any(names & set(_names(value)) for value in _what(call))
        for site_path, site in sites:
            line = site.call.line
            place = Place(site_path, line, line) if handed_in else here
            yield Scope(path, index, self._tracer.bound(function, site_path, site)), place

    def _each(self, path: str, index: int, call: Call) -> tuple[str, list[Traced]] | None:
        """The loop variable that a statement speaks of, and what it stands for, one after the other."""
        for name in dict.fromkeys(_names(call)):
            _, bindings = self._program.bindings(path, index, name)
            for binding in bindings:
                if isinstance(binding, Assignment) and binding.mode == "each" and binding.value is not None:
                    elements = self._tracer.elements(Traced(binding.value, Scope(path, binding.scope)))
                    if elements:
                        return name, elements
        return None

    def _statement(self, call: Call, scope: Scope, at: Place, found: list[Registration]) -> None:
        if not isinstance(call.function, Attribute):
            return
        base, parts, _ = self.graph.unchained(call.function.base)
        nodes: list[Node] | None = None
        for framework, route in self._routes.get(call.function.name, ()):
            target, path = argument(call, route.handler), argument(call, route.path)
            has_path = path is not None or bool(parts) or (route.path is None and framework.chain is None)
            if target is None or target is path or not has_path:
                continue
            if nodes is None:
                nodes = self.graph.routers(Traced(base, scope))
            speaking = [node for node in nodes if self.graph.speaks(framework, node)]
            if not speaking:
                continue
            nodes = [node for node in nodes if node not in speaking]
            if self._leads_on(Traced(target, scope), speaking, at):
                continue
            handler, name = self._handler(Traced(target, scope))
            found += [Registration(node, route, call, scope, handler, name, at) for node in speaking]

    def _leads_on(self, target: Traced, nodes: list[Node], at: Place) -> bool:
        """Whether what answers is a router itself: then it is mounted, and answers no path of its own."""
        if not self._answering or isinstance(target.expression, Inline):
            return False
        entity = self._tracer.types.of(target.expression, target.scope.path, target.scope.number)
        direct = isinstance(target.expression, Name | Attribute) and isinstance(entity, Defined)
        return not direct and self.graph.mount_handled(nodes, target, at)

    def _outer_calls(self, path: str, facts: FileFacts) -> dict[tuple[str, Call], Call]:
        """For a call: the call of a method on what it gives, in frameworks whose calls are chained."""
        chains = [framework.chain for framework in self._frameworks if framework.chain is not None]
        words = {word for chain in chains for word in (*chain.verbs, *chain.other)}
        return {
            (path, site.call.function.base): site.call
            for site in facts.calls
            if isinstance(site.call.function, Attribute)
            and site.call.function.name in words
            and isinstance(site.call.function.base, Call)
        }

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
                    if route.handler is None and self.graph.speaks(framework, node):
                        at = Place(defined.path, decorator.line, decorator.line)
                        found.append(
                            Registration(
                                node,
                                route,
                                decorator,
                                scope,
                                defined,
                                self._program.qualified_name(defined),
                                at,
                            )
                        )
                        break

    def _handler(self, traced: Traced) -> Handler:
        """What answers: found by its type where handlers are known by that, else through names and wrappers."""
        if not self._contexts:
            return self._handlers.find(traced)
        answer = self._answers_of.find(traced)
        if answer is not None:
            return Handler(answer, self._program.qualified_name(answer))
        value = traced.expression
        return Handler(None, plain(value.name) if isinstance(value, Name | Attribute) else "?")

    def _composed(self, registration: Registration) -> Iterator[FoundRoute]:
        node, route, call, scope, _, name, at = registration
        framework = next(f for f in self._frameworks if route in f.routes)
        paths = self._paths(call, route, scope)
        joining = self.graph.joining(node)
        ways = self.graph.ways(node)
        for verb, target, path in self._with_paths(registration, paths):
            for way in ways:
                yield FoundRoute(
                    verb,
                    rooted(join(way.prefix, path.text, joining)),
                    target,
                    name if target in {None, registration.handler} else self._program.qualified_name(target),
                    framework.name,
                    at,
                    way.mounts,
                    way.top,
                    way.dynamic or path.dynamic,
                    way.confidence,
                    Traced(call, scope),
                )

    def _paths(self, call: Call, route: RouteMethod, scope: Scope) -> list[Written]:
        values: tuple[Expression, ...]
        parts = self.graph.unchained(call.function.base)[1] if isinstance(call.function, Attribute) else ()
        if parts:
            last = argument(call, route.path)
            return self._tracer.texts(Traced(Joined((*parts, last) if last is not None else parts), scope))
        if route.path is None:
            return [Written("", False)]
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
        listed = self._listed(argument(call, route.verbs_at), scope) or self._chained(call, scope)
        if handler is not None and self._program.is_class(handler):
            for word in VIEW_METHODS:
                entity = self._tracer.types.member(handler, word)
                if isinstance(entity, Defined) and (not listed or word.upper() in listed):
                    yield word.upper(), entity
            return
        for verb in listed or route.verbs:
            yield verb, handler

    def _with_paths(
        self, registration: Registration, paths: list[Written]
    ) -> Iterator[tuple[str, Defined | None, Written]]:
        """Each HTTP method with what answers and the path; some frameworks write the method before the path."""
        for path in paths:
            verb, space, rest = path.text.partition(" ")
            spoken = registration.method.verb_in_path
            if spoken and space:
                for _, target in self._answers(registration):
                    yield verb.upper(), target, Written(_without_host(rest.strip()), path.dynamic)
            else:
                for known, target in self._answers(registration):
                    yield known, target, Written(_without_host(path.text), path.dynamic) if spoken else path

    def _chained(self, call: Call, scope: Scope) -> tuple[str, ...]:
        """HTTP methods that the chain of calls around a registration names."""
        chains = [framework.chain for framework in self._frameworks if framework.chain is not None]
        if not chains or not isinstance(call.function, Attribute):
            return ()
        values = list(self.graph.unchained(call.function.base)[2])
        at: Call | None = self._outer_of.get((scope.path, call))
        while at is not None and isinstance(at.function, Attribute):
            if any(at.function.name in chain.verbs for chain in chains):
                values += at.arguments
            at = self._outer_of.get((scope.path, at))
        return tuple(verb for value in values for verb in self._verbs(Traced(value, scope)))

    def _verbs(self, traced: Traced) -> tuple[str, ...]:
        return tuple(text.text.upper() for text in self._tracer.texts(traced) if not text.dynamic)

    def _listed(self, value: Expression | None, scope: Scope) -> tuple[str, ...]:
        if value is None or isinstance(value, Constant):
            return ()
        found: list[str] = []
        for source in self._tracer.sources(Traced(value, scope)):
            items = source.expression.items if isinstance(source.expression, Items) else ()
            found += [verb for item in items for verb in self._verbs(Traced(item, source.scope))]
        if not found and not isinstance(value, Items):
            found += [verb for verb in self._verbs(Traced(value, scope)) if verb.isalpha()]
        return tuple(dict.fromkeys(found))


def _word(call: Call) -> str:
    return call.function.name if isinstance(call.function, Attribute) else ""


def _without_host(path: str) -> str:
    """The path of a pattern that may begin with a host and end in `{$}`, which stands for nothing."""
    return (path if path.startswith("/") else f"/{path.partition('/')[2]}").removesuffix("{$}")


def _what(call: Call) -> Iterator[Expression]:
    """Of a registration, what it registers: its path, and whole handlers that a parameter holds."""
    yield from call.arguments[:1]
    yield from (value for value in call.arguments[1:] if isinstance(value, Name))
    yield from (value for _, value in call.keywords)


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
