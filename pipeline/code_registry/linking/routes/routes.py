"""From registrations to routes: method, full path, handler, and where each came from."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from pipeline.code_registry.entries import SourceRange, UnreadRegistration
from pipeline.code_registry.facts import (
    Argument,
    Attribute,
    Call,
    CallSite,
    CodeDefinition,
    Expression,
    Inline,
    JoinedText,
    Name,
    Pairs,
    StringLiteral,
    plain,
)
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import Framework, RouteMethod
from pipeline.code_registry.linking.handlers import AnswerFinder, Handler, HandlerFinder
from pipeline.code_registry.linking.names.program import DefinitionRef, SourceProgram
from pipeline.code_registry.linking.routers.mounting import RouterNode
from pipeline.code_registry.linking.routers.mounts import Heirs, MountReader, ServedReader
from pipeline.code_registry.linking.routers.router_words import word_of
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.composition import Composer, RouteRegistration
from pipeline.code_registry.linking.routes.controllers import routes_by_file, routes_of_controllers
from pipeline.code_registry.linking.routes.coverage import short_text
from pipeline.code_registry.linking.routes.found_route import FoundRoute, IncludedTable
from pipeline.code_registry.linking.routes.listed_handlers import ListReader
from pipeline.code_registry.linking.routes.tables import read_tables
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, argument, computed_method
from pipeline.code_registry.linking.values.loops import Loops, names_in
from pipeline.code_registry.linking.values.tracing import Tracer

_DEEPEST_CALLS = 4
"""Functions around a registration that hand their parameters on to each other."""
_MOST_ROUNDS = 8
"""Mounts inside mounted functions that are followed."""


class RouteFinder:
    """Reads all registrations of a program, with the frameworks of its language.

    `among`: the files that may have any; all that `RouterWords.may_be_in` said yes to have to be there.
    """

    def __init__(
        self, tracer: Tracer, frameworks: Sequence[Framework], among: Collection[str], failures: FailureLog
    ) -> None:
        self._tracer = tracer
        self._among = among
        self._failures = failures
        self._program: SourceProgram = tracer.program
        self._frameworks = frameworks
        self._handlers = HandlerFinder(tracer, (framework.view_factory for framework in frameworks))
        self.graph = RouterGraph(tracer, frameworks)
        self._mount_reader = MountReader(self.graph, tracer, self._handlers)
        self._calls_children = any(
            mount.calls_child for framework_ in frameworks for mount in framework_.mounts
        )
        words = self.graph.words
        self._mounts, self._routes = words.mounts, words.routes
        self._contexts, self._answering = words.contexts, words.answering
        self._answers_of = AnswerFinder(tracer, words.contexts, words.answering)
        self.unread: list[tuple[str, UnreadRegistration]] = []
        """Statements that register something which could not be read, with the framework."""
        self._included_tables: list[tuple[str, IncludedTable]] = []
        self._loops = Loops(tracer)
        self._heirs = Heirs(self.graph, tracer)
        self._list_readers = [ListReader(self.graph, tracer, framework) for framework in frameworks]
        self._composer = Composer(tracer, self.graph, self._handlers, frameworks)

    def find(self) -> list[FoundRoute]:
        """All routes, in order of file and line."""
        ServedReader(self.graph, self._tracer).read(self._failures)
        self._add_mounts()
        registrations = list(self._from_tables())
        for path in self._among:
            with self._failures.reading(path):
                self._of_file(path, registrations)
        self._note_empty_tables(registrations)
        routes: list[FoundRoute] = []
        for registration in registrations:
            with self._failures.reading(registration.at.path):
                found_routes = list(self._composer.routes(registration))
                routes += found_routes
                if not found_routes and registration.paths is None and not self._is_for_callers(registration):
                    why = "its path or what answers could not be read"
                    item = UnreadRegistration(registration.at, short_text(registration.call), why)
                    self.unread.append((registration.framework.name, item))
        for framework in self._frameworks:
            routes += self._composer.roots(framework, self._failures)
            routes += routes_by_file(self._tracer, self._handlers, framework, self._failures)
            routes += routes_of_controllers(self._tracer, framework, self._failures)
        return routes

    def _is_for_callers(self, registration: RouteRegistration) -> bool:
        """Whether callers would pass the path, and there is no caller."""
        scope = registration.scope
        return any(
            isinstance(binding, Argument)
            for name in names_in(argument(registration.call, registration.method.path))
            for binding in self._program.bindings(scope.path, scope.number, name)[1]
        )

    def _note_empty_tables(self, registrations: Sequence[RouteRegistration]) -> None:
        """Note what rows of tables include and nothing was read of."""
        filled_nodes = {registration.node for registration in registrations}
        filled_nodes |= {mount.parent for mount in self.graph.mounts}
        for framework_name, table in self._included_tables:
            if not any(node in filled_nodes for node in table.nodes):
                why = "could not be read" if table.nodes else "stands outside of the repository"
                item = UnreadRegistration(table.at, table.text, f"what is included {why}")
                self.unread.append((framework_name, item))

    def _of_file(self, path: str, registrations: list[RouteRegistration]) -> None:
        facts = self._program.files[path]
        self._composer.note_chains(path, facts)
        for reader in self._list_readers:
            registrations += reader.registrations(path)
        for site in self._sites(path, self._routes):
            if computed_method(site.call) is None and not self._possible_routes(site.call):
                continue
            for scope, at in self._scopes(path, site.scope, site.call):
                self._statement(site.call, scope, at, registrations)
        for index, definition in enumerate(facts.definitions):
            self._from_decorators(DefinitionRef(path, index), definition, registrations)

    def _add_mounts(self) -> None:
        """Note all mounts. A mount may make the router that another hangs something at: then it goes on."""
        before = -1
        for _ in range(_MOST_ROUNDS):
            for path in self._among:
                with self._failures.reading(path):
                    self._mounts_of(path)
                    for reader in self._list_readers:
                        reader.mount(path)
            if not self._calls_children or len(self.graph.mounts) == before:
                return
            before = len(self.graph.mounts)

    def _mounts_of(self, path: str) -> None:
        for site in self._sites(path, self._mounts):
            if computed_method(site.call) is None and not self._may_mount(site.call):
                continue
            for scope, _ in self._scopes(path, site.scope, site.call):
                call = self._by_name(site.call, scope)
                for framework, mount in self._mounts.get(word_of(call), ()):
                    self._mount_reader.add(framework, mount, call, scope)

    def _may_mount(self, call: Call) -> bool:
        """Whether a call hands over what some mount of its name takes."""
        mounts = self._mounts.get(word_of(call), ())
        return any(argument(call, mount.child) is not None for _, mount in mounts)

    def _possible_routes(self, call: Call) -> list[tuple[Framework, RouteMethod, Expression]]:
        """The registrations that a call may be by its name and its arguments, each with what would answer.

        `row.get("key", default)` is none: this is cheap, while to follow the values of a statement is not.
        """
        routes = self._routes.get(word_of(call), ())
        if not routes or not isinstance(call.function, Attribute):
            return []
        parts = self.graph.words.unchain(call.function.base)[1]
        possible_routes: list[tuple[Framework, RouteMethod, Expression]] = []
        for framework, route in routes:
            target, path = argument(call, route.handler), argument(call, route.path)
            has_path = path is not None or bool(parts) or (route.path is None and framework.chain is None)
            if (
                target is not None
                and target is not path
                and not isinstance(target, StringLiteral)
                and has_path
            ):
                possible_routes.append((framework, route, target))
        return possible_routes

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
            if (word_of(site.call) in words and id(site.call) not in decorators) or computed_method(
                site.call
            ):
                yield site
            elif isinstance(site.call.function, Name) and site.call.function.name in aliases:
                yield replace(site, call=replace(site.call, function=aliases[site.call.function.name]))

    def _scopes(self, path: str, index: int, call: Call) -> Iterator[tuple[Scope, SourceRange]]:
        """The scope and place of a statement.

        If it speaks of its function's parameters: once per call of the function, with the place of that call. If it stands
        in a loop over values that can be read: once for each of them.
        """
        for scope, at in self._call_scopes(path, index, call):
            for inner in self._loops.scopes(call, scope):
                for scope_of_heir in self._heirs.scopes(call, inner):
                    yield scope_of_heir, at

    def _call_scopes(
        self, path: str, index: int, call: Call, within: frozenset[DefinitionRef] = frozenset()
    ) -> Iterator[tuple[Scope, SourceRange]]:
        """The scopes in which a statement of a function is read: those of the calls of it, if it speaks of its parameters.

        A call may speak of the parameters of the function that it stands in, and so on: `get(path)` calls `add(path)`, which
        calls `router.HandleFunc("/" + path, …)`.
        """
        definition = self._program.files[path].definitions[index]
        function = DefinitionRef(path, index)
        names = {argument.name for argument in definition.arguments}
        here = SourceRange(path, call.line, call.line)
        may_depend = definition.kind == "function" and function not in within and len(within) < _DEEPEST_CALLS
        # Who calls a function is asked last: the answer is a part of what the routes of a large tree are found from.
        is_spoken_of = may_depend and bool(names & self._loops.names_in(call, path, index))
        sites = self._tracer.calls.of(function) if is_spoken_of else []
        if not sites:
            yield Scope(path, index), here
            return
        handed_in = any(names & set(names_in(value)) for value in _registered_values(call))
        for site_path, site in sites:
            for outer, at in self._call_scopes(site_path, site.scope, site.call, within | {function}):
                bound = self._tracer.bound(function, site_path, site, outer)
                owner = self._heirs.owner(function, site, outer)
                yield Scope(path, index, bound, owner=owner), at if handed_in else here

    def _statement(
        self, call: Call, scope: Scope, at: SourceRange, registrations: list[RouteRegistration]
    ) -> None:
        call = self._by_name(call, scope)
        if not isinstance(call.function, Attribute):
            return
        base, _, _ = self.graph.words.unchain(call.function.base)
        nodes: list[RouterNode] | None = None
        for framework, route, target in self._possible_routes(call):
            if nodes is None:
                nodes = self.graph.routers(ScopedValue(base, scope))
            speaking = [node for node in nodes if self.graph.speaks(framework, node)]
            if not speaking:
                continue
            nodes = [node for node in nodes if node not in speaking]
            if self._leads_on(ScopedValue(target, scope), speaking, at):
                continue
            handler, name = self._handler(ScopedValue(target, scope))
            registrations += [
                RouteRegistration(node, framework, route, call, scope, handler, name, at) for node in speaking
            ]

    def _by_name(self, call: Call, scope: Scope) -> Call:
        """The call of a method by its name, also where the name is worked out and can be read here."""
        method = computed_method(call)
        if method is None:
            return call
        texts = self._tracer.texts(ScopedValue(method[1], scope))
        is_sure = len(texts) == 1 and not texts[0].dynamic
        return replace(call, function=Attribute(method[0], texts[0].text)) if is_sure else call

    def _from_tables(self) -> Iterator[RouteRegistration]:
        """The rows of tables of routes."""
        for framework in self._frameworks:
            rows, included = read_tables(self.graph, self._tracer, framework, self._among, self._failures)
            self._included_tables += ((framework.name, table) for table in included)
            for node, method, call, scope, paths in rows:
                target = argument(call, method.handler)
                if target is not None:
                    handler, name = self._handler(ScopedValue(target, scope))
                    at = SourceRange(scope.path, call.line, call.line)
                    yield RouteRegistration(node, framework, method, call, scope, handler, name, at, paths)

    def _leads_on(self, target: ScopedValue, nodes: list[RouterNode], at: SourceRange) -> bool:
        """Whether what answers is a router itself: then it is mounted, and answers no path of its own."""
        if not self._answering or isinstance(target.expression, Inline):
            return False
        entity = self._tracer.types.of(target.expression, target.scope.path, target.scope.number)
        direct = isinstance(target.expression, Name | Attribute) and isinstance(entity, DefinitionRef)
        return not direct and self.graph.mount_handled(nodes, target, at)

    def _from_decorators(
        self, ref: DefinitionRef, definition: CodeDefinition, registrations: list[RouteRegistration]
    ) -> None:
        for decorator in definition.decorators:
            if not isinstance(decorator, Call):
                continue
            scope = Scope(ref.path, definition.parent)
            handler_itself = Handler(ref, self._program.qualified_name(ref))
            if not isinstance(decorator.function, Attribute):
                continue
            routes = self._routes.get(decorator.function.name, ())
            if not routes:
                continue
            for node in self.graph.routers(ScopedValue(decorator.function.base, scope)):
                for framework, route in routes:
                    if route.handler is None and self.graph.speaks(framework, node):
                        at = SourceRange(ref.path, decorator.line, decorator.line)
                        registrations.append(
                            RouteRegistration(node, framework, route, decorator, scope, *handler_itself, at)
                        )
                        break

    def _handler(self, scoped_value: ScopedValue) -> Handler:
        """What answers: found by its type where handlers are known by that, else through names and wrappers."""
        if not self._contexts:
            return self._handlers.find(scoped_value)
        answer = self._answers_of.find(scoped_value)
        if answer is not None:
            return Handler(answer, self._program.qualified_name(answer))
        value = scoped_value.expression
        return Handler(None, plain(value.name) if isinstance(value, Name | Attribute) else "?")


def _registered_values(call: Call) -> Iterator[Expression]:
    """Of a registration, what it registers: its path, and whole handlers that a parameter holds."""
    for value in call.arguments[:1]:
        options = value.items if isinstance(value, Pairs) else ()
        yield from (inner for _, inner in options if isinstance(inner, Name | Attribute | JoinedText))
        if not isinstance(value, Pairs):
            yield value
    yield from (value for value in call.arguments[1:] if isinstance(value, Name))
    yield from (value for _, value in call.keywords)
