"""Routers as nodes and mounts as edges: on which ways a router is reached, and with which prefix on each."""

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.code_registry.entries import Confidence, Place
from pipeline.code_registry.framework import Joining, RouterClass
from pipeline.code_registry.linking.tracing import Written

MOST_PATHS = 64
DEEPEST_MOUNTING = 50
"""Mounts one above the other that are followed; what is above them is an unknown prefix."""


class Node(NamedTuple):
    """A router, known by the place where it is made (or by the parameter that nobody fills)."""

    path: str
    scope: int
    line: int
    name: str


class RouterFacts(NamedTuple):
    """What is known of a node."""

    kind: RouterClass | None
    prefixes: tuple[Written, ...]
    assumed: bool
    version: Written | None = None


class Mount(NamedTuple):
    """`child` hangs at `parent`; `prefixes` are the values it may have, None where none is given."""

    parent: Node
    child: Node
    prefixes: tuple[Written, ...] | None
    replaces: bool
    at: Place


class Mounted(NamedTuple):
    """One way from a router up to where it ends: the prefix it has on that way."""

    prefix: str
    dynamic: bool
    confidence: Confidence
    top: Node
    mounts: tuple[Place, ...]
    version: Written | None = None


class MountGraph:
    """What is known of routers, and how they hang at each other."""

    def __init__(self) -> None:
        self.nodes: dict[Node, RouterFacts] = {}
        self.mounts: list[Mount] = []
        self._parents: dict[Node, list[Mount]] = {}
        self._served: set[Node] = set()

    def hang(self, mount: Mount) -> None:
        """Note a mount, once."""
        if mount.parent != mount.child and mount not in self.mounts:
            self.mounts.append(mount)
            self._parents.setdefault(mount.child, []).append(mount)

    def ways(self, node: Node) -> list[Mounted]:
        """Every way from a router to the top, nearest mounts first, with the prefix its routes get."""
        return [_versioned(way) for way in list(self._ways(node, ()))[:MOST_PATHS]]

    def _ways(self, node: Node, below: tuple[Node, ...]) -> Iterator[Mounted]:
        facts = self.nodes[node]
        parents = self._parents.get(node, [])
        if len(below) >= DEEPEST_MOUNTING:
            yield Mounted("", True, Confidence.UNMOUNTED, node, ())
            return
        if not parents:
            for own in facts.prefixes or (Written("", False),):
                yield self._top(node, facts, own)
            return
        for mount in sorted(parents, key=lambda m: (m.at.path, m.at.start_line)):
            if mount.parent in below or mount.parent == node:
                continue
            for upper in list(self._ways(mount.parent, (*below, node)))[:MOST_PATHS]:
                for own in _own_prefixes(facts, mount, self.joining(node)):
                    yield Mounted(
                        join(upper.prefix, own.text, self.joining(node)),
                        upper.dynamic or own.dynamic,
                        upper.confidence,
                        upper.top,
                        (mount.at, *upper.mounts),
                        facts.version or upper.version,
                    )

    def _top(self, node: Node, facts: RouterFacts, own: Written) -> Mounted:
        if facts.assumed:
            confidence = Confidence.ASSUMED
        elif (
            facts.kind is not None
            and facts.kind.is_application
            and (not facts.kind.served or node in self._served)
        ):
            confidence = Confidence.MOUNTED
        else:
            confidence = Confidence.UNMOUNTED
        dynamic = own.dynamic or confidence is Confidence.UNMOUNTED
        return Mounted(own.text, dynamic, confidence, node, (), facts.version)

    def joining(self, node: Node) -> Joining:
        """How prefix and path of a router's routes are joined."""
        kind = self.nodes[node].kind
        return kind.joining if kind is not None else Joining.SLASH


def _versioned(way: Mounted) -> Mounted:
    """A way whose prefix begins with the version of the innermost router that has one."""
    if way.version is None:
        return way
    text = f"/v{way.version.text}{way.prefix}" if way.version.text else way.prefix
    return way._replace(prefix=text, dynamic=way.dynamic or way.version.dynamic, version=None)


def _own_prefixes(facts: RouterFacts, mount: Mount, how: Joining) -> list[Written]:
    """The prefixes a mount gives: its own and the router's, or its own alone where it replaces that."""
    own = facts.prefixes or (Written("", False),)
    if mount.prefixes is None:
        return list(own)
    if mount.replaces:
        return list(mount.prefixes)
    return [Written(join(a.text, b.text, how), a.dynamic or b.dynamic) for a in mount.prefixes for b in own]


def join(prefix: str, path: str, how: Joining) -> str:
    """Prefix and path as one path."""
    if how is Joining.TRIMMED:
        return (
            f"{prefix.rstrip('/')}/{path.strip('/')}".rstrip("/") if path.strip("/") else prefix.rstrip("/")
        )
    if how is Joining.CONCATENATE or not prefix or not path:
        return prefix + path
    return f"{prefix.rstrip('/')}/{path.lstrip('/')}"
