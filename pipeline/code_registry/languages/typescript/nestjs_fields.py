"""What a NestJS handler takes from the request: read from the decorators of its parameters."""

from pipeline.code_registry.entries import FieldKind, Place
from pipeline.code_registry.facts import Argument, Attribute, Call, Expression, Name, Text
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.typescript.models import decorators_of, model_of_type, shown_type
from pipeline.code_registry.languages.typescript.requests import path_parameters
from pipeline.code_registry.linking.fields import Reading
from pipeline.code_registry.linking.found_route import FoundRoute
from pipeline.code_registry.linking.program import Defined

_MARKERS = {
    "Body": FieldKind.BODY,
    "Query": FieldKind.QUERY,
    "Param": FieldKind.PATH,
    "Headers": FieldKind.HEADER,
    "UploadedFile": FieldKind.BODY,
    "UploadedFiles": FieldKind.BODY,
}
_WHOLE_REQUEST = frozenset({"Req", "Request"})
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})


def read_nestjs_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Fields of the decorated parameters; a DTO gives its own fields."""
    fields: dict[tuple[FieldKind, str], FoundField] = {}
    for name in path_parameters(route.path):
        fields[FieldKind.PATH, name] = FoundField(name, FieldKind.PATH, route.registered_at, None, True)
    if route.handler is None:
        return RequestFields(tuple(fields.values()), body_known=False)
    known = True
    for argument in reading.program.definition(route.handler).arguments:
        for decorator in decorators_of(argument.annotation):
            found, complete = _of_parameter(reading, route.handler, argument, decorator)
            known = known and complete
            for field in found:
                fields.setdefault((field.kind, field.name), field)
    known = known and not _reads_body(reading, route.handler)
    return RequestFields(tuple(fields.values()), known or route.method in _BODILESS)


def _of_parameter(
    reading: Reading, handler: Defined, argument: Argument, decorator: Expression
) -> tuple[list[FoundField], bool]:
    """The fields that a parameter with this decorator takes, and whether those are all."""
    match decorator:
        case Call(Name(word) | Attribute(_, word), arguments) if word in _MARKERS:
            kind = _MARKERS[word]
        case _:
            return [], True
    place = Place(handler.path, argument.line, argument.line)
    shown = shown_type(argument.annotation)
    required = argument.default is None
    if word.startswith("Uploaded"):
        return [FoundField(_upload(reading, handler) or argument.name, kind, place, shown, required)], True
    if arguments and isinstance(arguments[0], Text):
        return [FoundField(arguments[0].value, kind, place, shown, required)], True
    if kind is FieldKind.PATH:
        return [], True
    found = model_of_type(reading, shown, handler.path, handler.number)
    if found is None:
        return [], kind is not FieldKind.BODY
    return [field._replace(kind=kind) for field in found.fields], found.complete or kind is not FieldKind.BODY


def _upload(reading: Reading, handler: Defined) -> str | None:
    """The field that a `FileInterceptor("field")` of the handler names."""
    for decorator in reading.program.definition(handler).decorators:
        for inner in decorator.arguments if isinstance(decorator, Call) else ():
            match inner:
                case Call(Name("FileInterceptor" | "FilesInterceptor"), (Text(name), *_)):
                    return name
    return None


def _reads_body(reading: Reading, handler: Defined) -> bool:
    """Whether the handler asks the whole request for its body, past its parameters."""
    facts = reading.program.files[handler.path]
    requests = {
        argument.name
        for argument in reading.program.definition(handler).arguments
        for decorator in decorators_of(argument.annotation)
        if isinstance(decorator, Call)
        and isinstance(decorator.function, Name)
        and decorator.function.name in _WHOLE_REQUEST
    }
    bodies = [Attribute(Name(name), "body") for name in requests]
    used: list[Expression | None] = [item.value for item in facts.returns if item.scope == handler.number]
    used += [item.value for item in facts.assignments if item.scope == handler.number]
    used += [read.base for read in facts.reads if read.scope == handler.number]
    for site in facts.calls:
        if site.scope == handler.number:
            used += site.call.arguments
    return any(value in bodies for value in used)
