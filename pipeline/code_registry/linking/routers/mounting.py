"""Routers as nodes of a graph whose edges are mounts, and a walk from values to routers."""

from collections.abc import Callable, Hashable, Iterator
from itertools import islice
from typing import NamedTuple

from pipeline.code_registry.entries import Confidence, SourceRange
from pipeline.code_registry.facts import Name
from pipeline.code_registry.framework import Framework, Joining, RouterClass
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.values.call_arguments import ScopedValue
from pipeline.code_registry.linking.values.tracing import TextValue

# How a route gets its whole path, by an example: `app.include_router(api)`, where `api` is `APIRouter(prefix="/api")`, and
# `api.include_router(orders, prefix="/orders")`, where `orders` has a route for "/{id}". Each call that makes a router is a
# node, each `include_router` an edge from child to parent with the prefixes that it adds. The path of a route is found by
# walking from its router upwards to a node without parents, and putting together what is on the way: "/api" of `api`,
# "/orders" of the mount, and "/{id}". A router that is mounted twice has two ways up, and its routes two paths.
# A way that does not end in an application is `UNMOUNTED`: a prefix may be missing, so the path is right by its tail only.

MOST_PATHS = 64
MOST_STEPS = 2_000
"""Routers that are looked at for the ways of one: routers that hang at each other in circles have too many ways to try all."""
DEEPEST_MOUNTING = 50
"""Mounts one above the other that are followed; what is above them is an unknown prefix."""


class RouterNode(NamedTuple):
    """A router, known by the place where it is made (or by the parameter that no call fills)."""

    path: str
    scope: int
    line: int
    name: str
    owner: DefinitionRef | None = None
    """The class of the instance that the router is made for, where the code that makes it is inherited."""


class RouterFacts(NamedTuple):
    """The known facts of a node."""

    kind: RouterClass | None
    prefixes: tuple[TextValue, ...]
    is_assumed: bool
    version: TextValue | None = None


class Mount(NamedTuple):
    """`child` hangs at `parent`; `prefixes` are the values it may have, None where none is given."""

    parent: RouterNode
    child: RouterNode
    prefixes: tuple[TextValue, ...] | None
    replaces: bool
    at: SourceRange


class MountPath(NamedTuple):
    """One way from a router up to where it ends: the prefix it has on that way."""

    prefix: str
    dynamic: bool
    confidence: Confidence
    top: RouterNode
    mounts: tuple[SourceRange, ...]
    version: TextValue | None = None


class MountGraph:
    """The known routers, and how they are mounted on each other."""

    def __init__(self) -> None:
        self.nodes: dict[RouterNode, RouterFacts] = {}
        self.mounts: dict[Mount, None] = {}
        """In the order in which they were found."""
        self._parents: dict[RouterNode, list[Mount]] = {}
        self._served: set[RouterNode] = set()
        self._steps = 0
        self.self_made: dict[RouterNode, frozenset[RouterNode]] = {}
        """Routers that are made from what their own variable held before, and those that it held."""

    def hang(self, mount: Mount) -> None:
        """Note a mount, once."""
        if mount.parent != mount.child and mount not in self.mounts:
            self.mounts[mount] = None
            self._parents.setdefault(mount.child, []).append(mount)

    def speaks(self, framework: Framework, node: RouterNode) -> bool:
        """Whether a router is of this framework; one that is only assumed fits all."""
        kind = self.nodes[node].kind
        return kind is None or any(kind == router_class for router_class in framework.routers)

    def made_from_itself(self, node: RouterNode, parents: list[RouterNode]) -> tuple[TextValue, ...]:
        """Note that a router takes the place of those that it is made from; gives its prefix, which is unknown."""
        self.self_made[node] = self.self_made.get(node, frozenset()) | set(parents) - {node}
        return (TextValue("", True),)

    def ways(self, node: RouterNode) -> list[MountPath]:
        """Every way from a router to the top, nearest mounts first, with the prefix its routes get."""
        self._steps = 0
        return [_with_version(way) for way in islice(self._ways(node, ()), MOST_PATHS)]

    def _ways(self, node: RouterNode, below: tuple[RouterNode, ...]) -> Iterator[MountPath]:
        facts = self.nodes[node]
        parents = self._parents.get(node, [])
        self._steps += 1
        if len(below) >= DEEPEST_MOUNTING or self._steps > MOST_STEPS:
            yield MountPath("", True, Confidence.UNMOUNTED, node, ())
            return
        if not parents:
            for own_prefix in facts.prefixes or (TextValue("", False),):
                yield self._top(node, facts, own_prefix)
            return
        for mount in sorted(parents, key=lambda m: (m.at.path, m.at.start_line)):
            if mount.parent in below or mount.parent == node:
                continue
            for upper in islice(self._ways(mount.parent, (*below, node)), MOST_PATHS):
                for own_prefix in _own_prefixes(facts, mount, self.joining(node)):
                    yield MountPath(
                        join(upper.prefix, own_prefix.text, self.joining(node)),
                        upper.dynamic or own_prefix.dynamic,
                        upper.confidence,
                        upper.top,
                        (mount.at, *upper.mounts),
                        facts.version or upper.version,
                    )

    def _top(self, node: RouterNode, facts: RouterFacts, own_prefix: TextValue) -> MountPath:
        if facts.is_assumed:
            confidence = Confidence.ASSUMED
        elif (
            facts.kind is not None
            and facts.kind.is_application
            and (not facts.kind.must_be_served or node in self._served)
        ):
            confidence = Confidence.MOUNTED
        else:
            confidence = Confidence.UNMOUNTED
        dynamic = own_prefix.dynamic or confidence is Confidence.UNMOUNTED
        return MountPath(own_prefix.text, dynamic, confidence, node, (), facts.version)

    def joining(self, node: RouterNode) -> Joining:
        """How prefix and path of a router's routes are joined."""
        kind = self.nodes[node].kind
        return kind.joining if kind is not None else Joining.SLASH


