"""What a handler takes from a request that it is handed: Django and its REST framework, aiohttp, Starlette."""

import re
from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import Attribute, CallSite, Items, Name, last_word
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.python.called_fields import Input, called_input
from pipeline.code_registry.languages.python.request_reads import RequestReader, RequestWords
from pipeline.code_registry.linking.handlers.views import class_value
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.fields import Reading
from pipeline.code_registry.linking.values.traced import ScopedValue

_PATH_PARAMETER = re.compile(r"<(?:[^<>:]+:)?([A-Za-z_]\w*)>|\{([A-Za-z_]\w*)[^{}]*\}")
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_DEPTH = 2
"""Calls from the handler within which reads of the request are looked for."""
_WORDS = RequestWords(
    {
        **dict.fromkeys(("GET", "query_params", "query", "rel_url"), FieldKind.QUERY),
        **dict.fromkeys(("POST", "FILES", "data", "body"), FieldKind.BODY),
        **dict.fromkeys(("headers", "META"), FieldKind.HEADER),
        **dict.fromkeys(("COOKIES", "cookies"), FieldKind.COOKIE),
    },
    calls=frozenset({"json", "post", "form"}),
    whole=frozenset(
        {
            "POST",
            "FILES",
            "data",
            "body",
            "json",
            "post",
            "form",
            "read",
            "text",
            "content",
            "multipart",
            "stream",
        }
    ),
    of_object=True,
)
_HARMLESS = frozenset(
    {
        "render",
        "login",
        "logout",
        "authenticate",
        "get_current_site",
        "update_session_auth_hash",
        "print",
        "isinstance",
    }
    | {"success", "error", "info", "warning", "debug", "getattr", "hasattr", "setattr", "template_response"}
    | {
        "get_user",
        "get_session",
        "new_session",
        "remember",
        "forget",
        "authorized_userid",
        "check_permissions",
    }
)
_INPUT_ATTRIBUTES = ("serializer_class", "form_class")
_CHOOSERS = ("get_serializer_class", "get_serializer", "get_form_class", "get_form")
_UNKNOWN_INPUT = Input((), complete=False)


class _Function(NamedTuple):
    """A function, and the names that the request has in it."""

    ref: DefinitionRef
    request: frozenset[str]


