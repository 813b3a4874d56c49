"""From a registration to its routes: every HTTP method, on every way on which the router is reached."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import Attribute, Call, Constant, Expression, FileFacts, Items, JoinedText
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import Framework, RouteMethod
from pipeline.code_registry.linking.handlers import (
    ANY,
    VIEW_METHODS,
    HandlerFinder,
    ViewAnswer,
    ViewReader,
    tested_methods,
)
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.mounting import RouterNode, join
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.found_route import FoundRoute, with_leading_slash
from pipeline.code_registry.linking.routes.viewsets import ViewsetReader
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, argument
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer


class RouteRegistration(NamedTuple):
    """A statement that gives a router a path and a handler. `paths`: those of a row of a table, already read."""

    node: RouterNode
    framework: Framework
    method: RouteMethod
    call: Call
    scope: Scope
    handler: DefinitionRef | None
    handler_name: str
    at: SourceRange
    paths: tuple[TextValue, ...] | None = None


# One registration gives paths × HTTP methods × ways. `@orders.route("/{id}", methods=["GET", "PUT"])`, with `orders` mounted at
# "/v1" and at "/v2", gives four routes: GET and PUT of /v1/{id} and of /v2/{id}. The ways are those of `MountGraph.ways`.
# A chain spreads one registration over several calls: in `r.Path("/a").Handler(show).Methods("GET")` the registration is the
# call of `Handler`. The path is read from the calls before it (`unchain`), the methods also from those behind it (`_outer_of`).


class Composer:
    """Turns registrations into routes, with the frameworks of one language."""

    def __init__(
        self, tracer: Tracer, graph: RouterGraph, handlers: HandlerFinder, frameworks: Sequence[Framework]
    ) -> None:
        self._tracer = tracer
        self._program = tracer.program
        self._graph = graph
        self._outer_of: dict[tuple[str, Call], Call] = {}
        self._views = {f.name: ViewReader(tracer, handlers, f.views) for f in frameworks if f.views}
        self._viewsets = {f.name: ViewsetReader(graph, tracer, f.viewsets) for f in frameworks if f.viewsets}

    def note_chains(self, path: str, facts: FileFacts) -> None:
        """Note for each call the call of a method on what it gives, in frameworks whose calls are chained."""
        chains = self._graph.words.chains
        words = {word for chain in chains for word in (*chain.verbs, *chain.other_methods)}
        self._outer_of |= {
            (path, site.call.function.base): site.call
            for site in facts.calls
            if isinstance(site.call.function, Attribute)
            and site.call.function.name in words
            and isinstance(site.call.function.base, Call)
        }

    def routes(self, registration: RouteRegistration) -> Iterator[FoundRoute]:
        """The routes of a registration."""
        node, framework, route, call, scope, handler, name, _, texts = registration
        paths = list(texts) if texts is not None else self._paths(call, route, scope)
        views, viewsets = self._views.get(framework.name), self._viewsets.get(framework.name)
        answers: Iterable[ViewAnswer]
        if viewsets is not None:
            is_class = handler is not None and self._program.is_class(handler)
            answers = viewsets.answers(node, handler, paths) if is_class and handler is not None else ()
        elif views is not None and (target := argument(call, route.handler)) is not None:
            answers = [
                answer._replace(path=path)
                for answer in views.answers(ScopedValue(target, scope))
                for path in paths
            ]
        else:
            answers = (
                ViewAnswer(
                    verb,
                    target,
                    name if target in {None, handler} else self._program.qualified_name(target),
                    path,
                )
                for verb, target, path in self._with_paths(registration, paths)
            )
        for answer in answers:
            yield from self._at_each_way(registration, answer)

    def _at_each_way(self, registration: RouteRegistration, answer: ViewAnswer) -> Iterator[FoundRoute]:
        """A route for every way on which its router is reached."""
        node = registration.node
        path = answer.path or TextValue("", False)
        is_overridden = self._is_overridden(registration)
        for way in self._graph.ways(node):
            yield FoundRoute(
                answer.verb,
                with_leading_slash(join(way.prefix, path.text, self._graph.joining(node))),
                answer.handler,
                answer.name,
                registration.framework.name,
                registration.at,
                way.mounts,
                way.top,
                way.dynamic or path.dynamic or is_overridden,
                way.confidence,
                ScopedValue(registration.call, registration.scope),
            )

    def _is_overridden(self, registration: RouteRegistration) -> bool:
        """Whether a class of the repository has the registering method: it may put something before the path."""
        function, scope = registration.call.function, registration.scope
        if not isinstance(function, Attribute):
            return False
        entity = self._tracer.types.of(function, scope.path, scope.number)
        return isinstance(entity, DefinitionRef) and not self._program.is_class(entity)

    def _paths(self, call: Call, route: RouteMethod, scope: Scope) -> list[TextValue]:
        values: tuple[Expression, ...]
        parts = (
            self._graph.words.unchain(call.function.base)[1] if isinstance(call.function, Attribute) else ()
        )
        if parts:
            last = argument(call, route.path)
            return self._tracer.texts(
                ScopedValue(JoinedText((*parts, last) if last is not None else parts), scope)
            )
        if route.path is None:
            return [TextValue("", False)]
        if route.path.spread and route.path.position is not None:
            values = call.arguments[route.path.position :]
        else:
            value = argument(call, route.path)
            values = () if value is None else (value,)
        texts: list[TextValue] = []
        for value in values:
            texts += [text for text in self._tracer.texts(ScopedValue(value, scope)) if text not in texts]
        return texts

    def _answers(self, registration: RouteRegistration) -> Iterator[tuple[str, DefinitionRef | None]]:
        """Each HTTP method, and what answers it: a function, or the class's method of that name."""
        _, _, route, call, scope, handler, *_ = registration
        verbs_of_call = self._list_verbs(argument(call, route.verbs_at), scope) or self._chain_verbs(
            call, scope
        )
        if handler is not None and self._program.is_class(handler):
            entities = {word.upper(): self._tracer.types.member(handler, word) for word in VIEW_METHODS}
            answers = {verb: entity for verb, entity in entities.items() if isinstance(entity, DefinitionRef)}
            if answers:
                yield from (
                    (v, answer) for v, answer in answers.items() if not verbs_of_call or v in verbs_of_call
                )
                return
        verbs = verbs_of_call or route.verbs
        if verbs == (ANY,) and handler is not None and registration.framework.method_attribute is not None:
            verbs = tested_methods(self._tracer, handler, is_only_place=False) or verbs
        for verb in verbs:
            yield verb, handler

    def _with_paths(
        self, registration: RouteRegistration, paths: list[TextValue]
    ) -> Iterator[tuple[str, DefinitionRef | None, TextValue]]:
        """Each HTTP method with what answers and the path; some frameworks write the method before the path."""
        if not registration.method.verb_in_path:
            yield from (
                (verb, target, path) for path in paths for verb, target in self._answers(registration)
            )
            return
        for path in paths:
            first, space, rest = path.text.partition(" ")
            text = _without_host(rest.strip() if space else path.text)
            if path.dynamic and text == "/":  # nothing of it is known: `method + " " + pattern`
                continue
            for verb, target in self._answers(registration):
                yield first.upper() if space else verb, target, TextValue(text, path.dynamic)

    def _chain_verbs(self, call: Call, scope: Scope) -> tuple[str, ...]:
        """HTTP methods that the chain of calls around a registration names."""
        chains = self._graph.words.chains
        if not chains or not isinstance(call.function, Attribute):
            return ()
        values = list(self._graph.words.unchain(call.function.base)[2])
        at: Call | None = self._outer_of.get((scope.path, call))
        while at is not None and isinstance(at.function, Attribute):
            if any(at.function.name in chain.verbs for chain in chains):
                values += at.arguments
            at = self._outer_of.get((scope.path, at))
        return tuple(verb for value in values for verb in self._verbs(ScopedValue(value, scope)))

    def _verbs(self, scoped_value: ScopedValue) -> tuple[str, ...]:
        return tuple(text.text.upper() for text in self._tracer.texts(scoped_value) if not text.dynamic)

    def _list_verbs(self, value: Expression | None, scope: Scope) -> tuple[str, ...]:
        if value is None or isinstance(value, Constant):
            return ()
        verbs: list[str] = []
        for source in self._tracer.sources(ScopedValue(value, scope)):
            items = source.expression.items if isinstance(source.expression, Items) else ()
            verbs += [verb for item in items for verb in self._verbs(ScopedValue(item, source.scope))]
        if not verbs and not isinstance(value, Items):
            verbs += [verb for verb in self._verbs(ScopedValue(value, scope)) if verb.isalpha()]
        return tuple(dict.fromkeys(verbs))

    def roots(self, framework: Framework, failures: FailureLog) -> Iterator[FoundRoute]:
        """The routes of a framework's routers at their own prefix."""
        reader = self._viewsets.get(framework.name)
        for node in list(self._graph.constructions) if reader is not None else ():
            if reader is None or not self._graph.speaks(framework, node):
                continue
            call, scope = self._graph.constructions[node]
            at = SourceRange(scope.path, call.line, call.line)
            with failures.reading(scope.path):
                for answer in reader.roots(node):
                    method = RouteMethod("", None, ())
                    registration = RouteRegistration(
                        node, framework, method, call, scope, None, answer.name, at
                    )
                    yield from self._at_each_way(registration, answer)


def _without_host(path: str) -> str:
    """The path of a pattern that may begin with a host and end in `{$}`, which stands for nothing."""
    return (path if path.startswith("/") else f"/{path.partition('/')[2]}").removesuffix("{$}")
