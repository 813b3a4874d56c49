"""What the frameworks of a language say about routers, by the word at which somebody asks, and which files may speak of routes."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from pipeline.code_registry.facts import Attribute, Call, Constant, Expression, FileFacts, Name
from pipeline.code_registry.framework import Framework, RouterClass
from pipeline.code_registry.linking.values.call_arguments import argument, computed_method

_T = TypeVar("_T")


class RouterWords:
    """The declarations of all frameworks of a language, turned round: from a name in the code to who gave it a meaning.

    `table_makers`: router classes that take a table of routes; who makes one has to be asked of the types.
    """

    def __init__(self, frameworks: Sequence[Framework]) -> None:
        self.mounts = _by_name((item.name, (f, item)) for f in frameworks for item in f.mounts)
        self.routes = _by_name((item.name, (f, item)) for f in frameworks for item in f.routes)
        self.groups = _by_name((item.name, (f, item)) for f in frameworks for item in f.groups)
        self.subrouters = _by_name((item.name, (f, item)) for f in frameworks for item in f.subrouters)
        self.itself = _by_name((word, f) for f in frameworks for word in f.self_attributes)
        self.fluent = _by_name(
            (word, f)
            for f in frameworks
            if f.fluent
            for word in {m.name for m in f.mounts} | {r.name for r in f.routes} | f.chained_methods
        )
        kinds = [kind for framework in frameworks for kind in framework.routers]
        self.classes = {kind.name: kind for kind in kinds}
        self.by_package = {(package, kind.name): kind for kind in kinds for package in kind.packages}
        self.packages = tuple(sorted({package for package, _ in self.by_package}))
        self.package_routers = {
            package: router
            for framework in frameworks
            if (router := framework.package_router) is not None
            for package in router.packages
        }
        self.parameters = frozenset(word for framework in frameworks for word in framework.parameter_words)
        self.same = frozenset(word for framework in frameworks for word in framework.identity_methods)
        self.strips = frozenset(word for framework in frameworks for word in framework.strips)
        self.contexts = frozenset(word for framework in frameworks for word in framework.contexts)
        self.serves = dict(pair for framework in frameworks for pair in framework.serves)
        self.answering = frozenset(f.answering for f in frameworks if f.answering is not None)
        self.chains = [framework.chain for framework in frameworks if framework.chain is not None]
        self.table_makers = frozenset(kind.name for kind in kinds if kind.table is not None)
        styles = [framework.handler_lists for framework in frameworks if framework.handler_lists is not None]
        self._bare = frozenset(word for style in styles for word in style.decorators)
        self._attributes = frozenset(style.attribute for style in styles)
        takers = [(kind.name, kind.children) for kind in kinds if kind.children is not None]
        self._children = frozenset(children.keyword for _, children in takers)
        self._child_takers = frozenset(name for name, children in takers if children.spread)
        tables = [framework.tables for framework in frameworks if framework.tables is not None]
        self._names = {name for table in tables for name in (table.variable, table.root) if name is not None}
        self._arguments = _by_name(
            [(word, mount.child) for word, mounts in self.mounts.items() for _, mount in mounts]
            + [(word, r.handler) for word, routes in self.routes.items() for _, r in routes if r.handler]
            + [pair for table in tables for pair in table.methods]
        )

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


def _by_name(pairs: Iterable[tuple[str, _T]]) -> dict[str, list[_T]]:
    """All that goes by each name, in order."""
    groups: dict[str, list[_T]] = {}
    for name, item in pairs:
        groups.setdefault(name, []).append(item)
    return groups
