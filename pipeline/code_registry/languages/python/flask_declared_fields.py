"""What a Flask handler declares to take: parsers of Flask-RESTful and Flask-RESTX, and models that RESTX expects."""

from collections.abc import Iterator

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Constant,
    Expression,
    FileFacts,
    Items,
    Name,
    Pairs,
    StringLiteral,
)
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.tracing import Tracer

_PLACES = {
    "args": FieldKind.QUERY,
    "json": FieldKind.BODY,
    "form": FieldKind.BODY,
    "files": FieldKind.BODY,
    "headers": FieldKind.HEADER,
    "cookies": FieldKind.COOKIE,
}
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
_MODELS = frozenset({"model", "inherit", "clone"})


def read_flask_request(tracer: Tracer, route: FoundRoute) -> RequestFields:
    """The arguments of the parsers that the handler applies or expects, and the fields of the model that it expects.

    Only what is declared in the handler's own file is read.
    """
    if route.handler is None:
        return RequestFields((), body_known=False)
    fields = tuple(_declared_fields(tracer, route.handler, route.method))
    return RequestFields(fields, body_known=any(field.kind is FieldKind.BODY for field in fields))


def _declared_fields(tracer: Tracer, handler: DefinitionRef, method: str) -> Iterator[FoundField]:
    """An argument whose place is not said comes from the query of a request without a body, else from its body."""
    default = FieldKind.QUERY if method in _BODILESS else FieldKind.BODY
    facts = tracer.program.files[handler.path]
    for name in dict.fromkeys(_applied_names(tracer, handler, facts)):
        for site in facts.calls:
            match site.call:
                case Call(Attribute(Name(parser), "add_argument"), (StringLiteral(key), *_)) if (
                    parser == name
                ):
                    place = _at(handler, site.call.line)
                    kind = _place(site.call) or default
                    yield FoundField(key, kind, place, None, _is_required(site.call) or None)
        for assignment in facts.assignments:
            if assignment.target == name and assignment.scope == 0:
                yield from _of_model(assignment.value, handler)


def _applied_names(tracer: Tracer, handler: DefinitionRef, facts: FileFacts) -> Iterator[str]:
    """Names of the parsers and models that the handler's decorators expect or its body applies."""
    for decorator in tracer.program.definition(handler).decorators:
        match decorator:
            case Call(Attribute(_, "expect"), arguments):
                for argument in arguments:
                    inner = argument.items[0] if isinstance(argument, Items) and argument.items else argument
                    if isinstance(inner, Name):
                        yield inner.name
    for site in facts.calls:
        match site.call:
            case Call(Attribute(Name(parser), "parse_args")) if site.scope == handler.number:
                yield parser


def _of_model(value: Expression | None, handler: DefinitionRef) -> Iterator[FoundField]:
    match value:
        case Call(Attribute(_, word), (StringLiteral(_), *arguments), _, line) if word in _MODELS:
            for fields in arguments:
                if isinstance(fields, Pairs):
                    for key, description in fields.items:
                        if isinstance(key, StringLiteral):
                            yield FoundField(
                                key.value,
                                FieldKind.BODY,
                                _at(handler, line),
                                None,
                                _is_required(description) or None,
                            )


def _place(call: Call) -> FieldKind | None:
    location = dict(call.keywords).get("location")
    first = location.items[0] if isinstance(location, Items) and location.items else location
    return _PLACES.get(first.value) if isinstance(first, StringLiteral) else None


def _is_required(value: Expression) -> bool:
    return isinstance(value, Call) and dict(value.keywords).get("required") == Constant("True")


def _at(handler: DefinitionRef, line: int) -> SourceRange:
    return SourceRange(handler.path, line, line)
