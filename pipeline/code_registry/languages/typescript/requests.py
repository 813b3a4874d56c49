"""What a handler takes from the request: from schemas at its registration, else from the keys that it reads."""

import re
from collections.abc import Iterator

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import Attribute, Call, Expression, Name, Pairs, StringLiteral, last_word
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.typescript.schemas import Schema, SchemaReader
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.call_arguments import value_of_key
from pipeline.code_registry.linking.values.fields import Reading
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue

_PATH_PARAMETER = re.compile(r"(?<=/):([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}")
_PARTS = {
    "body": FieldKind.BODY,
    "form": FieldKind.BODY,
    "json": FieldKind.BODY,
    "query": FieldKind.QUERY,
    "querystring": FieldKind.QUERY,
    "searchParams": FieldKind.QUERY,
    "params": FieldKind.PATH,
    "param": FieldKind.PATH,
    "headers": FieldKind.HEADER,
    "header": FieldKind.HEADER,
    "cookies": FieldKind.COOKIE,
    "cookie": FieldKind.COOKIE,
}
_BODY_CALLS = frozenset({"json", "formData", "parseBody", "file", "files", "parts", "text", "blob"})
_READ_CALLS = frozenset({"query", "queries", "param", "header"})
_CHECKS = frozenset(
    {"parse", "safeParse", "parseAsync", "safeParseAsync", "validate", "validateAsync", "validateSync"}
)
_NO_KEYS = _READ_CALLS | _BODY_CALLS | {"get", "entries", "has"}
"""Attributes of a request's parts that are no fields."""
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
_HARMLESS = frozenset({"log", "debug", "info", "isArray", "keys", "stringify", "validationResult"})


def read_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Fields of a route's request."""
    return _RequestReader(reading, route).result()


def path_parameters(path: str) -> tuple[str, ...]:
    """The parameters of a route's path: `:id` or `{id}`."""
    return tuple(colon_name or brace_name for colon_name, brace_name in _PATH_PARAMETER.findall(path))


