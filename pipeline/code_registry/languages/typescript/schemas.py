"""Fields of a schema that is built by calls: zod, TypeBox, Joi and yup, and plain JSON Schema."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Expression,
    Items,
    Name,
    Pairs,
    Splat,
    Text,
)
from pipeline.code_registry.linking.call_arguments import keyed
from pipeline.code_registry.linking.fields import Reading
from pipeline.code_registry.linking.program import External
from pipeline.code_registry.linking.traced import Scope, Traced

_DEEPEST = 12
_PACKAGES = (
    "zod",
    "@hono/zod-openapi",
    "typebox",
    "@sinclair/typebox",
    "@fastify/type-provider-typebox",
    "joi",
)
_MORE_PACKAGES = ("@hapi/joi", "yup", "elysia", "celebrate")
_OBJECTS = frozenset({"object", "Object", "strictObject", "looseObject"})
_WRAPPERS = frozenset({"Optional", "optional", "Partial", "Required", "Readonly", "Strict", "preprocess"})
_JOINERS = frozenset({"Composite", "Intersect", "intersection"})
_ADDING = frozenset({"extend", "keys", "safeExtend", "augment"})
_MERGING = frozenset({"merge", "and", "concat"})
_KEEPING = frozenset({"pick", "Pick"})
_DROPPING = frozenset({"omit", "Omit"})


class SchemaField(NamedTuple):
    """A field of a schema, with the expression that says what it may be."""

    name: str
    value: Traced
    required: bool


class Schema(NamedTuple):
    """The fields of a schema; not `complete` where more may be allowed. `line` is where it is built."""

    fields: tuple[SchemaField, ...]
    complete: bool
    path: str
    line: int


class SchemaReader:
    """Reads schemas through names, imports and the calls that make one from another."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def read(self, traced: Traced, depth: int = 0) -> Schema | None:
        """The schema that a value is; None if it is none that can be read."""
        if depth > _DEEPEST:
            return None
        expression, scope = traced
        match expression:
            case Name() | Attribute():
                if isinstance(expression, Attribute) and expression.name in {"shape", "properties"}:
                    return self.read(Traced(expression.base, scope), depth + 1)
                found = [s for s in self._reading.tracer.sources(traced, into_calls=False) if s != traced]
                schemas = [schema for one in found if (schema := self.read(one, depth + 1)) is not None]
                return schemas[0] if len(schemas) == 1 else None  # a type may have the schema's own name
            case Call(Attribute(base, word)):
                return self._called(expression, base, word, scope, depth)
            case Pairs(items) if keyed(expression, "properties") is not None:
                inner = keyed(expression, "properties")
                del items
                return None if inner is None else self.shape(Traced(inner, scope), 0, depth + 1)
            case _:
                return None

    def _called(self, call: Call, base: Expression, word: str, scope: Scope, depth: int) -> Schema | None:
        first = call.arguments[0] if call.arguments else None
        if self._is_library(base, scope):
            return self._built(call, word, first, scope, depth)
        own = self.read(Traced(base, scope), depth + 1)
        if own is None or first is None:
            return own
        if word in _ADDING:
            return _together([own, self.shape(Traced(first, scope), call.line, depth + 1)])
        if word in _MERGING:
            return _together([own, self.read(Traced(first, scope), depth + 1)])
        return _chosen(own, word, first)

    def _built(
        self, call: Call, word: str, first: Expression | None, scope: Scope, depth: int
    ) -> Schema | None:
        """What a function of the library itself gives."""
        if word in _OBJECTS:
            if first is None:
                return Schema((), word == "object", scope.path, call.line)
            return self.shape(Traced(first, scope), call.line, depth + 1)
        if first is None:
            return None
        if word in _JOINERS:
            parts = first.items if isinstance(first, Items) else call.arguments
            return _together([self.read(Traced(part, scope), depth + 1) for part in parts])
        if word in _KEEPING | _DROPPING and len(call.arguments) > 1:
            own = self.read(Traced(first, scope), depth + 1)
            return None if own is None else _chosen(own, word, call.arguments[1])
        return self.read(Traced(first, scope), depth + 1) if word in _WRAPPERS else None

    def _is_library(self, base: Expression, scope: Scope) -> bool:
        entity = self._reading.types.of(base, scope.path, scope.number)
        return isinstance(entity, External) and entity.dotted.partition(".")[0] in _PACKAGES + _MORE_PACKAGES

    def shape(self, traced: Traced, line: int, depth: int) -> Schema | None:
        """The fields of a mapping from name to schema, with what is spread into it."""
        if depth > _DEEPEST:
            return None
        for expression, scope in [traced, *self._reading.tracer.sources(traced, into_calls=False)]:
            if not isinstance(expression, Pairs):
                continue
            fields: dict[str, SchemaField] = {}
            complete = True
            for key, value in expression.items:
                if isinstance(key, Text):
                    fields[key.value] = SchemaField(
                        key.value, Traced(value, scope), not _may_be_left_out(value)
                    )
                    continue
                inner = value.value if isinstance(value, Splat) else None
                part = self._spread(Traced(inner, scope), depth) if inner is not None else None
                complete = complete and part is not None and part.complete
                fields |= {field.name: field for field in part.fields} if part is not None else {}
            return Schema(tuple(fields.values()), complete, scope.path, line)
        return self.read(traced, depth + 1)

    def _spread(self, traced: Traced, depth: int) -> Schema | None:
        found = self.read(traced, depth + 1)
        return found if found is not None else self.shape(traced, 0, depth + 1)


def _together(parts: Iterable[Schema | None]) -> Schema | None:
    known = list(parts)
    found = [part for part in known if part is not None]
    if not found:
        return None
    fields = {field.name: field for part in found for field in part.fields}
    complete = len(found) == len(known) and all(part.complete for part in found)
    return Schema(tuple(fields.values()), complete, found[0].path, found[0].line)


def _chosen(own: Schema, word: str, names: Expression) -> Schema:
    """The fields that `pick` or `omit` leaves; other calls change none."""
    if word not in _KEEPING | _DROPPING:
        return own
    chosen = set(names_in(names))
    kept = tuple(field for field in own.fields if (field.name in chosen) == (word in _KEEPING))
    return own._replace(fields=kept)


def names_in(value: Expression) -> Iterator[str]:
    """Names that are listed: `["a", "b"]`, `{a: true}`, `"a"`."""
    match value:
        case Text(name):
            yield name
        case Items(items):
            for item in items:
                yield from names_in(item)
        case Pairs(items):
            yield from (key.value for key, _ in items if isinstance(key, Text))
        case Call(_, arguments):
            for argument in arguments:
                yield from names_in(argument)


def _may_be_left_out(value: Expression) -> bool:
    match value:
        case Call(Attribute(_, "optional" | "Optional" | "nullish" | "default")):
            return True
        case Call(Attribute(base, _)):
            return _may_be_left_out(base)
        case _:
            return False
