"""Follow values that are made from each other: a walk that ends where it began, and comes to each value once."""

from collections.abc import Callable, Hashable

from pipeline.code_registry.facts import Name
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.mounting import RouterNode
from pipeline.code_registry.linking.values.traced import ScopedValue

DEEPEST_DERIVATION = 40
"""Routers that are made from each other, as far as they are followed: `app.group("/a").group("/b")` is two."""


_Followed = tuple[int, str, int, DefinitionRef | None]
"""A value that is being followed: its expression, and its scope without the arguments."""


class ValueWalk:
    """Asks for the routers that a value may be, while the values are known that the question came through.

    A variable with many bindings, each made from another such variable, has very many ways to one router. So what a value
    came to is kept until the next question from outside, unless the walk was cut there: then it depends on the way.
    """

    def __init__(self, find: Callable[[ScopedValue], list[RouterNode]]) -> None:
        self._find = find
        self._following: list[_Followed] = []
        """Values that are being followed, outermost first."""
        self._cyclic: set[_Followed] = set()
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
    """Equal for values that come to the same routers: a variable is the same wherever its scope reads it."""
    expression, scope = value
    read = expression.name if isinstance(expression, Name) else id(expression)
    return read, scope.path, scope.number, scope.owner, scope.rebinding, id(scope.arguments)