class _RequestReader:
    """Collects the fields of one route."""

    def __init__(self, reading: Reading, route: FoundRoute) -> None:
        self._reading = reading
        self._route = route
        self._schemas = SchemaReader(reading)
        self._fields: dict[tuple[FieldKind, str], FoundField] = {}
        self._declared: bool | None = None
        for name in path_parameters(route.path):
            self._add(FoundField(name, FieldKind.PATH, route.registered_at, None, True))

    def result(self) -> RequestFields:
        """All fields. A declared body is the body; without one the keys count, unless the body is handed on."""
        bodiless = self._route.method in _BODILESS
        self._from_registration()
        handler = self._route.handler
        if handler is None:
            return RequestFields(tuple(self._fields.values()), bodiless or self._declared is True)
        scopes = {function.number for function in self._reading.program.nested_functions(handler)}
        self._from_checks(handler, scopes, bodiless=bodiless)
        escapes = self._from_reads(handler, scopes)
        is_complete = self._declared if self._declared is not None else not escapes
        fields = [f for f in self._fields.values() if not (bodiless and f.kind is FieldKind.BODY)]
        return RequestFields(tuple(fields), body_known=bodiless or is_complete)

    def _add(self, field: FoundField) -> None:
        self._fields.setdefault((field.kind, field.name), field)

    def _take(self, schema: Schema, kind: FieldKind) -> None:
        if kind is FieldKind.BODY:
            self._declared = schema.complete and self._declared is not False
        for field in schema.fields:
            value = field.value.expression
            own_line = value.line if isinstance(value, Call) and field.value.scope.path == schema.path else 0
            line = own_line or schema.line or self._route.registered_at.start_line
            self._add(
                FoundField(field.name, kind, SourceRange(schema.path, line, line), None, field.required)
            )

    def _from_registration(self) -> None:
        """Schemas in the options of a route, or handed to middleware that stands before the handler."""
        registration = self._route.registration
        if registration is None or not isinstance(registration.expression, Call):
            return
        scope = registration.scope
        for value in registration.expression.arguments:
            match value:
                case Pairs():
                    schema_value = value_of_key(value, "schema")
                    self._parts(ScopedValue(schema_value if schema_value is not None else value, scope))
                case Call(_, (StringLiteral(part), schema, *_)) if part in _PARTS:
                    self._declare(part, ScopedValue(schema, scope))
                case Call(Name(word) | Attribute(_, word), arguments):
                    for inner in arguments:
                        self._middleware_schema(word, ScopedValue(inner, scope))

    def _declare(self, part: str, scoped_value: ScopedValue) -> None:
        schema = self._schemas.read(scoped_value)
        if schema is not None:
            self._take(schema, _PARTS[part])
        elif _PARTS[part] is FieldKind.BODY:
            self._declared = False

    def _parts(self, scoped_value: ScopedValue) -> bool:
        """Schemas by part of the request: `{body: …, query: …}`, perhaps itself built as a schema."""
        has_parts = False
        sources = [scoped_value, *self._reading.tracer.sources(scoped_value, into_calls=False)]
        for expression, scope in sources:
            if isinstance(expression, Pairs):
                for key, value in expression.items:
                    if isinstance(key, StringLiteral) and key.value in _PARTS:
                        self._declare(key.value, ScopedValue(value, scope))
                        has_parts = True
                return has_parts
        whole = self._schemas.read(scoped_value)
        for field in whole.fields if whole is not None else ():
            if field.name in _PARTS:
                self._declare(field.name, field.value)
                has_parts = True
        return has_parts

    def _middleware_schema(self, word: str, scoped_value: ScopedValue) -> None:
        """A schema handed to middleware: by parts, or for the part that the middleware's name says."""
        if self._parts(scoped_value):
            return
        schema = self._schemas.read(scoped_value)
        if schema is None:
            return
        lower_word = word.lower()
        in_query = self._route.method in _BODILESS or "query" in lower_word
        kind = FieldKind.QUERY if in_query else FieldKind.PATH if "param" in lower_word else FieldKind.BODY
        self._take(schema, kind)

    def _from_checks(self, handler: DefinitionRef, scopes: set[int], *, bodiless: bool) -> None:
        """Schemas that the handler holds the request against."""
        arguments = self._reading.program.definition(handler).arguments
        request = Name(arguments[0].name) if arguments else None
        for site in self._reading.program.files[handler.path].calls:
            if site.scope not in scopes:
                continue
            call, scope = site.call, Scope(handler.path, site.scope)
            match call:
                case Call(Attribute(base, word), (value, *_)) if word in _CHECKS:
                    schema = self._schemas.read(ScopedValue(base, scope))
                    if schema is not None:
                        self._take(schema, self._checked_part(value, handler, bodiless=bodiless))
                case Call(_, given_arguments) if request is not None and request in given_arguments:
                    for value in given_arguments:
                        schema = None if value == request else self._schemas.read(ScopedValue(value, scope))
                        if schema is not None:
                            self._take(schema, FieldKind.QUERY if bodiless else FieldKind.BODY)

    def _checked_part(self, value: Expression, handler: DefinitionRef, *, bodiless: bool) -> FieldKind:
        kind = _part(value, self._aliases(handler, {handler.number}))
        if kind is not None:
            return kind
        return FieldKind.QUERY if bodiless else FieldKind.BODY

    def _from_reads(self, handler: DefinitionRef, scopes: set[int]) -> bool:
        """Keys that the handler reads; whether the whole body goes where nobody can say what it has."""
        facts = self._reading.program.files[handler.path]
        names = self._aliases(handler, scopes)
        for read in facts.reads:
            kind = _part(read.base, names) if read.scope in scopes else None
            is_declared = kind is FieldKind.BODY and self._declared is not None
            if kind is not None and not is_declared and read.key not in _NO_KEYS:
                place = SourceRange(handler.path, read.line, read.line)
                self._add(FoundField(read.key, kind, place, None, None))
        escapes = False
        for site in facts.calls:
            if site.scope in scopes:
                self._note_read(site.call, handler, names)
                escapes = escapes or _hands_on(site.call, names)
        is_returned = any(
            item.scope in scopes and _part(item.value, names) is FieldKind.BODY for item in facts.returns
        )
        is_stored = any(
            item.scope in scopes
            and item.value is not None
            and item.target not in names
            and _part(item.value, names) is FieldKind.BODY
            for item in facts.assignments
        )
        return escapes or is_returned or is_stored

    def _note_read(self, call: Call, handler: DefinitionRef, names: dict[str, FieldKind]) -> None:
        """`c.req.query("x")`, `searchParams.get("x")`."""
        match call:
            case Call(Attribute(Attribute(_, "req"), word), (StringLiteral(key), *_), _, line) if (
                word in _READ_CALLS
            ):
                kind = _PARTS.get("query" if word == "queries" else word)
            case Call(Attribute(base, "get" | "has" | "getAll"), (StringLiteral(key), *_), _, line):
                kind = _part(base, names)
            case _:
                return
        if kind is not None:
            self._add(FoundField(key, kind, SourceRange(handler.path, line, line), None, None))

    def _aliases(self, handler: DefinitionRef, scopes: set[int]) -> dict[str, FieldKind]:
        """Local names of parts of the request."""
        names: dict[str, FieldKind] = {}
        for item in self._reading.program.files[handler.path].assignments:
            if item.scope in scopes and item.value is not None:
                kind = _part(item.value, names)
                if kind is not None and item.target != "this":
                    names[item.target] = kind
        return names


def _part(expression: Expression, names: dict[str, FieldKind]) -> FieldKind | None:
    """Which part of the request an expression is, if it is one as a whole."""
    match expression:
        case Name(name):
            return names.get(name)
        case Attribute(Name() | Attribute(_, "request" | "req") as base, name) if _is_request(base):
            return _PARTS.get(name) if name not in {"json", "form", "header", "param", "cookie"} else None
        case Attribute(_, "searchParams"):
            return FieldKind.QUERY
        case Call(Attribute(base, word), arguments) if word in _BODY_CALLS and _is_request(base):
            return FieldKind.BODY if not arguments else None
        case Call(Attribute(base, "valid"), (StringLiteral(part), *_)) if _is_request(base):
            return _PARTS.get(part)
        case _:
            return None


def _is_request(base: Expression) -> bool:
    match base:
        case Name(name):
            return name in {"req", "request", "ctx", "context", "_req", "_request"}
        case Attribute(_, name):
            return name in {"req", "request"}
        case Call(Attribute(inner, "clone")):
            return _is_request(inner)
        case _:
            return False


def _hands_on(call: Call, names: dict[str, FieldKind]) -> bool:
    """Whether a call is given the whole body."""
    return last_word(call.function) not in _HARMLESS and any(
        _part(value, names) is FieldKind.BODY for value in _argument_values(call.arguments)
    )


def _argument_values(values: tuple[Expression, ...]) -> Iterator[Expression]:
    """Arguments, and what is written into a mapping among them."""
    for value in values:
        yield value
        if isinstance(value, Pairs):
            for _, inner in value.items:
                yield getattr(inner, "value", inner)
