"""Read the statements that mount routers: which router hangs where, at which prefix."""

from collections.abc import Iterator
from posixpath import dirname, normpath
from posixpath import join as join_paths

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Constant,
    Expression,
    Items,
    Name,
    Pairs,
    StringLiteral,
)
from pipeline.code_registry.framework import FolderMount, Framework, MountMethod
from pipeline.code_registry.linking.handlers.handlers import HandlerFinder
from pipeline.code_registry.linking.names.program import DefinitionRef, External
from pipeline.code_registry.linking.routers.mounting import Mount, RouterFacts, RouterNode
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.values.call_arguments import argument, value_of_key
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer


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
            for node in self._graph.routers(ScopedValue(call.function.base, scope))
            if self._graph.speaks(framework, node)
        ]
        at = SourceRange(scope.path, call.line, call.line)
        children = list(self._children(framework, method, call, scope)) if receivers else []
        for receiver in receivers:
            for node, prefixes in children:
                parent, child = (node, receiver) if method.receiver_is_child else (receiver, node)
                self._graph.hang(Mount(parent, child, prefixes, method.replaces, at))

    def _children(
        self, framework: Framework, method: MountMethod, call: Call, scope: Scope
    ) -> Iterator[tuple[RouterNode, tuple[TextValue, ...] | None]]:
        """The routers that a mount hangs up, each with its prefixes."""
        child_value = argument(call, method.child)
        if child_value is None:
            return
        if method.child.spread:
            yield from self._among(call, scope)
            return
        prefixes = self._graph.prefixes(argument(call, method.prefix), scope)
        if not method.calls_child:
            for child in self._child_values(ScopedValue(child_value, scope)):
                yield from ((node, prefixes) for node in self._graph.routers(child))
            return
        for folder in framework.folders:
            if self._comes_from(child_value, scope, folder.packages):
                yield from self._in_folder(framework, folder, call, scope)
                return
        node = self._called_with_router(framework, ScopedValue(child_value, scope))
        if node is not None:
            yield node, prefixes

    def _child_values(self, child: ScopedValue) -> list[ScopedValue]:
        """What stands as child: itself, each item of a list, or what a dotted name leads to (`"orders.api.router"`)."""
        match child.expression:
            case Items(items):
                return [ScopedValue(item, child.scope) for item in items]
            case StringLiteral(dotted_name) if "." in dotted_name:
                module, _, name = dotted_name.rpartition(".")
                path = self._tracer.program.find_module(child.scope.path, module, 0)
                return [] if path is None else [ScopedValue(Name(name), Scope(path, 0))]
            case _:
                return [child]

    def _among(self, call: Call, scope: Scope) -> Iterator[tuple[RouterNode, tuple[TextValue, ...] | None]]:
        """Routers anywhere among the arguments; the first argument is the prefix if it may be text."""
        values: list[Expression] = []
        for value in call.arguments:
            values += value.items if isinstance(value, Items) else (value,)
        nodes = [self._graph.routers(ScopedValue(value, scope)) for value in values]
        prefixes: tuple[TextValue, ...] | None = None
        if len(call.arguments) > 1 and not nodes[0] and any(nodes):
            prefixes = self._maybe_prefix(call.arguments[0], scope)
        for routers in nodes:
            yield from ((node, prefixes) for node in routers)

    def _maybe_prefix(self, value: Expression, scope: Scope) -> tuple[TextValue, ...] | None:
        texts = tuple(self._tracer.texts(ScopedValue(value, scope)))
        if texts:
            return texts
        entity = self._tracer.types.of(value, scope.path, scope.number)
        is_function = isinstance(value, Call) or isinstance(entity, DefinitionRef)
        return None if is_function else (TextValue("", True),)

    def _comes_from(self, value: Expression, scope: Scope, packages: frozenset[str]) -> bool:
        entity = self._tracer.types.of(value, scope.path, scope.number)
        return isinstance(entity, External) and entity.dotted_name.partition(".")[0] in packages

    def _called_with_router(self, framework: Framework, value: ScopedValue) -> RouterNode | None:
        """The first parameter of a function that is handed a router, also where another function wraps and returns it."""
        sources = (source for source in self._tracer.sources(value) if source != value)
        refs = (self._handlers.find(source).ref for source in (value, *sources))
        function = next((ref for ref in refs if ref is not None), None)
        if function is None:
            return None
        arguments = self._tracer.program.definition(function).arguments
        if not arguments:
            return None
        node = RouterNode(function.path, function.number, arguments[0].line, arguments[0].name)
        kind = next((router for router in framework.routers if not router.is_application), None)
        self._graph.nodes.setdefault(node, RouterFacts(kind, (), is_assumed=False))
        return node

    def _in_folder(
        self, framework: Framework, folder: FolderMount, call: Call, scope: Scope
    ) -> Iterator[tuple[RouterNode, tuple[TextValue, ...]]]:
        """Every file of a folder, mounted at the folders it stands in."""
        folder_value = argument(call, folder.folder)
        default = self._tracer.program.words.default
        if folder_value is None or default is None:
            return
        parts = list(_texts_in(folder_value))
        root = normpath(join_paths(dirname(scope.path), *(part.lstrip("/") for part in parts)))
        options = next((value for value in call.arguments if isinstance(value, Pairs)), None)
        prefix_value = argument(call, folder.prefix) or value_of_key(
            value_of_key(options, "options"), folder.prefix.keyword or ""
        )
        before = self._graph.prefixes(prefix_value, scope) or (TextValue("", False),)
        is_flat = value_of_key(options, folder.flat) == Constant("false")
        for path in self._tracer.program.files:
            below = path.removeprefix(f"{root}/")
            name = below.rpartition("/")[2]
            if below == path or not parts or name.startswith(folder.skip_prefixes):
                continue
            node = self._called_with_router(framework, ScopedValue(Name(default), Scope(path, 0)))
            if node is not None:
                own_prefix = self._own_prefix(path, folder, "" if is_flat else dirname(below))
                yield (
                    node,
                    tuple(
                        TextValue(f"{a.text}{own_prefix.text}", a.dynamic or own_prefix.dynamic)
                        for a in before
                    ),
                )

    def _own_prefix(self, path: str, folder: FolderMount, below: str) -> TextValue:
        if self._tracer.program.bindings_in(path, 0, folder.own_prefix):
            texts = self._tracer.texts(ScopedValue(Name(folder.own_prefix), Scope(path, 0)))
            return texts[0] if len(texts) == 1 else TextValue("", True)
        parts = [f":{part[1:]}" if part.startswith("_") else part for part in below.split("/") if part]
        return TextValue("".join(f"/{part}" for part in parts), False)


def _texts_in(expression: Expression) -> Iterator[str]:
    """Constant strings among the arguments of a call, in order."""
    match expression:
        case StringLiteral(value):
            yield value
        case Call(_, arguments):
            for inner in arguments:
                yield from _texts_in(inner)
