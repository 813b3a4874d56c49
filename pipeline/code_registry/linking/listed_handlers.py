"""Routers and handlers that hang where they are listed: `Blueprint.group(a, b)`, `Litestar(route_handlers=[Orders, health])`."""

from collections.abc import Callable, Iterator

from pipeline.code_registry.entries import Place
from pipeline.code_registry.facts import Attribute, Call, Definition, Name, Splat
from pipeline.code_registry.framework import ArgumentAt, Framework, ListedHandlers, RouteMethod
from pipeline.code_registry.linking.call_arguments import argument
from pipeline.code_registry.linking.composition import Registration
from pipeline.code_registry.linking.mounting import Mount, Node, RouterFacts
from pipeline.code_registry.linking.program import Defined, External
from pipeline.code_registry.linking.routers import RouterGraph
from pipeline.code_registry.linking.traced import Scope, Traced
from pipeline.code_registry.linking.tracing import Tracer, Written
from pipeline.code_registry.linking.views import class_value, verbs_in

_ADDING = frozenset({"append", "extend"})
_NodeOf = Callable[[Defined, ListedHandlers], Node]


class ListReader:
    """Reads the lists of one framework, and the handlers that carry their own path."""

    def __init__(self, graph: RouterGraph, tracer: Tracer, framework: Framework) -> None:
        self._graph = graph
        self._tracer = tracer
        self._program = tracer.program
        self._framework = framework
        self._methods = frozenset(method.name for method in framework.mounts if framework.listed is not None)
        self._kinds = {kind.name: kind for kind in framework.routers if kind.children is not None}

    def mount(self, path: str) -> None:
        """Hang up what the lists in a file name."""
        for site in self._program.files[path].calls if self._kinds else ():
            scope = Scope(path, site.scope)
            at = Place(path, site.call.line, site.call.line)
            kind = self._graph.node_kind(site.call, scope)
            if kind is not None and kind.children is not None and self._kinds.get(kind.name) == kind:
                parents = self._graph.routers(Traced(site.call, scope))
                self._hang(parents, self._children(site.call, kind.children, scope), at)
            elif isinstance(site.call.function, Attribute) and site.call.function.name in self._methods:
                parents = self._graph.routers(Traced(site.call.function.base, scope))
                self._hang(parents, self._children(site.call, ArgumentAt(0), scope), at)
            elif self._framework.listed is not None and self._adds(site.call, self._framework.listed):
                self._hang(self._applications(), self._children(site.call, ArgumentAt(0), scope), at)

    def _children(self, call: Call, at: ArgumentAt, scope: Scope) -> list[Traced]:
        """The items of a list, or the arguments that stand one after the other."""
        first = at.position or 0
        value = None if at.spread else argument(call, at)
        values = call.arguments[first:] if at.spread else () if value is None else (value,)
        found: list[Traced] = []
        for item in values:
            inner = item.value if isinstance(item, Splat) else item
            listed = self._tracer.elements(Traced(inner, scope))
            found += listed or [Traced(inner, scope)]
        return found

    def _adds(self, call: Call, listed: ListedHandlers) -> bool:
        """Whether a call adds to the list of an application: `config.route_handlers.append(health)`."""
        match call.function:
            case Attribute(Attribute(_, name), word):
                return name == listed.attribute and word in _ADDING
            case _:
                return False

    def _applications(self) -> list[Node]:
        """The application, where the program has no more than one."""
        kinds = [kind for kind in self._framework.routers if kind.is_application]
        found = [node for node, facts in self._graph.nodes.items() if facts.kind in kinds]
        return found if len(found) == 1 else []

    def _hang(self, parents: list[Node], children: list[Traced], at: Place) -> None:
        for child in children:
            for node in self._nodes(child):
                for parent in parents:
                    self._graph.hang(Mount(parent, node, None, False, at))

    def _nodes(self, child: Traced) -> list[Node]:
        """The routers that an item of a list stands for: a router, a controller, a function with a path of its own."""
        entity = self._tracer.types.of(child.expression, child.scope.path, child.scope.number)
        listed = self._framework.listed
        if isinstance(entity, Defined) and listed is not None:
            return [self._node(entity, listed)]
        return self._graph.routers(child)

    def _node(self, of: Defined, listed: ListedHandlers) -> Node:
        definition = self._program.definition(of)
        node = Node(of.path, of.number, definition.line, definition.name)
        if node not in self._graph.nodes:
            value = class_value(self._tracer, of, listed.prefix) if self._program.is_class(of) else None
            prefixes = () if value is None else tuple(self._tracer.texts(value)) or (Written("", True),)
            self._graph.nodes[node] = RouterFacts(listed.part, prefixes, assumed=False)
        return node

    def registrations(self, path: str) -> Iterator[Registration]:
        """What the handlers of a file answer, each at itself or at its controllers."""
        listed = self._framework.listed
        if listed is None:
            return
        for defined, definition in self._program.definitions_in(path):
            if definition.kind == "class":
                yield from self._of_controller(defined, listed)
            elif not self._program.is_member(defined):
                yield from self._decorated(defined, definition, self._node, listed)

    def _of_controller(self, class_: Defined, listed: ListedHandlers) -> Iterator[Registration]:
        bases = self._tracer.types.classes.external_bases(class_)
        if not any(
            self._is_own(dotted, listed) and dotted.endswith(f".{listed.controller}") for dotted in bases
        ):
            return
        seen: set[str] = set()
        for at in self._tracer.types.classes.lineage(class_):
            for method, definition in self._program.definitions_in(at.path):
                if definition.parent == at.number and definition.name not in seen:
                    made = list(
                        self._decorated(method, definition, lambda _, own: self._node(class_, own), listed)
                    )
                    seen |= {definition.name} if made else set()
                    yield from made

    def _decorated(
        self, function: Defined, definition: Definition, node_of: _NodeOf, listed: ListedHandlers
    ) -> Iterator[Registration]:
        scope = Scope(function.path, definition.parent)
        for decorator in definition.decorators:
            if not isinstance(decorator, Call) or not isinstance(decorator.function, Name | Attribute):
                continue
            entity = self._tracer.types.of(decorator.function, scope.path, scope.number)
            dotted = entity.dotted if isinstance(entity, External) else ""
            word = dotted.rpartition(".")[2]
            if word not in listed.decorators or not self._is_own(dotted, listed):
                continue
            value = argument(decorator, listed.path)
            texts = (
                ()
                if value is None
                else tuple(self._tracer.texts(Traced(value, scope))) or (Written("", True),)
            )
            verbs = listed.decorators[word] or verbs_in(
                self._tracer, argument(decorator, listed.verbs_at), scope
            )
            at = Place(function.path, decorator.line, decorator.line)
            yield Registration(
                node_of(function, listed),
                self._framework,
                RouteMethod(word, None, verbs),
                decorator,
                scope,
                function,
                self._program.qualified_name(function),
                at,
                texts or (Written("", False),),
            )

    def _is_own(self, dotted: str, listed: ListedHandlers) -> bool:
        return dotted.partition(".")[0] in listed.packages
