"""From registrations to routes: method, full path, handler, and where each came from."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import astuple, replace

from pipeline.code_registry.entries import Place
from pipeline.code_registry.facts import (
    Assignment,
    Attribute,
    Call,
    CallSite,
    Definition,
    Expression,
    Fact,
    Inline,
    Name,
    Text,
    plain,
)
from pipeline.code_registry.framework import Framework
from pipeline.code_registry.linking.answers import AnswerFinder
from pipeline.code_registry.linking.call_arguments import argument
from pipeline.code_registry.linking.composition import Composer, Registration
from pipeline.code_registry.linking.controllers import routes_of_controllers
from pipeline.code_registry.linking.file_routes import routes_by_file
from pipeline.code_registry.linking.found_route import FoundRoute
from pipeline.code_registry.linking.handlers import Handler, HandlerFinder
from pipeline.code_registry.linking.mounting import Node
from pipeline.code_registry.linking.mounts import MountReader
from pipeline.code_registry.linking.program import Defined, Program
from pipeline.code_registry.linking.router_words import RouterWords, word_of
from pipeline.code_registry.linking.routers import RouterGraph
from pipeline.code_registry.linking.sources import Scope, Traced
from pipeline.code_registry.linking.tables import read_tables
from pipeline.code_registry.linking.tracing import Tracer

_MOST_ROUNDS = 8
"""Mounts inside mounted functions that are followed."""


class RouteFinder:
    """Reads all registrations of a program, with the frameworks of its language.

    `among`: the files that may have any; all that `RouterWords.may_be_in` said yes to have to be there.
    """

    def __init__(self, tracer: Tracer, frameworks: Sequence[Framework], among: Collection[str]) -> None:
        self._tracer = tracer
        self._among = among
        self._program: Program = tracer.program
        self._frameworks = frameworks
        self._handlers = HandlerFinder(tracer, (framework.view_factory for framework in frameworks))
        self.graph = RouterGraph(tracer, frameworks)
        self._mount_reader = MountReader(self.graph, tracer, self._handlers)
        self._calls_children = any(mount.calls_child for own in frameworks for mount in own.mounts)
        words = RouterWords(frameworks)
        self._mounts, self._routes = words.mounts, words.routes
        self._contexts = frozenset(word for framework in frameworks for word in framework.contexts)
        self._answering = frozenset(f.answering for f in frameworks if f.answering is not None)
        self._answers_of = AnswerFinder(tracer, self._contexts, self._answering)
        self._composer = Composer(tracer, self.graph, self._handlers, frameworks)

    def find(self) -> list[FoundRoute]:
        """All routes, in order of file and line."""
        self.graph.find_blocks()
        self._add_mounts()
        registrations = list(self._tabled())
        for path in self._among:
            facts = self._program.files[path]
            self._composer.note_chains(path, facts)
            for site in self._sites(path, self._routes):
                for scope, at in self._scopes(path, site.scope, site.call):
                    self._statement(site.call, scope, at, registrations)
            for index, definition in enumerate(facts.definitions):
                self._decorated(Defined(path, index), definition, registrations)
        found = [route for registration in registrations for route in self._composer.routes(registration)]
        found += self._composer.roots()
        for framework in self._frameworks:
            found += routes_by_file(self._tracer, self._handlers, framework)
            found += routes_of_controllers(self._tracer, framework)
        return found

    def _add_mounts(self) -> None:
        """Note all mounts. A mount may make the router that another hangs something at: then it goes on."""
        before = -1
        for _ in range(_MOST_ROUNDS):
            for path in self._among:
                for site in self._sites(path, self._mounts):
                    for scope, _ in self._scopes(path, site.scope, site.call):
                        for framework, mount in self._mounts[word_of(site.call)]:
                            self._mount_reader.add(framework, mount, site.call, scope)
            if not self._calls_children or len(self.graph.mounts) == before:
                return
            before = len(self.graph.mounts)

    def _sites(self, path: str, words: Mapping[str, object]) -> Iterator[CallSite]:
        """Calls of methods of these names that are no decorators, also by another name: `add = router.add_route`."""
        facts = self._program.files[path]
        decorators = {id(d) for definition in facts.definitions for d in definition.decorators}
        aliases = {
            assignment.target: assignment.value
            for assignment in facts.assignments
            if isinstance(assignment.value, Attribute) and assignment.value.name in words
        }
        for site in facts.calls:
            if word_of(site.call) in words and id(site.call) not in decorators:
                yield site
            elif isinstance(site.call.function, Name) and site.call.function.name in aliases:
                yield replace(site, call=replace(site.call, function=aliases[site.call.function.name]))

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
        sites = self._tracer.calls.of(function)
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
        base, parts, _ = self.graph.words.unchained(call.function.base)
        nodes: list[Node] | None = None
        for framework, route in self._routes.get(call.function.name, ()):
            target, path = argument(call, route.handler), argument(call, route.path)
            has_path = path is not None or bool(parts) or (route.path is None and framework.chain is None)
            if target is None or target is path or isinstance(target, Text) or not has_path:
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
            found += [
                Registration(node, framework, route, call, scope, handler, name, at) for node in speaking
            ]

    def _tabled(self) -> Iterator[Registration]:
        """The rows of tables of routes."""
        for framework in self._frameworks:
            for node, method, call, scope, paths in read_tables(
                self.graph, self._tracer, framework, self._among
            ):
                target = argument(call, method.handler)
                if target is not None:
                    handler, name = self._handler(Traced(target, scope))
                    at = Place(scope.path, call.line, call.line)
                    yield Registration(node, framework, method, call, scope, handler, name, at, paths)

    def _leads_on(self, target: Traced, nodes: list[Node], at: Place) -> bool:
        """Whether what answers is a router itself: then it is mounted, and answers no path of its own."""
        if not self._answering or isinstance(target.expression, Inline):
            return False
        entity = self._tracer.types.of(target.expression, target.scope.path, target.scope.number)
        direct = isinstance(target.expression, Name | Attribute) and isinstance(entity, Defined)
        return not direct and self.graph.mount_handled(nodes, target, at)

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
                                framework,
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


def _what(call: Call) -> Iterator[Expression]:
    """Of a registration, what it registers: its path, and whole handlers that a parameter holds."""
    yield from call.arguments[:1]
    yield from (value for value in call.arguments[1:] if isinstance(value, Name))
    yield from (value for _, value in call.keywords)


def _names(expression: object) -> Iterator[str]:
    """Every bare name in an expression."""
    if isinstance(expression, Name):
        yield expression.name
    elif isinstance(expression, Fact | tuple):
        parts = expression if isinstance(expression, tuple) else astuple(expression)
        for part in parts:
            yield from _names(part)
