"""What a handler declares to take from the request: schemas, and the decorators of NestJS parameters."""

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Argument,
    Attribute,
    Call,
    Expression,
    Name,
    Pairs,
    StringLiteral,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.typescript.models import decorators_of, model_of_type, shown_type
from pipeline.code_registry.languages.typescript.schemas import Schema, SchemaReader
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, value_of_key
from pipeline.code_registry.linking.values.tracing import Tracer

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
_CHECKS = frozenset(
    {"parse", "safeParse", "parseAsync", "safeParseAsync", "validate", "validateAsync", "validateSync"}
)
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})


def read_request(tracer: Tracer, route: FoundRoute) -> RequestFields:
    """Fields of a route's request."""
    return _RequestReader(tracer, route).result()


class _RequestReader:
    """Collects the fields of one route."""

    def __init__(self, tracer: Tracer, route: FoundRoute) -> None:
        self._tracer = tracer
        self._route = route
        self._schemas = SchemaReader(tracer)
        self._fields: dict[tuple[FieldKind, str], FoundField] = {}
        self._declared: bool | None = None

    def result(self) -> RequestFields:
        """All fields that are declared; without a declared body, it is unknown."""
        self._from_registration()
        if self._route.handler is not None:
            functions = self._tracer.program.nested_functions(self._route.handler)
            self._from_checks(self._route.handler, {function.number for function in functions})
        return RequestFields(tuple(self._fields.values()), self._declared is True)

    def _add(self, field: FoundField) -> None:
        self._fields.setdefault((field.kind, field.name), field)

    def _take(self, schema: Schema, kind: FieldKind) -> None:
        if kind is FieldKind.BODY:
            self._declared = schema.complete and self._declared is not False
        for field in schema.fields:
            line = schema.line_of(field) or self._route.registered_at.start_line
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
        sources = [scoped_value, *self._tracer.sources(scoped_value, into_calls=False)]
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

    def _from_checks(self, handler: DefinitionRef, scopes: set[int]) -> None:
        """Schemas that the handler holds the request against."""
        arguments = self._tracer.program.definition(handler).arguments
        request = Name(arguments[0].name) if arguments else None
        for site in self._tracer.program.files[handler.path].calls:
            if site.scope not in scopes:
                continue
            call, scope = site.call, Scope(handler.path, site.scope)
            match call:
                case Call(Attribute(base, word), (value, *_)) if word in _CHECKS:
                    schema = self._schemas.read(ScopedValue(base, scope))
                    if schema is not None:
                        self._take(schema, self._checked_part(value))
                case Call(_, given_arguments) if request is not None and request in given_arguments:
                    for value in given_arguments:
                        schema = None if value == request else self._schemas.read(ScopedValue(value, scope))
                        if schema is not None:
                            self._take(schema, self._checked_part(request))

    def _checked_part(self, value: Expression) -> FieldKind:
        """The part of the request that a value is: by its last word, else by what the method carries."""
        default = FieldKind.QUERY if self._route.method in _BODILESS else FieldKind.BODY
        return _PARTS.get(last_word(value, Call), default)


_WHOLE_REQUEST = frozenset({"Req", "Request"})
_MARKERS = {
    "Body": FieldKind.BODY,
    "Query": FieldKind.QUERY,
    "Param": FieldKind.PATH,
    "Headers": FieldKind.HEADER,
    "UploadedFile": FieldKind.BODY,
    "UploadedFiles": FieldKind.BODY,
}


def read_nestjs_request(tracer: Tracer, route: FoundRoute) -> RequestFields:
    """Fields of the decorated parameters; a DTO gives its own fields."""
    fields: dict[tuple[FieldKind, str], FoundField] = {}
    if route.handler is None:
        return RequestFields((), body_known=False)
    is_complete = True
    for argument in tracer.program.definition(route.handler).arguments:
        for decorator in decorators_of(argument.annotation):
            is_complete = is_complete and last_word(decorator, Call) not in _WHOLE_REQUEST
            parameter_fields, complete = _of_parameter(tracer, route.handler, argument, decorator)
            is_complete = is_complete and complete
            for field in parameter_fields:
                fields.setdefault((field.kind, field.name), field)
    return RequestFields(tuple(fields.values()), is_complete)


def _of_parameter(
    tracer: Tracer, handler: DefinitionRef, argument: Argument, decorator: Expression
) -> tuple[list[FoundField], bool]:
    """The fields that a parameter with this decorator takes, and whether those are all."""
    match decorator:
        case Call(Name(word) | Attribute(_, word), arguments) if word in _MARKERS:
            kind = _MARKERS[word]
        case _:
            return [], True
    place = SourceRange(handler.path, argument.line, argument.line)
    type_ = shown_type(argument.annotation)
    is_required = argument.default is None
    if word.startswith("Uploaded"):
        return [FoundField(_upload(tracer, handler) or argument.name, kind, place, type_, is_required)], True
    if arguments and isinstance(arguments[0], StringLiteral):
        return [FoundField(arguments[0].value, kind, place, type_, is_required)], True
    if kind is FieldKind.PATH:
        return [], True
    type_model = model_of_type(tracer, type_, handler.path, handler.number)
    if type_model is None:
        return [], kind is not FieldKind.BODY
    fields = [field._replace(kind=kind) for field in type_model.fields]
    return fields, type_model.complete or kind is not FieldKind.BODY


def _upload(tracer: Tracer, handler: DefinitionRef) -> str | None:
    """The field that a `FileInterceptor("field")` of the handler names."""
    for decorator in tracer.program.definition(handler).decorators:
        for inner in decorator.arguments if isinstance(decorator, Call) else ():
            match inner:
                case Call(Name("FileInterceptor" | "FilesInterceptor"), (StringLiteral(name), *_)):
                    return name
    return None
