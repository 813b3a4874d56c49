"""Statements in loops: `for path, handler in ROUTES: app.get(path, handler)` is read once for each row of the table."""

from collections.abc import Iterator, Mapping

from msgspec.structs import astuple

from pipeline.code_registry.facts import Assignment, Attribute, Call, Expression, Fact, Name, Subscript
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer

MOST_PASSES = 2_000
"""Passes of all loops around a statement together that are read."""
DEEPEST = 4
"""Loops inside each other that are followed."""


# `for row in ROUTES: path, handler = row; app.get(path, handler)` is read like this. For each name of the statement the last
# assignment above it counts (`_binding`): `path` and `handler` are parts of `row`, and a loop binds `row`. So `row` is asked
# first, which gives one scope for each element of ROUTES, and in each of them `path` and `handler` are parts of that element:
# values of one pass stay together. Names of two loops, one inside the other, give the product of both, up to MOST_PASSES.


class Loops:
    """Reads statements pass by pass."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._program = tracer.program

    def scopes(self, call: Call, scope: Scope) -> list[Scope]:
        """The scopes to read a statement in: one for each pass of the loops that it depends on, or its own."""
        return self._passes(call, scope, call.line, DEEPEST)

    def names_in(self, call: Call, path: str, index: int) -> set[str]:
        """The names that a statement speaks of, and those that its loops go over."""
        names = set(names_in(call))
        for _ in range(DEEPEST):
            bindings = [self._binding(name, path, index, call.line, DEEPEST) for name in names]
            further = {
                name for binding in bindings if binding is not None for name in names_in(binding.value)
            }
            if further <= names:
                break
            names |= further
        return names

    def _passes(self, expression: Expression, scope: Scope, line: int, depth: int) -> list[Scope]:
        scopes = [scope]
        for name in dict.fromkeys(names_in(expression)) if depth else ():
            scopes = [inner for outer in scopes for inner in self._by_name(name, outer, line, depth)]
            scopes = scopes[:MOST_PASSES]
        return scopes

    def _by_name(self, name: str, scope: Scope, line: int, depth: int) -> list[Scope]:
        """A scope for each value that a name has, where a loop binds it or something that it is taken from."""
        if scope.arguments is not None and name in scope.arguments:
            return [scope]
        binding = self._binding(name, scope.path, scope.number, line, DEEPEST)
        if binding is None or binding.value is None:
            return [scope]
        outside = self._passes(binding.value, scope, binding.line, depth - 1)
        if binding.mode in {"part", "assign"}:
            return [_with(outer, {name: ScopedValue(binding.value, outer)}) for outer in outside]
        return [i for outer in outside for i in self._each_pass(binding, binding.value, outer)] or [scope]

    def _each_pass(self, binding: Assignment, collection: Expression, scope: Scope) -> Iterator[Scope]:
        """One scope for each element of what a loop goes over; key and value of a mapping belong together."""
        over = ScopedValue(collection, scope)
        beside = self._beside(binding, scope)
        if beside:
            for key, value in self._tracer.pairs(over):
                yield _with(
                    scope,
                    {
                        binding_beside.target: key if binding_beside.mode == "key" else value
                        for binding_beside in beside
                    },
                )
            if binding.mode == "key" or self._tracer.pairs(over):
                return
        for element in self._tracer.elements(over):
            yield _with(scope, {binding.target: element})

    def _beside(self, binding: Assignment, scope: Scope) -> list[Assignment]:
        """What else the loop binds, if it binds a key: the loop's variables stand on one line."""
        loop_bindings = [
            item
            for names in self._program.own_names(scope.path, binding.scope).values()
            for item in names
            if isinstance(item, Assignment)
            and item.mode in {"key", "each"}
            and (item.line, item.value) == (binding.line, binding.value)
        ]
        return loop_bindings if any(item.mode == "key" for item in loop_bindings) else []

    def _binding(self, name: str, path: str, index: int, line: int, depth: int) -> Assignment | None:
        """The last binding of a name above a line, if it is a loop's, or takes something from what a loop binds."""
        _, bindings = self._program.bindings(path, index, name)
        above = [item for item in bindings if isinstance(item, Assignment) and item.line <= line]
        last = max(above, key=lambda item: item.line, default=None)
        if last is None or last.mode in {"each", "key"}:
            return last
        return last if last.mode in {"part", "assign"} and self._is_taken(last, path, depth) else None

    def _is_taken(self, item: Assignment, path: str, depth: int) -> bool:
        """Whether a value is taken from a loop's variable: `path = route.path`, `a, b = route`."""
        base = item.value
        while isinstance(base, Attribute | Subscript):
            base = base.base
        if base is item.value or not isinstance(base, Name) or base.name == item.target or not depth:
            return False
        return self._binding(base.name, path, item.scope, item.line, depth - 1) is not None


def _with(scope: Scope, values: Mapping[str, ScopedValue]) -> Scope:
    handed_in = {name: (value,) for name, value in values.items()}
    arguments = {**(scope.arguments or {}), **handed_in}
    return scope._replace(arguments=arguments, rebinding=scope.rebinding | frozenset(values))


def names_in(expression: object) -> Iterator[str]:
    """Every bare name in an expression."""
    if isinstance(expression, Name):
        yield expression.name
    elif isinstance(expression, Fact | tuple):
        parts = expression if isinstance(expression, tuple) else astuple(expression)
        for part in parts:
            yield from names_in(part)
