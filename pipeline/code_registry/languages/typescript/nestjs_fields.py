"""What a NestJS handler takes from the request: read from the decorators of its parameters."""

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import Argument, Attribute, Call, Expression, Name, StringLiteral, last_word
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.typescript.models import decorators_of, model_of_type, shown_type
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.fields import Reading

_WHOLE_REQUEST = frozenset({"Req", "Request"})
_MARKERS = {
    "Body": FieldKind.BODY,
    "Query": FieldKind.QUERY,
    "Param": FieldKind.PATH,
    "Headers": FieldKind.HEADER,
    "UploadedFile": FieldKind.BODY,
    "UploadedFiles": FieldKind.BODY,
}


def read_nestjs_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Fields of the decorated parameters; a DTO gives its own fields."""
    fields: dict[tuple[FieldKind, str], FoundField] = {}
    if route.handler is None:
        return RequestFields((), body_known=False)
    is_complete = True
    for argument in reading.program.definition(route.handler).arguments:
        for decorator in decorators_of(argument.annotation):
            is_complete = is_complete and last_word(decorator, Call) not in _WHOLE_REQUEST
            parameter_fields, complete = _of_parameter(reading, route.handler, argument, decorator)
            is_complete = is_complete and complete
            for field in parameter_fields:
                fields.setdefault((field.kind, field.name), field)
    return RequestFields(tuple(fields.values()), is_complete)


def _of_parameter(
    reading: Reading, handler: DefinitionRef, argument: Argument, decorator: Expression
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
        return [FoundField(_upload(reading, handler) or argument.name, kind, place, type_, is_required)], True
    if arguments and isinstance(arguments[0], StringLiteral):
        return [FoundField(arguments[0].value, kind, place, type_, is_required)], True
    if kind is FieldKind.PATH:
        return [], True
    type_model = model_of_type(reading, type_, handler.path, handler.number)
    if type_model is None:
        return [], kind is not FieldKind.BODY
    return [
        field._replace(kind=kind) for field in type_model.fields
    ], type_model.complete or kind is not FieldKind.BODY


def _upload(reading: Reading, handler: DefinitionRef) -> str | None:
    """The field that a `FileInterceptor("field")` of the handler names."""
    for decorator in reading.program.definition(handler).decorators:
        for inner in decorator.arguments if isinstance(decorator, Call) else ():
            match inner:
                case Call(Name("FileInterceptor" | "FilesInterceptor"), (StringLiteral(name), *_)):
                    return name
    return None
