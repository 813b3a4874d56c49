"""Find the routers of a program and what they are mounted at, from the values that code hands around."""

from collections.abc import Sequence

from pipeline.code_registry.entries import Place
from pipeline.code_registry.facts import (
    OPAQUE,
    Argument,
    Attribute,
    Call,
    Expression,
    Joined,
    Name,
    Text,
    plain,
    written,
)
from pipeline.code_registry.framework import (
    Framework,
    GroupMethod,
    RouterClass,
)
from pipeline.code_registry.linking.call_arguments import argument
from pipeline.code_registry.linking.framework_words import FrameworkWords
from pipeline.code_registry.linking.mounting import Mount, MountGraph, Node, RouterFacts
from pipeline.code_registry.linking.program import (
    Collection,
    Defined,
    Entity,
    External,
    ExternalInstance,
    Instance,
    Module,
)
from pipeline.code_registry.linking.sources import Scope, Traced
from pipeline.code_registry.linking.tracing import Tracer, Written

DEEPEST_WRAPPING = 8


class RouterGraph(MountGraph):
    """Finds routers and mounts."""

    def __init__(self, tracer: Tracer, frameworks: Sequence[Framework]) -> None:
        super().__init__()
        self._tracer = tracer
        self.words = FrameworkWords(frameworks)
        self._blocks: dict[Defined, list[Traced]] = {}
        self.made: dict[Node, tuple[Call, Scope]] = {}
        """The calls that make routers."""
        self._open: set[tuple[int, str, int]] = set()
        """Calls that are being followed: one that leads to itself ends there."""

    def node_kind(self, call: Call, scope: Scope) -> RouterClass | None:
        """The router class that a call makes an instance of, also through a subclass in the repository."""
        entity = self._tracer.types.of(call.function, scope.path, scope.number)
        match entity:
            case External(dotted):
                return self.words.router_class(dotted)
            case Defined() if self._tracer.program.is_class(entity):
                return self.class_kind(entity)
            case _:
                return None

    def class_kind(self, class_: Defined) -> RouterClass | None:
        """The router class that a class of the repository inherits from."""
        for dotted in self._tracer.types.classes.external_bases(class_):
            kind = self.words.router_class(dotted)
            if kind is not None:
                return kind
        return None

    def routers(self, traced: Traced) -> list[Node]:
        """The routers a value may be."""
        found: list[Node] = []
        if self._tracer.program.words.static_types and not self._may_route(traced):
            return found
        for source in self._tracer.sources(traced):
            found += [node for node in self._nodes(source) if node not in found]
        return found or self._handed_unseen(traced)

    def _handed_unseen(self, traced: Traced) -> list[Node]:
        """A parameter that is a router by its type, and is handed one that cannot be followed: it may hang anywhere."""
        name, scope = traced.expression, traced.scope
        if not isinstance(name, Name) or self._tracer.program.words.static_types:
            return []
        at, bindings = self._tracer.program.bindings(scope.path, scope.number, name.name)
        parameter = next((binding for binding in bindings if isinstance(binding, Argument)), None)
        entity = self._tracer.types.of(name, scope.path, scope.number) if parameter is not None else None
        kind = self.words.router_class(entity.dotted) if isinstance(entity, ExternalInstance) else None
        if parameter is None or kind is None:
            return []
        node = Node(scope.path, at, parameter.line, name.name)
        self.nodes.setdefault(node, RouterFacts(kind, (Written("", True),), assumed=True))
        return [node]

    def _nodes(self, source: Traced) -> list[Node]:
        expression, scope = source
        match expression:
            case Call(Attribute(base, word)) if word in self.words.same:
                return self.routers(Traced(base, scope))
            case Call(Attribute(_, word)) if word in self.words.subrouters:
                return self._subrouter(expression, word, scope)
            case Call():
                node = self._made(expression, scope)
                return [node] if node is not None else self._derived(expression, scope)
            case Name(name):
                inside = self._block_nodes(name, scope)
                parameter = None if inside else self._parameter_node(name, scope)
                return inside if parameter is None else [parameter]
            case Attribute(base, word):
                return self._typed_node(expression, scope) or self._through(base, word, scope)
            case _:
                return []

    def _through(self, base: Expression, word: str, scope: Scope) -> list[Node]:
        """The routers for which their own attribute stands: `application.router`."""
        frameworks = self.words.itself.get(word, ())
        owners = self.routers(Traced(base, scope)) if frameworks else []
        return [node for node in owners if any(self.speaks(framework, node) for framework in frameworks)]

    def _derived(self, call: Call, scope: Scope) -> list[Node]:
        """Routers that a method of a router gives: itself, or one below it."""
        function = call.function
        if not isinstance(function, Attribute):
            return []
        base, word = function.base, function.name
        groups, fluent = self.words.groups.get(word, ()), self.words.fluent.get(word, ())
        key = (id(call), scope.path, scope.number)
        if not (groups or fluent) or key in self._open:
            return []
        self._open.add(key)
        owners = self.routers(Traced(base, scope))
        self._open.discard(key)
        found: list[Node] = []
        for owner in owners:
            made = [group for framework, group in groups if self.speaks(framework, owner)]
            if made:
                found.append(self._group(owner, made[0], call, scope))
            elif any(self.speaks(framework, owner) for framework in fluent):
                found.append(owner)
        return found

    def _group(self, owner: Node, group: GroupMethod, call: Call, scope: Scope) -> Node:
        node = Node(scope.path, scope.number, call.line, f"{owner.name}@{owner.line}.{group.name}")
        self.nodes.setdefault(node, RouterFacts(self.words.classes[group.makes], (), assumed=False))
        prefixes = self.prefixes(argument(call, group.prefix), scope)
        self.hang(Mount(owner, node, prefixes, False, Place(scope.path, call.line, call.line)))
        return node

    def speaks(self, framework: Framework, node: Node) -> bool:
        """Whether a router is of this framework; one that is only assumed fits all."""
        kind = self.nodes[node].kind
        return kind is None or any(kind == own for own in framework.routers)

    def _made(self, expression: Call, scope: Scope) -> Node | None:
        kind = self.node_kind(expression, scope)
        if kind is None:
            return None
        node = Node(scope.path, scope.number, expression.line, kind.name)
        if node not in self.nodes:
            self.nodes[node] = RouterFacts(kind, (), assumed=False)
            self._describe(node, kind, Traced(expression, scope))
        return node

    def _typed_node(self, expression: Attribute, scope: Scope) -> list[Node]:
        """A router that an attribute holds, of which only the type is known."""
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        kind = self.words.router_class(entity.dotted) if isinstance(entity, ExternalInstance) else None
        if kind is None:
            return []
        node = Node(scope.path, 0, 0, expression.name)
        self.nodes.setdefault(node, RouterFacts(kind, (), assumed=kind.is_application and not kind.served))
        return [node]

    def _subrouter(self, call: Call, word: str, scope: Scope) -> list[Node]:
        """The router that a method of a router makes, mounted at each that the receiver may be."""
        if not isinstance(call.function, Attribute):
            return []
        base, paths, _ = self.words.unchained(call.function.base)
        parents = self.routers(Traced(base, scope))
        kind = self.nodes[parents[0]].kind if parents else None
        method = next((m for f, m in self.words.subrouters[word] if kind in f.routers), None)
        if method is None:
            return []
        node = Node(scope.path, scope.number, call.line, written(call) or word)
        self.nodes.setdefault(node, RouterFacts(kind, (), assumed=False))
        value = argument(call, method.prefix)
        given = value if value is not None else (Joined(paths) if paths else None)
        at = Place(scope.path, call.line, call.line)
        for parent in parents:
            self.hang(Mount(parent, node, self.prefixes(given, scope), False, at))
        return [node]

    def find_blocks(self) -> None:
        """Note the functions that are handed a router, and the routers that are served."""
        blocks = {
            name: [method.block for _, method in methods if method.block is not None]
            for name, methods in self.words.subrouters.items()
        }
        words = {dotted.rpartition(".")[2] for dotted in self.words.serves}
        if not blocks and not words:
            return
        for path, facts in self._tracer.program.files.items():
            for site in facts.calls:
                function = site.call.function
                word = function.name if isinstance(function, Attribute) else ""
                for at in blocks.get(word, ()):
                    block = argument(site.call, at)
                    entity = None if block is None else self._tracer.types.of(block, path, site.scope)
                    if isinstance(entity, Defined) and not self._tracer.program.is_class(entity):
                        call = Traced(site.call, Scope(path, site.scope))
                        self._blocks.setdefault(entity, []).append(call)
        for path, facts in self._tracer.program.files.items():
            for site in facts.calls:
                if isinstance(site.call.function, Attribute) and site.call.function.name in words:
                    self._serve(site.call, Scope(path, site.scope))

    def _serve(self, call: Call, scope: Scope) -> None:
        entity = self._tracer.types.of(call.function, scope.path, scope.number)
        handler = (
            argument(call, self.words.serves.get(entity.dotted)) if isinstance(entity, External) else None
        )
        if handler is not None:
            self._served.update(node for node, _ in self.handled(Traced(handler, scope)))

    def _block_nodes(self, name: str, scope: Scope) -> list[Node]:
        """The routers that a parameter holds because its function is handed to a method that makes them."""
        at, bindings = self._tracer.program.bindings(scope.path, scope.number, name)
        block = Defined(scope.path, at)
        if block not in self._blocks or not any(isinstance(binding, Argument) for binding in bindings):
            return []
        return [node for call in self._blocks[block] for node in self.routers(call)]

    def handled(self, traced: Traced, depth: int = 0) -> list[tuple[Node, tuple[Written, ...] | None]]:
        """Routers that a handler leads to through its wrappers, each with the prefix that is stripped on the way."""
        if depth and not self._may_handle(traced):
            return []
        nodes = self.routers(traced)
        if nodes or depth > DEEPEST_WRAPPING:
            return [(node, None) for node in nodes]
        found: list[tuple[Node, tuple[Written, ...] | None]] = []
        for source in [traced, *self._tracer.steps(traced)]:
            if source != traced and (found := self.handled(source, depth + 1)):
                break
            match source.expression if source == traced else OPAQUE:
                case Attribute(base, word) if word in self.words.answering:
                    found += self.handled(Traced(base, source.scope), depth + 1)
                case Call(function, arguments):
                    entity = self._tracer.types.of(function, source.scope.path, source.scope.number)
                    strips = isinstance(entity, External) and entity.dotted in self.words.strips
                    stripped = self.prefixes(arguments[0], source.scope) if strips else None
                    for inner in arguments:
                        for node, prefixes in self.handled(Traced(inner, source.scope), depth + 1):
                            found.append((node, stripped if strips else prefixes))
            if found:
                break
        return found

    def _may_route(self, traced: Traced) -> bool:
        """Whether a value's type allows it to be a router: asked first, because following values is dear."""
        entity = self._tracer.types.of(traced.expression, traced.scope.path, traced.scope.number)
        match entity:
            case Instance(path, number):
                return self.class_kind(Defined(path, number)) is not None
            case ExternalInstance(dotted) | External(dotted):
                return dotted.startswith(self.words.packages)
            case Collection() | Module() | Defined():
                return False
            case _:
                return True

    def _may_handle(self, traced: Traced) -> bool:
        """Whether a value may be a handler at all: constants and values of classes that answer nothing are none."""
        expression, scope = traced
        if not isinstance(expression, Name | Attribute | Call):
            return False
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        match entity:
            case Instance():
                answers = (self._tracer.types.member(entity, word) for word in self.words.answering)
                return any(isinstance(answer, Defined) for answer in answers)
            case Collection() | Module():
                return False
            case _:
                return True

    def mount_handled(self, parents: list[Node], traced: Traced, at: Place) -> bool:
        """Mount the routers that a handler leads to; whether there are any."""
        handled = self.handled(traced)
        for parent in parents:
            for node, prefixes in handled:
                self.hang(Mount(parent, node, prefixes, False, at))
        return bool(handled)

    def _variable_node(self, name: str, entity: Entity | None, scope: Scope) -> Node | None:
        """A package that has a router of its own, or a variable of which only the type is known."""
        kind: RouterClass | None = None
        if isinstance(entity, External):
            kind = self.words.package_routers.get(entity.dotted)
        elif isinstance(entity, ExternalInstance):
            kind = self.words.router_class(entity.dotted)
        if kind is None or not self._tracer.program.words.static_types:
            return None
        node = Node(scope.path, 0, 0, plain(name))
        assumed = kind.is_application and not kind.served and isinstance(entity, ExternalInstance)
        self.nodes.setdefault(node, RouterFacts(kind, (), assumed=assumed))
        return node

    def _parameter_node(self, name: str, scope: Scope) -> Node | None:
        """A parameter that nobody fills is a node if its type, or failing that its name, says application."""
        at, bindings = self._tracer.program.bindings(scope.path, scope.number, name)
        parameter = next((binding for binding in bindings if isinstance(binding, Argument)), None)
        node: Node | None
        if parameter is None:
            entity = self._tracer.types.of(Name(name), scope.path, scope.number)
            node = self._variable_node(name, entity, scope)
            if node is not None:
                return node
            is_current = isinstance(entity, External) and entity.dotted.endswith(".current_app")
            node = Node(scope.path, 0, 0, name) if is_current else None
            kind: RouterClass | None = None
        else:
            known = Node(scope.path, at, parameter.line, name)
            if known in self.nodes:
                return known
            entity = self._tracer.types.of(Name(name), scope.path, scope.number)
            kind = None
            if isinstance(entity, ExternalInstance):
                kind = self.words.router_class(entity.dotted)
            elif parameter.annotation is not None or name not in self.words.parameters:
                return None
            if kind is None and name not in self.words.parameters:
                return None
            node = Node(scope.path, at, parameter.line, name)
        if node is not None:
            self.nodes.setdefault(
                node, RouterFacts(kind, (), assumed=kind is None or (kind.is_application and not kind.served))
            )
        return node

    def _describe(self, node: Node, kind: RouterClass, made: Traced) -> None:
        call, scope = made
        if not isinstance(call, Call):
            return
        value = argument(call, kind.prefix)
        if value is None and kind.prefix_from_name and call.arguments:
            prefixes = tuple(
                Written(f"/{text.text}", text.dynamic)
                for text in self._tracer.texts(Traced(call.arguments[0], scope))
            )
        else:
            prefixes = self.prefixes(value, scope) or ()
        self.nodes[node] = RouterFacts(kind, prefixes, assumed=False)
        self.made[node] = (call, scope)
        parent = argument(call, kind.parent)
        if parent is not None:
            at = Place(scope.path, call.line, call.line)
            for owner in self.routers(Traced(parent, scope)):
                self.hang(Mount(owner, node, None, False, at))

    def prefixes(self, value: Expression | None, scope: Scope) -> tuple[Written, ...] | None:
        """The strings that a prefix may be; None where none is given, something unknown where it cannot be read."""
        if value is None:
            return None
        if isinstance(value, Text) or value != Name("None"):
            return tuple(self._tracer.texts(Traced(value, scope))) or (Written("", True),)
        return None
