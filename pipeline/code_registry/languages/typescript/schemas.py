"""Fields of a schema that is built by calls: zod, TypeBox, Joi and yup, and plain JSON Schema."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pipeline.code_registry.facts import Attribute, Call, Expression, Items, Name, Pairs, Splat, StringLiteral
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, value_of_key
from pipeline.code_registry.linking.values.tracing import Tracer

_DEEPEST = 12
_PACKAGES = frozenset(
    {"zod", "@hono/zod-openapi", "typebox", "@sinclair/typebox", "@fastify/type-provider-typebox", "joi"}
    | {"@hapi/joi", "yup", "elysia", "celebrate"}
)
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
    value: ScopedValue
    required: bool


class Schema(NamedTuple):
    """The fields of a schema; not `complete` where more may be allowed. `line` is where it is built."""

    fields: tuple[SchemaField, ...]
    complete: bool
    path: str
    line: int

    def line_of(self, field: SchemaField) -> int:
        """The line that says what a field may be, or that of the schema; 0 where neither is known."""
        value = field.value.expression
        if isinstance(value, Call) and field.value.scope.path == self.path:
            return value.line or self.line
        return self.line


class SchemaReader:
    """Reads schemas through names, imports and the calls that make one from another."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def read(self, scoped_value: ScopedValue, depth: int = 0) -> Schema | None:
        """The schema that a value is; None if it is none that can be read."""
        if depth > _DEEPEST:
            return None
        expression, scope = scoped_value
        match expression:
            case Name() | Attribute():
                if isinstance(expression, Attribute) and expression.name in {"shape", "properties"}:
                    return self.read(ScopedValue(expression.base, scope), depth + 1)
                sources = [
                    s for s in self._tracer.sources(scoped_value, into_calls=False) if s != scoped_value
                ]
                schemas = [
                    schema for source in sources if (schema := self.read(source, depth + 1)) is not None
                ]
                return schemas[0] if len(schemas) == 1 else None  # a type may have the schema's own name
            case Call(Attribute(base, word)):
                return self._call_result(expression, base, word, scope, depth)
            case Pairs(items) if value_of_key(expression, "properties") is not None:
                inner = value_of_key(expression, "properties")
                del items
                return None if inner is None else self.shape(ScopedValue(inner, scope), 0, depth + 1)
            case _:
                return None

    def _call_result(
        self, call: Call, base: Expression, word: str, scope: Scope, depth: int
    ) -> Schema | None:
        first = call.arguments[0] if call.arguments else None
        if self._tracer.outside_word(base, scope, _PACKAGES):
            return self._library_result(call, word, first, scope, depth)
        base_schema = self.read(ScopedValue(base, scope), depth + 1)
        if base_schema is None or first is None:
            return base_schema
        if word in _ADDING:
            return _together([base_schema, self.shape(ScopedValue(first, scope), call.line, depth + 1)])
        if word in _MERGING:
            return _together([base_schema, self.read(ScopedValue(first, scope), depth + 1)])
        return _pick_or_omit(base_schema, word, first)

    def _library_result(
        self, call: Call, word: str, first: Expression | None, scope: Scope, depth: int
    ) -> Schema | None:
        """What a function of the library itself gives."""
        if word in _OBJECTS:
            if first is None:
                return Schema((), word == "object", scope.path, call.line)
            return self.shape(ScopedValue(first, scope), call.line, depth + 1)
        if first is None:
            return None
        if word in _JOINERS:
            parts = first.items if isinstance(first, Items) else call.arguments
            return _together([self.read(ScopedValue(part, scope), depth + 1) for part in parts])
        if word in _KEEPING | _DROPPING and len(call.arguments) > 1:
            base_schema = self.read(ScopedValue(first, scope), depth + 1)
            return None if base_schema is None else _pick_or_omit(base_schema, word, call.arguments[1])
        return self.read(ScopedValue(first, scope), depth + 1) if word in _WRAPPERS else None

    def shape(self, scoped_value: ScopedValue, line: int, depth: int) -> Schema | None:
        """The fields of a mapping from name to schema, with what is spread into it."""
        if depth > _DEEPEST:
            return None
        for expression, scope in [
            scoped_value,
            *self._tracer.sources(scoped_value, into_calls=False),
        ]:
            if not isinstance(expression, Pairs):
                continue
            fields: dict[str, SchemaField] = {}
            complete = True
            for key, value in expression.items:
                if isinstance(key, StringLiteral):
                    fields[key.value] = SchemaField(
                        key.value, ScopedValue(value, scope), not _may_be_left_out(value)
                    )
                    continue
                inner = value.value if isinstance(value, Splat) else None
                part = self._spread(ScopedValue(inner, scope), depth) if inner is not None else None
                complete = complete and part is not None and part.complete
                fields |= {field.name: field for field in part.fields} if part is not None else {}
            return Schema(tuple(fields.values()), complete, scope.path, line)
        return self.read(scoped_value, depth + 1)

    def _spread(self, scoped_value: ScopedValue, depth: int) -> Schema | None:
        schema = self.read(scoped_value, depth + 1)
        return schema if schema is not None else self.shape(scoped_value, 0, depth + 1)


def _together(parts: Iterable[Schema | None]) -> Schema | None:
    all_parts = list(parts)
    schemas = [part for part in all_parts if part is not None]
    if not schemas:
        return None
    fields = {field.name: field for part in schemas for field in part.fields}
    complete = len(schemas) == len(all_parts) and all(part.complete for part in schemas)
    return Schema(tuple(fields.values()), complete, schemas[0].path, schemas[0].line)


def _pick_or_omit(schema: Schema, word: str, names: Expression) -> Schema:
    """The fields that `pick` or `omit` leaves; other calls change none."""
    if word not in _KEEPING | _DROPPING:
        return schema
    field_names = set(names_in(names))
    fields = tuple(field for field in schema.fields if (field.name in field_names) == (word in _KEEPING))
    return schema._replace(fields=fields)


def names_in(value: Expression) -> Iterator[str]:
    """Names that are listed: `["a", "b"]`, `{a: true}`, `"a"`."""
    match value:
        case StringLiteral(name):
            yield name
        case Items(items):
            for item in items:
                yield from names_in(item)
        case Pairs(items):
            yield from (key.value for key, _ in items if isinstance(key, StringLiteral))
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