def _with_version(way: MountPath) -> MountPath:
    """A way whose prefix begins with the version of the innermost router that has one."""
    if way.version is None:
        return way
    text = f"/v{way.version.text}{way.prefix}" if way.version.text else way.prefix
    return way._replace(prefix=text, dynamic=way.dynamic or way.version.dynamic, version=None)


def _own_prefixes(facts: RouterFacts, mount: Mount, how: Joining) -> list[TextValue]:
    """The prefixes a mount gives: its own and the router's, or its own alone where it replaces that."""
    own_texts = facts.prefixes or (TextValue("", False),)
    if mount.prefixes is None:
        return list(own_texts)
    if mount.replaces:
        return list(mount.prefixes)
    return [
        TextValue(join(a.text, b.text, how), a.dynamic or b.dynamic)
        for a in mount.prefixes
        for b in own_texts
    ]


def join(prefix: str, path: str, how: Joining) -> str:
    """Prefix and path as one path."""
    if how is Joining.TRIMMED:
        return (
            f"{prefix.rstrip('/')}/{path.strip('/')}".rstrip("/") if path.strip("/") else prefix.rstrip("/")
        )
    if how is Joining.CONCATENATE or not prefix or not path:
        return prefix + path
    return f"{prefix.rstrip('/')}/{path.lstrip('/')}"


DEEPEST_DERIVATION = 40
"""The longest chain of routers made from each other that is followed: `app.group("/a").group("/b")` is two."""


_FollowedValue = tuple[int, str, int, DefinitionRef | None]
"""A value that is being followed: its expression, and its scope without the arguments."""


class ValueWalk:
    """Asks for the routers that a value may be, while the values are known that the question came through.

    A variable with many bindings, each made from another such variable, has very many ways to one router. So what a value
    came to is kept until the next question from outside, unless the walk was cut there: then it depends on the way.
    """

    def __init__(self, find: Callable[[ScopedValue], list[RouterNode]]) -> None:
        self._find = find
        self._following: list[_FollowedValue] = []
        """Values that are being followed, outermost first."""
        self._cyclic: set[_FollowedValue] = set()
        """Those of them that led to themselves."""
        self._found: dict[tuple[Hashable, ...], tuple[ScopedValue, list[RouterNode]]] = {}
        """With the values, so that their identities stay theirs."""
        self._cuts = 0
        """How often the walk ended at a value that is being followed, or too deep."""

    def follow(self, value: ScopedValue) -> tuple[list[RouterNode], bool]:
        """The routers that a value may be, and whether the value led to itself.

        After `r := New()` and, in a branch, `r = r.PathPrefix(p).Subrouter()`, the second `r` is made from either. The
        walk ends at a value that it is following already. The variable then stands for the subrouter alone, and the
        prefix of that is unknown: a path below it is right by its tail and never absolute.
        """
        key = (id(value.expression), value.scope.path, value.scope.number, value.scope.owner)
        if key in self._following:
            self._cuts += 1
            self._cyclic.update(self._following[self._following.index(key) :])
            return [], True
        if len(self._following) > DEEPEST_DERIVATION:
            self._cuts += 1
            return [], False
        if not self._following:
            self._found.clear()
        found_key = _found_key(value)
        if found_key in self._found:
            return self._found[found_key][1], False
        cuts = self._cuts
        self._following.append(key)
        try:
            nodes = self._find(value)
        finally:
            self._following.pop()
            is_cyclic = key in self._cyclic
            self._cyclic.discard(key)
        if cuts == self._cuts:
            self._found[found_key] = (value, nodes)
        return nodes, is_cyclic


def _found_key(value: ScopedValue) -> tuple[Hashable, ...]:
    """Equal for values that lead to the same routers: a variable is the same wherever its scope reads it."""
    expression, scope = value
    read = expression.name if isinstance(expression, Name) else id(expression)
    return read, scope.path, scope.number, scope.owner, scope.rebinding, id(scope.arguments)
