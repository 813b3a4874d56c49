"""From a registration to its routes: every HTTP method, on every way on which the router is reached."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.code_registry.entries import Place
from pipeline.code_registry.facts import Attribute, Call, Constant, Expression, FileFacts, Items, Joined
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import Framework, RouteMethod
from pipeline.code_registry.linking.call_arguments import argument
from pipeline.code_registry.linking.found_route import FoundRoute, rooted
from pipeline.code_registry.linking.handlers import HandlerFinder
from pipeline.code_registry.linking.method_tests import tested_methods
from pipeline.code_registry.linking.mounting import Node, join
from pipeline.code_registry.linking.program import Defined
from pipeline.code_registry.linking.routers import RouterGraph
from pipeline.code_registry.linking.traced import Scope, Traced
from pipeline.code_registry.linking.tracing import Tracer, Written
from pipeline.code_registry.linking.views import ANY, VIEW_METHODS, Answer, ViewReader
from pipeline.code_registry.linking.viewsets import ViewsetReader


class Registration(NamedTuple):
    """A statement that gives a router a path and a handler. `paths`: those of a row of a table, already read."""

    node: Node
    framework: Framework
    method: RouteMethod
    call: Call
    scope: Scope
    handler: Defined | None
    handler_name: str
    at: Place
    paths: tuple[Written, ...] | None = None


class Composer:
    """Turns registrations into routes, with the frameworks of one language."""

    def __init__(
        self, tracer: Tracer, graph: RouterGraph, handlers: HandlerFinder, frameworks: Sequence[Framework]
    ) -> None:
        self._tracer = tracer
        self._program = tracer.program
        self._graph = graph
        self._frameworks = frameworks
        self._outer_of: dict[tuple[str, Call], Call] = {}
        self._views = {f.name: ViewReader(tracer, handlers, f.views) for f in frameworks if f.views}
        self._viewsets = {f.name: ViewsetReader(graph, tracer, f.viewsets) for f in frameworks if f.viewsets}

    def note_chains(self, path: str, facts: FileFacts) -> None:
        """Note for each call the call of a method on what it gives, in frameworks whose calls are chained."""
        chains = [framework.chain for framework in self._frameworks if framework.chain is not None]
        words = {word for chain in chains for word in (*chain.verbs, *chain.other)}
        self._outer_of |= {
            (path, site.call.function.base): site.call
            for site in facts.calls
            if isinstance(site.call.function, Attribute)
            and site.call.function.name in words
            and isinstance(site.call.function.base, Call)
        }

    def routes(self, registration: Registration) -> Iterator[FoundRoute]:
        """The routes of a registration."""
        node, framework, route, call, scope, handler, name, _, given = registration
        paths = list(given) if given is not None else self._paths(call, route, scope)
        views, viewsets = self._views.get(framework.name), self._viewsets.get(framework.name)
        answers: Iterable[Answer]
        if viewsets is not None:
            is_class = handler is not None and self._program.is_class(handler)
            answers = viewsets.answers(node, handler, paths) if is_class and handler is not None else ()
        elif views is not None and (target := argument(call, route.handler)) is not None:
            answers = [
                answer._replace(path=path)
                for answer in views.answers(Traced(target, scope))
                for path in paths
            ]
        else:
            answers = (
                Answer(
                    verb,
                    target,
                    name if target in {None, handler} else self._program.qualified_name(target),
                    path,
                )
                for verb, target, path in self._with_paths(registration, paths)
            )
        for answer in answers:
            yield from self._at_each_way(registration, answer)

    def _at_each_way(self, registration: Registration, answer: Answer) -> Iterator[FoundRoute]:
        """A route for every way on which its router is reached."""
        node = registration.node
        path = answer.path or Written("", False)
        for way in self._graph.ways(node):
            yield FoundRoute(
                answer.verb,
                rooted(join(way.prefix, path.text, self._graph.joining(node))),
                answer.handler,
                answer.name,
                registration.framework.name,
                registration.at,
                way.mounts,
                way.top,
                way.dynamic or path.dynamic,
                way.confidence,
                Traced(registration.call, registration.scope),
            )

    def _paths(self, call: Call, route: RouteMethod, scope: Scope) -> list[Written]:
        values: tuple[Expression, ...]
        parts = (
            self._graph.words.unchained(call.function.base)[1] if isinstance(call.function, Attribute) else ()
        )
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
        _, _, route, call, scope, handler, *_ = registration
        listed = self._listed(argument(call, route.verbs_at), scope) or self._chained(call, scope)
        if handler is not None and self._program.is_class(handler):
            for word in VIEW_METHODS:
                entity = self._tracer.types.member(handler, word)
                if isinstance(entity, Defined) and (not listed or word.upper() in listed):
                    yield word.upper(), entity
            return
        verbs = listed or route.verbs
        if verbs == (ANY,) and handler is not None and registration.framework.method_attribute is not None:
            verbs = tested_methods(self._tracer, handler, is_only_place=False) or verbs
        for verb in verbs:
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
        values = list(self._graph.words.unchained(call.function.base)[2])
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

    def roots(self, framework: Framework, failures: FailureLog) -> Iterator[FoundRoute]:
        """What routers of a framework answer at their own prefix."""
        reader = self._viewsets.get(framework.name)
        for node in list(self._graph.made) if reader is not None else ():
            if reader is None or not self._graph.speaks(framework, node):
                continue
            call, scope = self._graph.made[node]
            at = Place(scope.path, call.line, call.line)
            with failures.reading(scope.path):
                for answer in reader.roots(node):
                    method = RouteMethod("", None, ())
                    made = Registration(node, framework, method, call, scope, None, answer.name, at)
                    yield from self._at_each_way(made, answer)


def _without_host(path: str) -> str:
    """The path of a pattern that may begin with a host and end in `{$}`, which stands for nothing."""
    return (path if path.startswith("/") else f"/{path.partition('/')[2]}").removesuffix("{$}")
