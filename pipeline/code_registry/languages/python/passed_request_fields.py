"""What a handler takes from a request that it is handed: Django and its REST framework, aiohttp, Starlette."""

import re
from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, Place
from pipeline.code_registry.facts import Attribute, CallSite, Items, Name
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.python.called_fields import Input, called_input
from pipeline.code_registry.languages.python.request_reads import RequestReader, RequestWords
from pipeline.code_registry.linking.fields import Reading
from pipeline.code_registry.linking.found_route import FoundRoute
from pipeline.code_registry.linking.program import Defined
from pipeline.code_registry.linking.traced import Traced
from pipeline.code_registry.linking.views import class_value

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
_DECLARED = ("serializer_class", "form_class")
_CHOOSERS = ("get_serializer_class", "get_serializer", "get_form_class", "get_form")
_UNKNOWN = Input((), complete=False)


class _Function(NamedTuple):
    """A function, and the names that the request has in it."""

    defined: Defined
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
        found = [_of_class(reading, route.handler)] if not bodiless else []
        readers: list[RequestReader] = []
    else:
        functions = _reached(reading, route.handler)
        readers = [RequestReader(reading, one.defined, _WORDS, one.request) for one in functions]
        found = [
            _handed(reading, one, site)
            for reader, one in zip(readers, functions, strict=True)
            for site in reader.handed_on()
        ]
        if any(_leaves(reading, reader, one) for reader, one in zip(readers, functions, strict=True)):
            found.append(_UNKNOWN)
    read = [field for reader in readers for field in reader.fields()]
    read += [field._replace(kind=FieldKind.BODY) for one in found for field in one.fields]
    for field in read:
        if not (bodiless and field.kind is FieldKind.BODY):
            fields.setdefault((field.kind, field.name), field)
    known = all(one.complete for one in found) and not any(_hides(reader) for reader in readers)
    return RequestFields(tuple(fields.values()), body_known=bodiless or known)


def _hides(reader: RequestReader) -> bool:
    """Whether a function takes the body as a whole, and nobody can see which keys it wants of it."""
    if not reader.body_is_read() or reader.handed_on():
        return False
    return not any(field.kind is FieldKind.BODY for field in reader.fields())


def _reached(reading: Reading, handler: Defined) -> list[_Function]:
    """The handler and the functions of the repository that it hands the request on to."""
    program = reading.program
    own = [argument.name for argument in program.definition(handler).arguments]
    first = own[1:2] if own[:1] == ["self"] else own[:1]
    found = [_Function(handler, frozenset(first))]
    layer = list(found)
    for _ in range(_DEPTH):
        below: list[_Function] = []
        for function in layer:
            reader = RequestReader(reading, function.defined, _WORDS, function.request)
            for site in reader.sites():
                called = reading.types.of(site.call.function, function.defined.path, site.scope)
                if isinstance(called, Defined) and not program.is_class(called):
                    bound = reading.tracer.bound(called, function.defined.path, site)
                    names = {
                        name
                        for name, values in bound.items()
                        if any(reader.is_request(v.expression) for v in values)
                    }
                    if names or _is_own(site):
                        below.append(_Function(called, frozenset(names)))
        known = {one.defined for one in found}
        layer = [one for one in dict.fromkeys(below) if one.defined not in known]
        found += layer
    return found


def _is_own(site: CallSite) -> bool:
    """Whether a method of the same object is called, which finds the request there."""
    return isinstance(site.call.function, Attribute) and site.call.function.base == Name("self")


def _handed(reading: Reading, function: _Function, site: CallSite) -> Input:
    """The fields of the form or serializer that is handed the body."""
    called = reading.types.of(site.call.function, function.defined.path, site.scope)
    if isinstance(called, Defined) and reading.program.is_class(called):
        return called_input(reading, called) or _UNKNOWN
    match site.call.function:
        case Attribute(Name("self"), "get_serializer"):
            owner = reading.program.enclosing_class(function.defined.path, site.scope)
            return (
                _of_class(reading, Defined(function.defined.path, owner)) if owner is not None else _UNKNOWN
            )
        case _:
            return _UNKNOWN


def _leaves(reading: Reading, reader: RequestReader, function: _Function) -> bool:
    """Whether the request itself goes where nobody can see what is read from it."""
    for site in reader.sites():
        values = [*site.call.arguments, *(value for _, value in site.call.keywords)]
        word = site.call.function.name if isinstance(site.call.function, Name | Attribute) else ""
        if word not in _HARMLESS and any(reader.is_request(value) for value in values):
            called = reading.types.of(site.call.function, function.defined.path, site.scope)
            if not isinstance(called, Defined):
                return True
    return False


def _of_class(reading: Reading, class_: Defined) -> Input:
    """What a class says that its inherited methods take: a serializer, a form, or fields of a table."""
    for name in _CHOOSERS:
        if isinstance(reading.types.member(class_, name), Defined):
            return _UNKNOWN
    for name in _DECLARED:
        value = class_value(reading.tracer, class_, name)
        if value is not None:
            entity = reading.types.of(value.expression, value.scope.path, value.scope.number)
            found = called_input(reading, entity) if isinstance(entity, Defined) else None
            return found or _UNKNOWN
    listed = class_value(reading.tracer, class_, "fields")
    if listed is None or not isinstance(listed.expression, Items):
        return _UNKNOWN
    return Input(tuple(_listed(reading, class_, listed)), complete=True)


def _listed(reading: Reading, class_: Defined, listed: Traced) -> list[FoundField]:
    """Names of a table's fields that a class lists."""
    line = reading.program.definition(class_).line
    place = Place(listed.scope.path, line, line)
    return [
        FoundField(text.text, FieldKind.BODY, place, None, None)
        for text in reading.tracer.texts(listed)
        if not text.dynamic
    ]
