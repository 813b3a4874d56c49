"""Read the statements that mount routers: which router hangs where, at which prefix."""

from collections.abc import Iterator
from posixpath import dirname, normpath
from posixpath import join as join_paths

from pipeline.code_registry.entries import Place
from pipeline.code_registry.facts import Attribute, Call, Constant, Expression, Items, Name, Pairs, Text
from pipeline.code_registry.framework import FolderMount, Framework, MountMethod
from pipeline.code_registry.linking.call_arguments import argument, keyed
from pipeline.code_registry.linking.handlers import HandlerFinder
from pipeline.code_registry.linking.mounting import Mount, Node, RouterFacts
from pipeline.code_registry.linking.program import Defined, External
from pipeline.code_registry.linking.routers import RouterGraph
from pipeline.code_registry.linking.traced import Scope, Traced
from pipeline.code_registry.linking.tracing import Tracer, Written


class MountReader:
    """Adds mounts to a graph of routers."""

    def __init__(self, graph: RouterGraph, tracer: Tracer, handlers: HandlerFinder) -> None:
        self._graph = graph
        self._tracer = tracer
        self._handlers = handlers

    def add(self, framework: Framework, method: MountMethod, call: Call, scope: Scope) -> None:
        """Note `parent.method(child, prefix)`."""
        if not isinstance(call.function, Attribute) or argument(call, method.child) is None:
            return
        receivers = [
            node
            for node in self._graph.routers(Traced(call.function.base, scope))
            if self._graph.speaks(framework, node)
        ]
        at = Place(scope.path, call.line, call.line)
        for receiver in receivers:
            for node, prefixes in self._children(framework, method, call, scope):
                parent, child = (node, receiver) if method.receiver_is_child else (receiver, node)
                self._graph.hang(Mount(parent, child, prefixes, method.replaces, at))

    def _children(
        self, framework: Framework, method: MountMethod, call: Call, scope: Scope
    ) -> Iterator[tuple[Node, tuple[Written, ...] | None]]:
        """The routers that a mount hangs up, each with its prefixes."""
        other = argument(call, method.child)
        if other is None:
            return
        if method.child.spread:
            yield from self._among(call, scope)
            return
        prefixes = self._graph.prefixes(argument(call, method.prefix), scope)
        if not method.calls_child:
            for child in self._listed(Traced(other, scope)):
                yield from ((node, prefixes) for node in self._graph.routers(child))
            return
        for folder in framework.folders:
            if self._comes_from(other, scope, folder.packages):
                yield from self._in_folder(framework, folder, call, scope)
                return
        node = self._called_with_router(framework, Traced(other, scope))
        if node is not None:
            yield node, prefixes

    def _listed(self, child: Traced) -> list[Traced]:
        """What stands as child: itself, each item of a list, or what a dotted name leads to (`"orders.api.router"`)."""
        match child.expression:
            case Items(items):
                return [Traced(item, child.scope) for item in items]
            case Text(dotted) if "." in dotted:
                module, _, name = dotted.rpartition(".")
                path = self._tracer.program.find_module(child.scope.path, module, 0)
                return [] if path is None else [Traced(Name(name), Scope(path, 0))]
            case _:
                return [child]

    def _among(self, call: Call, scope: Scope) -> Iterator[tuple[Node, tuple[Written, ...] | None]]:
        """Routers anywhere among the arguments; the first argument is the prefix if it may be text."""
        values: list[Expression] = []
        for value in call.arguments:
            values += value.items if isinstance(value, Items) else (value,)
        nodes = [self._graph.routers(Traced(value, scope)) for value in values]
        prefixes: tuple[Written, ...] | None = None
        if len(call.arguments) > 1 and not nodes[0] and any(nodes):
            prefixes = self._maybe_prefix(call.arguments[0], scope)
        for found in nodes:
            yield from ((node, prefixes) for node in found)

    def _maybe_prefix(self, value: Expression, scope: Scope) -> tuple[Written, ...] | None:
        texts = tuple(self._tracer.texts(Traced(value, scope)))
        if texts:
            return texts
        entity = self._tracer.types.of(value, scope.path, scope.number)
        is_function = isinstance(value, Call) or isinstance(entity, Defined)
        return None if is_function else (Written("", True),)

    def _comes_from(self, value: Expression, scope: Scope, packages: frozenset[str]) -> bool:
        entity = self._tracer.types.of(value, scope.path, scope.number)
        return isinstance(entity, External) and entity.dotted.partition(".")[0] in packages

    def _called_with_router(self, framework: Framework, value: Traced) -> Node | None:
        """The first parameter of a function that is handed a router."""
        function = self._handlers.find(value).defined
        if function is None:
            return None
        arguments = self._tracer.program.definition(function).arguments
        if not arguments:
            return None
        node = Node(function.path, function.number, arguments[0].line, arguments[0].name)
        kind = next((own for own in framework.routers if not own.is_application), None)
        self._graph.nodes.setdefault(node, RouterFacts(kind, (), assumed=False))
        return node

    def _in_folder(
        self, framework: Framework, folder: FolderMount, call: Call, scope: Scope
    ) -> Iterator[tuple[Node, tuple[Written, ...]]]:
        """Every file of a folder, mounted at the folders it stands in."""
        named = argument(call, folder.folder)
        default = self._tracer.program.words.default
        if named is None or default is None:
            return
        parts = list(_texts_in(named))
        root = normpath(join_paths(dirname(scope.path), *(part.lstrip("/") for part in parts)))
        options = next((value for value in call.arguments if isinstance(value, Pairs)), None)
        given = argument(call, folder.prefix) or keyed(keyed(options, "options"), folder.prefix.keyword or "")
        before = self._graph.prefixes(given, scope) or (Written("", False),)
        is_flat = keyed(options, folder.flat) == Constant("false")
        for path in self._tracer.program.files:
            below = path.removeprefix(f"{root}/")
            name = below.rpartition("/")[2]
            if below == path or not parts or name.startswith(folder.skipped):
                continue
            node = self._called_with_router(framework, Traced(Name(default), Scope(path, 0)))
            if node is not None:
                own = self._own_prefix(path, folder, "" if is_flat else dirname(below))
                yield node, tuple(Written(f"{a.text}{own.text}", a.dynamic or own.dynamic) for a in before)

    def _own_prefix(self, path: str, folder: FolderMount, below: str) -> Written:
        if self._tracer.program.own(path, 0, folder.own_prefix):
            texts = self._tracer.texts(Traced(Name(folder.own_prefix), Scope(path, 0)))
            return texts[0] if len(texts) == 1 else Written("", True)
        parts = [f":{part[1:]}" if part.startswith("_") else part for part in below.split("/") if part]
        return Written("".join(f"/{part}" for part in parts), False)


def _texts_in(expression: Expression) -> Iterator[str]:
    """Constant strings among the arguments of a call, in order."""
    match expression:
        case Text(value):
            yield value
        case Call(_, arguments):
            for inner in arguments:
                yield from _texts_in(inner)
