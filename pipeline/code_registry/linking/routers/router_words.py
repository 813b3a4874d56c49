"""Which files may say anything about routes, told from the facts of each alone: the others need not be opened for that."""

from collections.abc import Sequence

from pipeline.code_registry.facts import Attribute, Call, Constant, FileFacts, Name
from pipeline.code_registry.framework import ArgumentAt, Framework, MountMethod, RouteMethod
from pipeline.code_registry.linking.values.call_arguments import argument, computed_method


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