def read_passed_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Keys that the handler reads, and the fields of what it hands the body to; unknown where that cannot be seen."""
    fields: dict[tuple[FieldKind, str], FoundField] = {}
    for names in _PATH_PARAMETER.findall(route.path):
        name = names[0] or names[1]
        fields[FieldKind.PATH, name] = FoundField(name, FieldKind.PATH, route.registered_at, None, True)
    bodiless = route.method in _BODILESS
    if route.handler is None:
        return RequestFields(tuple(fields.values()), body_known=bodiless)
    if reading.program.is_class(route.handler):
        inputs = [_of_class(reading, route.handler)] if not bodiless else []
        readers: list[RequestReader] = []
    else:
        functions = _reached_functions(reading, route.handler)
        readers = [RequestReader(reading, function.ref, _WORDS, function.request) for function in functions]
        inputs = [
            _input_of_callee(reading, function, site)
            for reader, function in zip(readers, functions, strict=True)
            for site in reader.handed_on()
        ]
        if any(
            _leaves(reading, reader, function) for reader, function in zip(readers, functions, strict=True)
        ):
            inputs.append(_UNKNOWN_INPUT)
    read = [field for reader in readers for field in reader.fields()]
    read += [field._replace(kind=FieldKind.BODY) for function in inputs for field in function.fields]
    for field in read:
        if not (bodiless and field.kind is FieldKind.BODY):
            fields.setdefault((field.kind, field.name), field)
    is_complete = all(function.complete for function in inputs) and not any(
        _hides(reader) for reader in readers
    )
    return RequestFields(tuple(fields.values()), body_known=bodiless or is_complete)


def _hides(reader: RequestReader) -> bool:
    """Whether a function takes the body as a whole, and nobody can see which keys it wants of it."""
    if not reader.body_is_read() or reader.handed_on():
        return False
    return not any(field.kind is FieldKind.BODY for field in reader.fields())


def _reached_functions(reading: Reading, handler: DefinitionRef) -> list[_Function]:
    """The handler and the functions of the repository that it hands the request on to."""
    program = reading.program
    argument_names = [argument.name for argument in program.definition(handler).arguments]
    first = argument_names[1:2] if argument_names[:1] == ["self"] else argument_names[:1]
    functions = [_Function(handler, frozenset(first))]
    layer = list(functions)
    for _ in range(_DEPTH):
        below: list[_Function] = []
        for function in layer:
            reader = RequestReader(reading, function.ref, _WORDS, function.request)
            for site in reader.sites():
                callee = reading.types.of(site.call.function, function.ref.path, site.scope)
                if isinstance(callee, DefinitionRef) and not program.is_class(callee):
                    bound = reading.tracer.bound(callee, function.ref.path, site)
                    names = {
                        name
                        for name, values in bound.items()
                        if any(reader.is_request(v.expression) for v in values)
                    }
                    if names or _is_own(site):
                        below.append(_Function(callee, frozenset(names)))
        refs = {callee_function.ref for callee_function in functions}
        layer = [
            callee_function for callee_function in dict.fromkeys(below) if callee_function.ref not in refs
        ]
        functions += layer
    return functions


def _is_own(site: CallSite) -> bool:
    """Whether a method of the same object is called, which finds the request there."""
    return isinstance(site.call.function, Attribute) and site.call.function.base == Name("self")


def _input_of_callee(reading: Reading, function: _Function, site: CallSite) -> Input:
    """The fields of the form or serializer that is handed the body."""
    callee = reading.types.of(site.call.function, function.ref.path, site.scope)
    if isinstance(callee, DefinitionRef) and reading.program.is_class(callee):
        return called_input(reading, callee) or _UNKNOWN_INPUT
    match site.call.function:
        case Attribute(Name("self"), "get_serializer"):
            owner = reading.program.enclosing_class(function.ref.path, site.scope)
            return (
                _of_class(reading, DefinitionRef(function.ref.path, owner))
                if owner is not None
                else _UNKNOWN_INPUT
            )
        case _:
            return _UNKNOWN_INPUT


def _leaves(reading: Reading, reader: RequestReader, function: _Function) -> bool:
    """Whether the request itself goes where nobody can see what is read from it."""
    for site in reader.sites():
        values = [*site.call.arguments, *(value for _, value in site.call.keywords)]
        word = last_word(site.call.function)
        if word not in _HARMLESS and any(reader.is_request(value) for value in values):
            callee = reading.types.of(site.call.function, function.ref.path, site.scope)
            if not isinstance(callee, DefinitionRef):
                return True
    return False


def _of_class(reading: Reading, class_: DefinitionRef) -> Input:
    """What a class says that its inherited methods take: a serializer, a form, or fields of a table."""
    for name in _CHOOSERS:
        if isinstance(reading.types.member(class_, name), DefinitionRef):
            return _UNKNOWN_INPUT
    for name in _INPUT_ATTRIBUTES:
        value = class_value(reading.tracer, class_, name)
        if value is not None:
            entity = reading.types.of(value.expression, value.scope.path, value.scope.number)
            declared_input = called_input(reading, entity) if isinstance(entity, DefinitionRef) else None
            return declared_input or _UNKNOWN_INPUT
    field_list = class_value(reading.tracer, class_, "fields")
    if field_list is None or not isinstance(field_list.expression, Items):
        return _UNKNOWN_INPUT
    return Input(tuple(_listed_fields(reading, class_, field_list)), complete=True)


def _listed_fields(reading: Reading, class_: DefinitionRef, field_list: ScopedValue) -> list[FoundField]:
    """Names of a table's fields that a class lists."""
    line = reading.program.definition(class_).line
    place = SourceRange(field_list.scope.path, line, line)
    return [
        FoundField(text.text, FieldKind.BODY, place, None, None)
        for text in reading.tracer.texts(field_list)
        if not text.dynamic
    ]
