"""What the frameworks of a language say about routers, by the word at which somebody asks."""

from collections.abc import Sequence

from pipeline.code_registry.facts import Attribute, Call, Expression
from pipeline.code_registry.framework import Framework, GroupMethod, RouterClass, SubrouterMethod


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
