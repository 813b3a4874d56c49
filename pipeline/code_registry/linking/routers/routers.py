"""Find the routers of a program and what they are mounted at, from the values that code hands around."""

from collections.abc import Sequence

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import (
    OPAQUE,
    Argument,
    Attribute,
    Call,
    Constant,
    Expression,
    JoinedText,
    Name,
    StringLiteral,
    plain,
    source_text,
)
from pipeline.code_registry.framework import Framework, GroupMethod, RouterClass
from pipeline.code_registry.linking.names.program import (
    Collection,
    DefinitionRef,
    Entity,
    External,
    ExternalInstance,
    Instance,
    Module,
)
from pipeline.code_registry.linking.routers.mounting import (
    Mount,
    MountGraph,
    RouterFacts,
    RouterNode,
    ValueWalk,
)
from pipeline.code_registry.linking.routers.router_words import RouterWords
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, argument
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer
from pipeline.code_registry.paths import is_url

DEEPEST_WRAPPING = 8
MOST_WRAPPERS = 400
"""Values that are looked at for one handler: wrappers that call each other have very many ways."""


class RouterGraph(MountGraph):
    """Finds routers and mounts."""

    def __init__(self, tracer: Tracer, frameworks: Sequence[Framework]) -> None:
        super().__init__()
        self._tracer = tracer
        self.words = RouterWords(frameworks)
        self.blocks: dict[DefinitionRef, list[ScopedValue]] = {}
        """Functions that are handed a router, with the calls that make it."""
        self.constructions: dict[RouterNode, tuple[Call, Scope]] = {}
        """The calls that make routers."""
        self._wrappers = 0
        self._walk = ValueWalk(self._routers)

    def node_kind(self, call: Call, scope: Scope) -> RouterClass | None:
        """The router class that a call makes an instance of, also through a subclass in the repository."""
        entity = self._tracer.types.of(call.function, scope.path, scope.number)
        match entity:
            case External(dotted_name):
                return self.words.router_class(dotted_name)
            case DefinitionRef() if self._tracer.program.is_class(entity):
                return self.class_kind(entity)
            case _:
                return None

    def class_kind(self, class_: DefinitionRef) -> RouterClass | None:
        """The router class that a class of the repository inherits from."""
        for base in self._tracer.types.classes.external_bases(class_):
            kind = self.words.router_class(base)
            if kind is not None:
                return kind
        return None

    def routers(self, value: ScopedValue) -> list[RouterNode]:
        """The routers a value may be."""
        return self._walk.follow(value)[0]

    def _routers(self, value: ScopedValue) -> list[RouterNode]:
        nodes: list[RouterNode] = []
        if self._tracer.program.words.static_types and not self._may_route(value):
            return nodes
        for source in self._tracer.sources(value):
            nodes += [node for node in self._nodes(source) if node not in nodes]
        nodes = nodes or self._handed_unseen(value)
        earlier = {before for node in nodes for before in self.self_made.get(node, ())}
        return [node for node in nodes if node not in earlier or node in self.self_made]

    def _handed_unseen(self, value: ScopedValue) -> list[RouterNode]:
        """A parameter that is a router by its type, and is handed one that cannot be followed: it may hang anywhere."""
        name, scope = value.expression, value.scope
        if not isinstance(name, Name) or self._tracer.program.words.static_types:
            return []
        at, bindings = self._tracer.program.bindings(scope.path, scope.number, name.name)
        parameter = next((binding for binding in bindings if isinstance(binding, Argument)), None)
        entity = self._tracer.types.of(name, scope.path, scope.number) if parameter is not None else None
        kind = self.words.router_class(entity.dotted_name) if isinstance(entity, ExternalInstance) else None
        if parameter is None or kind is None:
            return []
        node = RouterNode(scope.path, at, parameter.line, name.name)
        self.nodes.setdefault(node, RouterFacts(kind, (TextValue("", True),), is_assumed=True))
        return [node]

    def _nodes(self, source: ScopedValue) -> list[RouterNode]:
        expression, scope = source
        match expression:
            case Call(Attribute(base, word)) if word in self.words.same:
                return self.routers(ScopedValue(base, scope))
            case Call(Attribute(_, word)) if word in self.words.subrouters:
                return self._subrouter(expression, word, scope)
            case Call():
                node = self._make(expression, scope)
                return [node] if node is not None else self._derive(expression, scope)
            case Name(name):
                inside = self._block_nodes(name, scope)
                parameter = None if inside else self._parameter_node(name, scope)
                return inside if parameter is None else [parameter]
            case Attribute(base, word):
                return self._typed_node(expression, scope) or self._through(base, word, scope)
            case _:
                return []

    def _through(self, base: Expression, word: str, scope: Scope) -> list[RouterNode]:
        """The routers for which their own attribute stands: `application.router`."""
        frameworks = self.words.itself.get(word, ())
        owners = self.routers(ScopedValue(base, scope)) if frameworks else []
        return [node for node in owners if any(self.speaks(framework, node) for framework in frameworks)]

    def _derive(self, call: Call, scope: Scope) -> list[RouterNode]:
        """Routers that a method of a router gives: itself, or one below it."""
        function = call.function
        if not isinstance(function, Attribute):
            return []
        base, word = function.base, function.name
        groups, fluent = self.words.groups.get(word, ()), self.words.fluent.get(word, ())
        if not (groups or fluent):
            return []
        owners, is_cyclic = self._walk.follow(ScopedValue(base, scope))
        nodes: list[RouterNode] = []
        for owner in owners:
            group_methods = [group for framework, group in groups if self.speaks(framework, owner)]
            if group_methods:
                nodes.append(self._group(owner, group_methods[0], call, scope, is_cyclic=is_cyclic))
            elif any(self.speaks(framework, owner) for framework in fluent):
                nodes.append(owner)
        return nodes

    def _group(
        self, owner: RouterNode, group: GroupMethod, call: Call, scope: Scope, *, is_cyclic: bool
    ) -> RouterNode:
        node = RouterNode(
            scope.path, scope.number, call.line, f"{owner.name}@{owner.line}.{group.name}", scope.owner
        )
        self.nodes.setdefault(node, RouterFacts(self.words.classes[group.makes], (), is_assumed=False))
        prefixes = self.prefixes(argument(call, group.prefix), scope)
        if is_cyclic:
            prefixes = self.made_from_itself(node, [owner])
        self.hang(Mount(owner, node, prefixes, False, SourceRange(scope.path, call.line, call.line)))
        return node

    def _make(self, expression: Call, scope: Scope) -> RouterNode | None:
        kind = self.node_kind(expression, scope)
        if kind is None:
            return None
        node = RouterNode(scope.path, scope.number, expression.line, kind.name, scope.owner)
        if node not in self.nodes:
            self.nodes[node] = RouterFacts(kind, (), is_assumed=False)
            self._describe(node, kind, ScopedValue(expression, scope))
        return node

    def _typed_node(self, expression: Attribute, scope: Scope) -> list[RouterNode]:
        """A router that an attribute holds, of which only the type is known."""
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        kind = self.words.router_class(entity.dotted_name) if isinstance(entity, ExternalInstance) else None
        if kind is None:
            return []
        node = RouterNode(scope.path, 0, 0, expression.name)
        is_assumed = kind.is_application and not kind.must_be_served
        self.nodes.setdefault(node, RouterFacts(kind, (), is_assumed=is_assumed))
        return [node]

    def _subrouter(self, call: Call, word: str, scope: Scope) -> list[RouterNode]:
        """The router that a method of a router makes, mounted at each that the receiver may be."""
        if not isinstance(call.function, Attribute):
            return []
        base, paths, _ = self.words.unchain(call.function.base)
        parents, is_cyclic = self._walk.follow(ScopedValue(base, scope))
        kind = self.nodes[parents[0]].kind if parents else None
        method = next((m for f, m in self.words.subrouters[word] if kind in f.routers), None)
        if method is None:
            return []
        node = RouterNode(scope.path, scope.number, call.line, source_text(call) or word, scope.owner)
        self.nodes.setdefault(node, RouterFacts(kind, (), is_assumed=False))
        value = argument(call, method.prefix)
        prefix_value = value if value is not None else (JoinedText(paths) if paths else None)
        at = SourceRange(scope.path, call.line, call.line)
        prefixes = self.made_from_itself(node, parents) if is_cyclic else self.prefixes(prefix_value, scope)
        for parent in parents:
            self.hang(Mount(parent, node, prefixes, False, at))
        return [node]

    def serve(self, handler: ScopedValue) -> None:
        """Note that the routers a handler leads to are served."""
        for node, _ in self.routers_of_handler(handler):
            self._served |= {node, *self.self_made.get(node, ())}

    def _block_nodes(self, name: str, scope: Scope) -> list[RouterNode]:
        """The routers that a parameter holds because its function is handed to a method that makes them."""
        at, bindings = self._tracer.program.bindings(scope.path, scope.number, name)
        block = DefinitionRef(scope.path, at)
        if block not in self.blocks or not any(isinstance(binding, Argument) for binding in bindings):
            return []
        return [node for call in self.blocks[block] for node in self.routers(call)]

    def routers_of_handler(
        self, value: ScopedValue, depth: int = 0
    ) -> list[tuple[RouterNode, tuple[TextValue, ...] | None]]:
        """Routers that a handler leads to through its wrappers, each with the prefix that is stripped on the way."""
        self._wrappers = self._wrappers + 1 if depth else 0
        if depth and (self._wrappers > MOST_WRAPPERS or not self._may_handle(value)):
            return []
        nodes = self.routers(value)
        if nodes or depth > DEEPEST_WRAPPING:
            return [(node, None) for node in nodes]
        routers: list[tuple[RouterNode, tuple[TextValue, ...] | None]] = []
        for source in [value, *self._tracer.steps(value)]:
            if source != value and (routers := self.routers_of_handler(source, depth + 1)):
                break
            match source.expression if source == value else OPAQUE:
                case Attribute(base, word) if word in self.words.answering:
                    routers += self.routers_of_handler(ScopedValue(base, source.scope), depth + 1)
                case Call(function, arguments):
                    entity = self._tracer.types.of(function, source.scope.path, source.scope.number)
                    strips = isinstance(entity, External) and entity.dotted_name in self.words.strips
                    strip_prefixes = self.prefixes(arguments[0], source.scope) if strips else None
                    for inner in arguments:
                        rest = self.routers_of_handler(ScopedValue(inner, source.scope), depth + 1)
                        routers += [(node, strip_prefixes if strips else prefixes) for node, prefixes in rest]
            if routers:
                break
        return routers

    def _may_route(self, value: ScopedValue) -> bool:
        """Whether a value's type allows it to be a router: asked first, because following values is dear."""
        entity = self._tracer.types.of(value.expression, value.scope.path, value.scope.number)
        match entity:
            case Instance(path, number):
                return self.class_kind(DefinitionRef(path, number)) is not None
            case ExternalInstance(dotted_name) | External(dotted_name):
                return dotted_name.startswith(self.words.packages)
            case Collection() | Module() | DefinitionRef():
                return False
            case _:
                return True

    def _may_handle(self, value: ScopedValue) -> bool:
        """Whether a value may be a handler at all: constants and values of classes that answer nothing are none."""
        expression, scope = value
        if not isinstance(expression, Name | Attribute | Call):
            return False
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        match entity:
            case Instance():
                answers = (self._tracer.types.member(entity, word) for word in self.words.answering)
                return any(isinstance(answer, DefinitionRef) for answer in answers)
            case Collection() | Module():
                return False
            case _:
                return True

    def mount_handled(self, parents: list[RouterNode], value: ScopedValue, at: SourceRange) -> bool:
        """Mount the routers that a handler leads to; whether there are any."""
        routers = self.routers_of_handler(value)
        for parent in parents:
            for node, prefixes in routers:
                self.hang(Mount(parent, node, prefixes, False, at))
        return bool(routers)

    def _variable_node(self, name: str, entity: Entity | None, scope: Scope) -> RouterNode | None:
        """A package that has a router of its own, or a variable of which only the type is known."""
        kind: RouterClass | None = None
        if isinstance(entity, External):
            kind = self.words.package_routers.get(entity.dotted_name)
        elif isinstance(entity, ExternalInstance):
            kind = self.words.router_class(entity.dotted_name)
        if kind is None or not self._tracer.program.words.static_types:
            return None
        node = RouterNode(scope.path, 0, 0, plain(name))
        is_assumed = kind.is_application and not kind.must_be_served and isinstance(entity, ExternalInstance)
        self.nodes.setdefault(node, RouterFacts(kind, (), is_assumed=is_assumed))
        return node

    def _parameter_node(self, name: str, scope: Scope) -> RouterNode | None:
        """A parameter that no call fills is a node if its type, or failing that its name, says application."""
        at, bindings = self._tracer.program.bindings(scope.path, scope.number, name)
        parameter = next((binding for binding in bindings if isinstance(binding, Argument)), None)
        node: RouterNode | None
        if parameter is None:
            entity = self._tracer.types.of(Name(name), scope.path, scope.number)
            node = self._variable_node(name, entity, scope)
            if node is not None:
                return node
            is_current = isinstance(entity, External) and entity.dotted_name.endswith(".current_app")
            node = RouterNode(scope.path, 0, 0, name) if is_current else None
            kind: RouterClass | None = None
        else:
            parameter_node = RouterNode(scope.path, at, parameter.line, name)
            if parameter_node in self.nodes:
                return parameter_node
            entity = self._tracer.types.of(Name(name), scope.path, scope.number)
            kind = None
            if isinstance(entity, ExternalInstance):
                kind = self.words.router_class(entity.dotted_name)
            elif parameter.annotation is not None or name not in self.words.parameters:
                return None
            if kind is None and name not in self.words.parameters:
                return None
            node = RouterNode(scope.path, at, parameter.line, name)
        if node is not None:
            self.nodes.setdefault(
                node,
                RouterFacts(
                    kind, (), is_assumed=kind is None or (kind.is_application and not kind.must_be_served)
                ),
            )
        return node

    def _describe(self, node: RouterNode, kind: RouterClass, construction: ScopedValue) -> None:
        call, scope = construction
        if not isinstance(call, Call):
            return
        value = argument(call, kind.prefix)
        if value is None and kind.prefix_from_name and call.arguments:
            prefixes = tuple(
                TextValue(f"/{text.text}", text.dynamic)
                for text in self._tracer.texts(ScopedValue(call.arguments[0], scope))
            )
        else:
            prefixes = self.prefixes(value, scope) or ()
        version = self._version(argument(call, kind.version), scope)
        self.nodes[node] = RouterFacts(kind, prefixes, is_assumed=False, version=version)
        self.constructions[node] = (call, scope)
        parent = argument(call, kind.parent)
        if parent is not None:
            at = SourceRange(scope.path, call.line, call.line)
            for owner in self.routers(ScopedValue(parent, scope)):
                self.hang(Mount(owner, node, None, False, at))

    def _version(self, value: Expression | None, scope: Scope) -> TextValue | None:
        if isinstance(value, Constant):
            return None if value.text == "None" else TextValue(value.text, False)
        texts = self.prefixes(value, scope)
        return None if texts is None else (texts[0] if len(texts) == 1 else TextValue("", True))

    def prefixes(self, value: Expression | None, scope: Scope) -> tuple[TextValue, ...] | None:
        """The strings that a prefix may be; None where none is given, something unknown where it cannot be read."""
        if value is None:
            return None
        if not isinstance(value, StringLiteral) and value == Name("None"):
            return None
        texts = (
            TextValue("", True) if is_url(text.text) else text
            for text in self._tracer.texts(ScopedValue(value, scope))
        )
        return tuple(dict.fromkeys(texts)) or (TextValue("", True),)
