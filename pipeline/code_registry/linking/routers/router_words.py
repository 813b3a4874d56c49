"""What the frameworks of a language say about routers, by the word at which somebody asks, and which files may speak of routes."""

from collections.abc import Sequence

from pipeline.code_registry.facts import Attribute, Call, Constant, Expression, FileFacts, Name
from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    GroupMethod,
    MountMethod,
    RouteMethod,
    RouterClass,
    SubrouterMethod,
)
from pipeline.code_registry.linking.values.call_arguments import argument, computed_method


class FrameworkWords:
    """The declarations of all frameworks of a language, turned round: from a name in the code to who gave it a meaning."""

    def __init__(self, frameworks: Sequence[Framework]) -> None:
        self.groups: dict[str, list[tuple[Framework, GroupMethod]]] = {}
        self.fluent: dict[str, list[Framework]] = {}
        for framework in frameworks:
            for group in framework.groups:
                self.groups.setdefault(group.name, []).append((framework, group))
            if framework.fluent:
                names = {mount.name for mount in framework.mounts} | {
                    route.name for route in framework.routes
                }
                for word in names | framework.chained_methods:
                    self.fluent.setdefault(word, []).append(framework)
        self.classes = {kind.name: kind for framework in frameworks for kind in framework.routers}
        self.by_package = {
            (package, kind.name): kind
            for framework in frameworks
            for kind in framework.routers
            for package in kind.packages
        }
        self.parameters = frozenset(word for framework in frameworks for word in framework.parameter_words)
        self.same = frozenset(word for framework in frameworks for word in framework.identity_methods)
        self.subrouters: dict[str, list[tuple[Framework, SubrouterMethod]]] = {}
        for framework in frameworks:
            for method in framework.subrouters:
                self.subrouters.setdefault(method.name, []).append((framework, method))
        self.chains = [framework.chain for framework in frameworks if framework.chain is not None]
        self.package_routers = {
            package: framework.package_router
            for framework in frameworks
            if framework.package_router is not None
            for package in framework.package_router.packages
        }
        self.packages = tuple(sorted({package for package, _ in self.by_package}))
        self.strips = frozenset(word for framework in frameworks for word in framework.strips)
        self.serves = dict(pair for framework in frameworks for pair in framework.serves)
        self.answering = frozenset(f.answering for f in frameworks if f.answering is not None)
        self.itself: dict[str, list[Framework]] = {}
        for framework in frameworks:
            for word in framework.self_attributes:
                self.itself.setdefault(word, []).append(framework)

    def router_class(self, dotted_name: str) -> RouterClass | None:
        """The router class of a dotted name from outside."""
        package, _, name = dotted_name.rpartition(".")
        return self.by_package.get((package, name)) or self.by_package.get(
            (dotted_name.partition(".")[0], name)
        )

    def unchain(
        self, expression: Expression
    ) -> tuple[Expression, tuple[Expression, ...], tuple[Expression, ...]]:
        """The router at the start of a chain of calls, the parts of the path, and the methods that the chain gives."""
        paths: tuple[Expression, ...] = ()
        verbs: tuple[Expression, ...] = ()
        at = expression
        words = {word for chain in self.chains for word in (*chain.paths, *chain.verbs, *chain.other_methods)}
        while isinstance(at, Call) and isinstance(at.function, Attribute) and at.function.name in words:
            word = at.function.name
            if any(word in chain.paths for chain in self.chains):
                paths = (*at.arguments[:1], *paths)
            elif any(word in chain.verbs for chain in self.chains):
                verbs = (*at.arguments, *verbs)
            at = at.function.base
        return at, paths, verbs


class RouterWords:
    """The names that frameworks give to methods that mount and register, to variables, and to settings.

    `mounts` and `routes` are the methods by name. `table_makers`: router classes that take a table of routes; who makes
    one has to be asked of the types.
    """

    def __init__(self, frameworks: Sequence[Framework]) -> None:
        self.mounts: dict[str, list[tuple[Framework, MountMethod]]] = {}
        self.routes: dict[str, list[tuple[Framework, RouteMethod]]] = {}
        self._arguments: dict[str, list[ArgumentAt]] = {}
        for framework in frameworks:
            for mount in framework.mounts:
                self.mounts.setdefault(mount.name, []).append((framework, mount))
                self._arguments.setdefault(mount.name, []).append(mount.child)
            for route in framework.routes:
                self.routes.setdefault(route.name, []).append((framework, route))
                if route.handler is not None:
                    self._arguments.setdefault(route.name, []).append(route.handler)
        styles = [framework.handler_lists for framework in frameworks if framework.handler_lists is not None]
        self._bare = frozenset(word for style in styles for word in style.decorators)
        self._attributes = frozenset(style.attribute for style in styles)
        self._children = frozenset(
            kind.children.keyword
            for framework in frameworks
            for kind in framework.routers
            if kind.children is not None
        )
        self._child_takers = frozenset(
            kind.name
            for framework in frameworks
            for kind in framework.routers
            if kind.children is not None and kind.children.spread
        )
        tables = [framework.tables for framework in frameworks if framework.tables is not None]
        for method, at in (pair for table in tables for pair in table.methods):
            self._arguments.setdefault(method, []).append(at)
        self._names = {name for table in tables for name in (table.variable, table.root) if name is not None}
        self.table_makers = frozenset(
            kind.name for framework in frameworks for kind in framework.routers if kind.table is not None
        )

    def may_be_in(self, facts: FileFacts) -> bool:
        """Whether a file has a name, a decorator, or a call with the arguments by which routes are registered."""
        return (
            any(self._may_register(site.call) for site in facts.calls)
            or any(item.target in self._names or self._is_method(item.value) for item in facts.assignments)
            or any(import_.local in self._names for import_ in facts.imports)
            or any(
                self._decorates(value) for definition in facts.definitions for value in definition.decorators
            )
        )

    def _may_register(self, call: Call) -> bool:
        # Asked of every call of a program: what costs least is asked first.
        function, values = call.function, call.arguments
        if isinstance(function, Attribute):
            word = function.name
            if word in self._arguments and any(
                argument(call, at) is not None for at in self._arguments[word]
            ):
                return True
            if isinstance(function.base, Attribute) and function.base.name in self._attributes:
                return True
            if word in self._child_takers and values and not isinstance(values[0], Constant):
                return True
        elif values and not isinstance(function, Name) and computed_method(call) is not None:
            return True
        if len(values) > 1:
            for value in values:
                if self._is_method(value):
                    return True
        return bool(call.keywords) and any(key in self._children for key, _ in call.keywords)

    def _decorates(self, decorator: object) -> bool:
        if word_of(decorator) in self.routes:
            return True
        function = decorator.function if isinstance(decorator, Call) else None
        if isinstance(function, Name | Attribute) and function.name in self._bare:
            return True
        return isinstance(decorator, Call) and any(self._is_method(value) for value in decorator.arguments)

    def _is_method(self, value: object) -> bool:
        return isinstance(value, Attribute) and (value.name in self.routes or value.name in self.mounts)


def word_of(call: object) -> str:
    """The name of the method that is called; none for another call."""
    return call.function.name if isinstance(call, Call) and isinstance(call.function, Attribute) else ""
