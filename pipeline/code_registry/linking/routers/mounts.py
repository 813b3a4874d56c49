"""Code that mounts routers, serves them, or inherits from one."""

from collections.abc import Iterator, Sequence
from posixpath import dirname, normpath
from posixpath import join as join_paths

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    CallSite,
    Constant,
    Expression,
    Items,
    Name,
    Pairs,
    StringLiteral,
)
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import FolderMount, Framework, MountMethod
from pipeline.code_registry.linking.handlers import HandlerFinder
from pipeline.code_registry.linking.names.program import (
    DefinitionRef,
    Entity,
    External,
    ExternalInstance,
    Instance,
)
from pipeline.code_registry.linking.routers.mounting import Mount, RouterFacts, RouterNode
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.values.call_arguments import (
    Scope,
    ScopedValue,
    argument,
    computed_method,
    value_of_key,
)
from pipeline.code_registry.linking.values.loops import names_in
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
            if self._tracer.outside_word(child_value, scope, folder.packages):
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


# `class Controller { constructor() { this.app = Router() } get(path, f) { this.app.get(path, f) } }` is one piece of code, and
# each class that inherits from it has a router of its own. So a scope remembers the class of the instance (`Scope.owner`),
# the router is a node for each such class, and `this.get("/", …)` in `Orders` registers at the router of `Orders`.

_SUPER = Name("super")


class Heirs:
    """Tells for which classes inherited code runs."""

    def __init__(self, graph: RouterGraph, tracer: Tracer) -> None:
        self._graph = graph
        self._tracer = tracer
        self._program = tracer.program
        self._classes = tracer.types.classes

    def scopes(self, call: Call, scope: Scope) -> Iterator[Scope]:
        """The scopes of a statement that speaks of its instance's router: one for each class that inherits the code.

        The class itself has one if the code makes an instance of it, or no class inherits from it.
        """
        number = self._program.enclosing_class(scope.path, scope.number)
        receivers = self._program.words.receivers
        if number is None or scope.owner is not None or not any(name in receivers for name in names_in(call)):
            yield scope
            return
        class_ = DefinitionRef(scope.path, number)
        heirs = self._heirs_at_router(class_, ScopedValue(base, scope)) if (base := _receiver(call)) else ()
        if not heirs or self._is_made(class_):
            yield scope
        for heir in heirs:
            yield scope._replace(owner=heir)

    def _heirs_at_router(self, class_: DefinitionRef, base: ScopedValue) -> Sequence[DefinitionRef]:
        # Most classes have no heirs, and to look them up costs far less than to follow a value to its router.
        heirs = self._classes.heirs.get(class_, ())
        return heirs if heirs and self._graph.routers(base) else ()

    def owner(self, function: DefinitionRef, site: CallSite, outer: Scope) -> DefinitionRef | None:
        """The class of the instance that a method is called for, if that class inherits the method."""
        class_ = DefinitionRef(function.path, self._program.definition(function).parent)
        if class_.number <= 0 or not self._program.is_class(class_):
            return None
        function_name = site.call.function
        base = function_name.base if isinstance(function_name, Attribute) else function_name
        is_receiver = isinstance(base, Name) and base.name in self._program.words.receivers
        entity: Entity | None
        if is_receiver or base == _SUPER or (isinstance(base, Call) and base.function == _SUPER):
            number = self._program.enclosing_class(outer.path, site.scope)
            entity = outer.owner or (None if number is None else DefinitionRef(outer.path, number))
        else:
            entity = self._tracer.types.of(base, outer.path, site.scope)
        if isinstance(entity, Instance):
            entity = DefinitionRef(entity.path, entity.number)
        if not isinstance(entity, DefinitionRef) or not self._program.is_class(entity):
            return None
        return entity if class_ in self._classes.lineage(entity)[1:] else None

    def _is_made(self, class_: DefinitionRef) -> bool:
        """Whether an instance of exactly this class is made."""
        return any(
            self._tracer.types.of(site.call.function, path, site.scope) == class_
            for path, site in self._tracer.calls.of(class_)
        )


def _receiver(call: Call) -> Expression | None:
    """What a method is called on."""
    method = computed_method(call)
    return method[0] if method else call.function.base if isinstance(call.function, Attribute) else None


class ServedReader:
    """Notes both in a graph of routers."""

    def __init__(self, graph: RouterGraph, tracer: Tracer) -> None:
        self._graph = graph
        self._tracer = tracer
        self._program = tracer.program
        self._blocks = {
            name: [method.block for _, method in methods if method.block is not None]
            for name, methods in graph.words.subrouters.items()
        }
        self._serving = {dotted_name.rpartition(".")[2] for dotted_name in graph.words.serves}
        self._served_at = {
            (dotted_name, at.keyword)
            for dotted_name, at in graph.words.serves.items()
            if at.keyword is not None
        }

    def read(self, failures: FailureLog) -> None:
        """Read all files: a router may be handed on in any of them."""
        if not self._blocks and not self._serving:
            return
        for path in self._program.files:
            with failures.reading(path):
                self._find_blocks(path)
        for path in self._program.files:
            with failures.reading(path):
                self._find_served(path)

    def _find_blocks(self, path: str) -> None:
        """`router.Route("/orders", func(r chi.Router) { … })`"""
        for site in self._program.files[path].calls:
            function = site.call.function
            word = function.name if isinstance(function, Attribute) else ""
            for at in self._blocks.get(word, ()):
                block = argument(site.call, at)
                entity = None if block is None else self._tracer.types.of(block, path, site.scope)
                if isinstance(entity, DefinitionRef) and not self._program.is_class(entity):
                    call = ScopedValue(site.call, Scope(path, site.scope))
                    self._graph.blocks.setdefault(entity, []).append(call)

    def _find_served(self, path: str) -> None:
        """`http.ListenAndServe(address, router)`, `http.Server{Handler: router}` and `server.Handler = router`."""
        facts = self._program.files[path]
        for site in facts.calls:
            if isinstance(site.call.function, Attribute) and site.call.function.name in self._serving:
                self._by_call(site.call, Scope(path, site.scope))
        for assignment in facts.assignments:
            if assignment.mode != "member" or assignment.annotation is None or assignment.value is None:
                continue
            owner = self._tracer.types.of(assignment.annotation, path, assignment.scope)
            if (
                isinstance(owner, ExternalInstance)
                and (owner.dotted_name, assignment.target) in self._served_at
            ):
                self._graph.serve(ScopedValue(assignment.value, Scope(path, assignment.scope)))

    def _by_call(self, call: Call, scope: Scope) -> None:
        entity = self._tracer.types.of(call.function, scope.path, scope.number)
        at = self._graph.words.serves.get(entity.dotted_name) if isinstance(entity, External) else None
        handler = argument(call, at)
        if handler is not None:
            self._graph.serve(ScopedValue(handler, scope))
