"""Routers and handlers that hang where they are listed: `Blueprint.group(a, b)`, `Litestar(route_handlers=[Orders, health])`."""

from collections.abc import Callable, Iterator

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import Attribute, Call, CodeDefinition, Name, Splat
from pipeline.code_registry.framework import ArgumentAt, Framework, ListedHandlers, RouteMethod
from pipeline.code_registry.linking.handlers import class_value, verbs_in
from pipeline.code_registry.linking.names.program import DefinitionRef, External
from pipeline.code_registry.linking.routers.mounting import Mount, RouterFacts, RouterNode
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.composition import RouteRegistration
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, argument
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer

_ADDING = frozenset({"append", "extend"})
_NodeOf = Callable[[DefinitionRef, ListedHandlers], RouterNode]


class ListReader:
    """Reads the lists of one framework, and the handlers that carry their own path."""

    def __init__(self, graph: RouterGraph, tracer: Tracer, framework: Framework) -> None:
        self._graph = graph
        self._tracer = tracer
        self._program = tracer.program
        self._framework = framework
        self._methods = frozenset(
            method.name for method in framework.mounts if framework.handler_lists is not None
        )
        self._kinds = {kind.name: kind for kind in framework.routers if kind.children is not None}

    def mount(self, path: str) -> None:
        """Hang up what the lists in a file name."""
        for site in self._program.files[path].calls if self._kinds else ():
            scope = Scope(path, site.scope)
            at = SourceRange(path, site.call.line, site.call.line)
            kind = self._graph.node_kind(site.call, scope)
            if kind is not None and kind.children is not None and self._kinds.get(kind.name) == kind:
                parents = self._graph.routers(ScopedValue(site.call, scope))
                self._hang(parents, self._children(site.call, kind.children, scope), at)
            elif isinstance(site.call.function, Attribute) and site.call.function.name in self._methods:
                parents = self._graph.routers(ScopedValue(site.call.function.base, scope))
                self._hang(parents, self._children(site.call, ArgumentAt(0), scope), at)
            elif self._framework.handler_lists is not None and self._adds(
                site.call, self._framework.handler_lists
            ):
                self._hang(self._applications(), self._children(site.call, ArgumentAt(0), scope), at)

    def _children(self, call: Call, at: ArgumentAt, scope: Scope) -> list[ScopedValue]:
        """The items of a list, or the arguments that stand one after the other."""
        first = at.position or 0
        value = None if at.spread else argument(call, at)
        values = call.arguments[first:] if at.spread else () if value is None else (value,)
        children: list[ScopedValue] = []
        for item in values:
            inner = item.value if isinstance(item, Splat) else item
            elements = self._tracer.elements(ScopedValue(inner, scope))
            children += elements or [ScopedValue(inner, scope)]
        return children

    def _adds(self, call: Call, style: ListedHandlers) -> bool:
        """Whether a call adds to the list of an application: `config.route_handlers.append(health)`."""
        match call.function:
            case Attribute(Attribute(_, name), word):
                return name == style.attribute and word in _ADDING
            case _:
                return False

    def _applications(self) -> list[RouterNode]:
        """The application, where the program has no more than one."""
        kinds = [kind for kind in self._framework.routers if kind.is_application]
        applications = [node for node, facts in self._graph.nodes.items() if facts.kind in kinds]
        return applications if len(applications) == 1 else []

    def _hang(self, parents: list[RouterNode], children: list[ScopedValue], at: SourceRange) -> None:
        for child in children:
            for node in self._nodes(child):
                for parent in parents:
                    self._graph.hang(Mount(parent, node, None, False, at))

    def _nodes(self, child: ScopedValue) -> list[RouterNode]:
        """The routers that an item of a list stands for: a router, a controller, a function with a path of its own."""
        entity = self._tracer.types.of(child.expression, child.scope.path, child.scope.number)
        style = self._framework.handler_lists
        if isinstance(entity, DefinitionRef) and style is not None:
            return [self._node(entity, style)]
        return self._graph.routers(child)

    def _node(self, of: DefinitionRef, style: ListedHandlers) -> RouterNode:
        definition = self._program.definition(of)
        node = RouterNode(of.path, of.number, definition.line, definition.name)
        if node not in self._graph.nodes:
            value = class_value(self._tracer, of, style.prefix) if self._program.is_class(of) else None
            prefixes = () if value is None else tuple(self._tracer.texts(value)) or (TextValue("", True),)
            self._graph.nodes[node] = RouterFacts(style.part, prefixes, is_assumed=False)
        return node

    def registrations(self, path: str) -> Iterator[RouteRegistration]:
        """What the handlers of a file answer, each at itself or at its controllers."""
        style = self._framework.handler_lists
        if style is None:
            return
        for ref, definition in self._program.definitions_in(path):
            if definition.kind == "class":
                yield from self._of_controller(ref, style)
            elif not self._program.is_member(ref):
                yield from self._from_decorators(ref, definition, self._node, style)

    def _of_controller(self, class_: DefinitionRef, style: ListedHandlers) -> Iterator[RouteRegistration]:
        bases = self._tracer.types.classes.external_bases(class_)
        if not any(self._is_own(base, style) and base.endswith(f".{style.controller}") for base in bases):
            return
        method_names: set[str] = set()
        for at in self._tracer.types.classes.lineage(class_):
            for method, definition in self._program.definitions_in(at.path):
                if definition.parent == at.number and definition.name not in method_names:
                    registrations = list(
                        self._from_decorators(
                            method,
                            definition,
                            lambda _, method_style: self._node(class_, method_style),
                            style,
                        )
                    )
                    method_names |= {definition.name} if registrations else set()
                    yield from registrations

    def _from_decorators(
        self, function: DefinitionRef, definition: CodeDefinition, node_of: _NodeOf, style: ListedHandlers
    ) -> Iterator[RouteRegistration]:
        scope = Scope(function.path, definition.parent)
        for decorator in definition.decorators:
            if not isinstance(decorator, Call) or not isinstance(decorator.function, Name | Attribute):
                continue
            entity = self._tracer.types.of(decorator.function, scope.path, scope.number)
            dotted_name = entity.dotted_name if isinstance(entity, External) else ""
            word = dotted_name.rpartition(".")[2]
            if word not in style.decorators or not self._is_own(dotted_name, style):
                continue
            value = argument(decorator, style.path)
            texts = (
                ()
                if value is None
                else tuple(self._tracer.texts(ScopedValue(value, scope))) or (TextValue("", True),)
            )
            verbs = style.decorators[word] or verbs_in(
                self._tracer, argument(decorator, style.verbs_at), scope
            )
            at = SourceRange(function.path, decorator.line, decorator.line)
            yield RouteRegistration(
                node_of(function, style),
                self._framework,
                RouteMethod(word, None, verbs),
                decorator,
                scope,
                function,
                self._program.qualified_name(function),
                at,
                texts or (TextValue("", False),),
            )

    def _is_own(self, dotted_name: str, style: ListedHandlers) -> bool:
        return dotted_name.partition(".")[0] in style.packages
