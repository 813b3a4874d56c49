"""What a FastAPI handler takes from the request: read from its signature and its dependencies."""

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Alternatives,
    Argument,
    Attribute,
    Call,
    Constant,
    Expression,
    Items,
    Name,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.python.models import is_scalar, model
from pipeline.code_registry.linking.names.program import DefinitionRef, External, ExternalInstance, Instance
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.tracing import Tracer
from pipeline.code_registry.paths import path_parameters

_MARKERS = {
    "Query": FieldKind.QUERY,
    "Path": FieldKind.PATH,
    "Header": FieldKind.HEADER,
    "Cookie": FieldKind.COOKIE,
    "Body": FieldKind.BODY,
    "Form": FieldKind.BODY,
    "File": FieldKind.BODY,
}
_DEPENDENCIES = frozenset({"Depends", "Security", "FilterDepends"})
_SUPPLIED_TYPES = frozenset(
    {"Request", "Response", "WebSocket", "BackgroundTasks", "HTTPConnection", "SecurityScopes", "Session"}
)
_FILES = frozenset({"UploadFile"})
_SCALARS = frozenset(
    (
        "str int float bool bytes UUID UUID4 datetime date time timedelta Decimal Literal EmailStr "
        "HttpUrl AnyUrl AnyHttpUrl SecretStr Any Path"
    ).split()
)
_COLLECTIONS = frozenset({"list", "List", "set", "Set", "tuple", "Tuple", "Sequence", "frozenset"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping"})
_FORMS = frozenset({"OAuth2PasswordRequestForm", "OAuth2PasswordRequestFormStrict"})
_PASSWORD_FORM = ("grant_type", "username", "password", "scope", "client_id", "client_secret")
"""The form that FastAPI's own dependency reads (fastapi.security.OAuth2PasswordRequestForm)."""
_DEEPEST = 8


def read_fastapi_request(tracer: Tracer, route: FoundRoute) -> RequestFields:
    """Fields of the handler and of everything it depends on."""
    if route.handler is None:
        return RequestFields((), body_known=False)
    reader = _SignatureReader(tracer, frozenset(path_parameters(route.path)))
    reader.function(route.handler, 0)
    return reader.result()


class _SignatureReader:
    """Collects the fields of one route."""

    def __init__(self, tracer: Tracer, in_path: frozenset[str]) -> None:
        self._tracer = tracer
        self._in_path = in_path
        self._fields: dict[tuple[FieldKind, str], FoundField] = {}
        self._bodies: list[tuple[DefinitionRef, bool, FoundField]] = []
        self._known = True
        self._seen: set[DefinitionRef] = set()

    def result(self) -> RequestFields:
        """All fields; a single body model gives its own fields, several give theirs by parameter."""
        single = len(self._bodies) == 1 and not any(kind is FieldKind.BODY for kind, _ in self._fields)
        for function, is_spread, field in self._bodies:
            if single and is_spread:
                self._spread(function, field)
            else:
                self._add(field)
        return RequestFields(tuple(self._fields.values()), self._known)

    def function(self, function: DefinitionRef, depth: int) -> None:
        """Read a handler's or dependency's parameters."""
        if function in self._seen or depth > _DEEPEST:
            return
        self._seen.add(function)
        definition = self._tracer.program.definition(function)
        for decorator in definition.decorators:
            self._dependencies_in(decorator, function, depth)
        for argument in definition.arguments:
            if argument.kind == "plain" and argument.name not in {"self", "cls"}:
                self._argument(argument, function, depth)

    def _dependencies_in(self, decorator: Expression, function: DefinitionRef, depth: int) -> None:
        """`dependencies=[Depends(a)]` in the decorator of a handler."""
        if not isinstance(decorator, Call):
            return
        for key, value in decorator.keywords:
            if key == "dependencies" and isinstance(value, Items):
                for item in value.items:
                    if isinstance(item, Call) and last_word(item, Call) in _DEPENDENCIES and item.arguments:
                        self._dependency(item.arguments[0], function.path, function.number, depth)

    def _argument(self, argument: Argument, function: DefinitionRef, depth: int) -> None:
        annotation, path, scope = self._resolve_alias(argument.annotation, function)
        inner, markers = _split_annotated(annotation)
        marker = next((item for item in (argument.default, *markers) if _is_marker(item)), None)
        if isinstance(marker, Call) and last_word(marker, Call) in _DEPENDENCIES:
            target = marker.arguments[0] if marker.arguments else inner
            origin = (path, scope) if marker is not argument.default else (function.path, function.number)
            if target is not None:
                self._dependency(target, *origin, depth)
            return
        place = SourceRange(function.path, argument.line, argument.line)
        is_required = argument.default is None or (isinstance(marker, Call) and _has_no_default(marker))
        field = FoundField(argument.name, FieldKind.QUERY, place, argument.annotation, is_required)
        if argument.name in self._in_path:
            self._add(field._replace(kind=FieldKind.PATH))
        elif marker is not None:
            self._marked_argument(argument, function, marker, field)
        else:
            self._plain_argument(argument, function, inner, field)

    def _resolve_alias(
        self, annotation: Expression | None, function: DefinitionRef
    ) -> tuple[Expression | None, str, int]:
        if isinstance(annotation, Name | Attribute):
            alias = self._tracer.types.annotations.alias(annotation, function.path, function.number)
            if alias is not None:
                return alias
        return annotation, function.path, function.number

    def _dependency(self, target: Expression, path: str, scope: int, depth: int) -> None:
        entity = self._tracer.types.of(target, path, scope)
        if isinstance(entity, Instance):
            member = self._tracer.types.member(entity, "__call__")
            entity = member if isinstance(member, DefinitionRef) else None
        if isinstance(entity, External) and entity.dotted_name.rpartition(".")[2] in _FORMS:
            line = self._tracer.program.files[path].definitions[scope].line
            place = SourceRange(path, line, line)
            for name in _PASSWORD_FORM:
                self._add(FoundField(name, FieldKind.BODY, place, None, name in {"username", "password"}))
        if isinstance(target, Call):  # `Depends(query_of(Page))`: what is made from a model takes its fields
            for value in target.arguments:
                made_from = self._tracer.types.of(value, path, scope)
                if isinstance(made_from, DefinitionRef) and self._tracer.program.is_class(made_from):
                    self._query_of(made_from)
        if not isinstance(entity, DefinitionRef):
            return
        if not self._tracer.program.is_class(entity):
            self.function(entity, depth + 1)
            return
        constructor = self._tracer.types.member(entity, "__init__")
        if isinstance(constructor, DefinitionRef):
            self.function(constructor, depth + 1)
            return
        self._query_of(entity)

    def _query_of(self, class_: DefinitionRef) -> None:
        dependency_model = model(self._tracer, class_)
        for field in dependency_model.fields if dependency_model is not None else ():
            self._add(field._replace(kind=FieldKind.QUERY))

    def _marked_argument(
        self, argument: Argument, function: DefinitionRef, marker: Expression, field: FoundField
    ) -> None:
        word = last_word(marker, Call)
        kind = _MARKERS[word]
        alias = _keyword(marker, "alias")
        if isinstance(alias, StringLiteral):
            field = field._replace(name=alias.value)
        elif kind is FieldKind.HEADER:
            field = field._replace(name=argument.name.replace("_", "-"))
        field = field._replace(kind=kind)
        if word == "Body":
            is_model = isinstance(self._type_of(argument, function), Instance)
            is_spread = is_model and _keyword(marker, "embed") != Constant("True")
            self._bodies.append((function, is_spread, field))
        else:
            self._add(field)

    def _type_of(self, argument: Argument, function: DefinitionRef) -> object:
        if argument.annotation is None:
            return None
        return self._tracer.types.annotations.read(argument.annotation, function.path, function.number)

    def _plain_argument(
        self, argument: Argument, function: DefinitionRef, inner: Expression | None, field: FoundField
    ) -> None:
        """Without a marker: models and mappings are the body, scalars the query, the framework's own are given."""
        word, entity = _type_word(inner), self._type_of(argument, function)
        if isinstance(entity, Instance):
            is_body = not is_scalar(self._tracer, DefinitionRef(entity.path, entity.number))
        else:
            is_model = isinstance(entity, ExternalInstance) and word not in _SCALARS and word[:1].isupper()
            is_body = is_model or word in _MAPPINGS or word in _COLLECTIONS
        if word in _FILES:
            self._add(field._replace(kind=FieldKind.BODY))
        elif is_body and word not in _SUPPLIED_TYPES:
            self._bodies.append((function, True, field._replace(kind=FieldKind.BODY)))
        elif word not in _SUPPLIED_TYPES:
            self._add(field)

    def _spread(self, function: DefinitionRef, field: FoundField) -> None:
        """The fields of a body's model; a body without a model has undeclared fields."""
        entity = None
        if field.annotation is not None:
            entity = self._tracer.types.annotations.read(field.annotation, function.path, function.number)
        body_model = (
            model(self._tracer, DefinitionRef(entity.path, entity.number))
            if isinstance(entity, Instance)
            else None
        )
        if body_model is None:
            self._known = False
            return
        self._known = self._known and body_model.complete
        for inner in body_model.fields:
            self._add(inner._replace(kind=FieldKind.BODY))

    def _add(self, field: FoundField) -> None:
        self._fields.setdefault((field.kind, field.name), field)


def _split_annotated(annotation: Expression | None) -> tuple[Expression | None, tuple[Expression, ...]]:
    match annotation:
        case Subscript(Name("Annotated") | Attribute(_, "Annotated"), Items((inner, *metadata))):
            return inner, tuple(metadata)
        case _:
            return annotation, ()


def _is_marker(value: Expression | None) -> bool:
    return isinstance(value, Call) and (
        last_word(value, Call) in _MARKERS or last_word(value, Call) in _DEPENDENCIES
    )


def _type_word(annotation: Expression | None) -> str:
    match annotation:
        case Alternatives(options):
            return next((word for option in options if (word := _type_word(option))), "")
        case Subscript(Name("Optional"), index):
            return _type_word(index)
        case Subscript(base):
            return _type_word(base)
        case StringLiteral(value):
            return value.rpartition(".")[2]
        case _:
            return last_word(annotation, Call)


def _keyword(marker: Expression, name: str) -> Expression | None:
    keywords = marker.keywords if isinstance(marker, Call) else ()
    return next((value for key, value in keywords if key == name), None)


def _has_no_default(marker: Call) -> bool:
    if marker.arguments:
        return marker.arguments[0] == Constant("...")
    return not any(key in {"default", "default_factory"} for key, _ in marker.keywords)
