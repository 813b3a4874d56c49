"""What a Flask handler takes from the request: read from the keys it asks `request` for."""

import re

from pipeline.code_registry.entries import FieldKind
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.python.flask_declared_fields import declared_fields, namespaces
from pipeline.code_registry.languages.python.request_reads import RequestReader, RequestWords
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.fields import Reading

_PATH_PARAMETER = re.compile(r"<(?:[^<>:]+:)?([A-Za-z_]\w*)>")
_ATTRIBUTES = {
    "args": FieldKind.QUERY,
    "form": FieldKind.BODY,
    "json": FieldKind.BODY,
    "files": FieldKind.BODY,
    "headers": FieldKind.HEADER,
    "cookies": FieldKind.COOKIE,
}
_WORDS = RequestWords(
    _ATTRIBUTES,
    calls=frozenset({"get_json"}),
    whole=frozenset({"data", "stream", "json", "form", "files", "values", "get_json", "get_data"}),
)
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEPTH = 2
"""Calls from the handler within which reads of the request are looked for."""


def read_flask_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Keys that the handler reads, in its own body. The body is unknown where it is handed on as a whole."""
    fields: dict[tuple[FieldKind, str], FoundField] = {}
    for name in _PATH_PARAMETER.findall(route.path):
        fields[FieldKind.PATH, name] = FoundField(name, FieldKind.PATH, route.registered_at, None, True)
    if route.handler is None:
        return RequestFields(tuple(fields.values()), body_known=False)
    payloads = namespaces(reading.program.files[route.handler.path])
    readers = [
        RequestReader(reading, function, _WORDS, payloads=payloads)
        for function in _called_from(reading, route.handler)
    ]
    bodiless = route.method in _BODILESS
    for field in (read_field for reader in readers for read_field in reader.fields()):
        if not (bodiless and field.kind is FieldKind.BODY):
            fields.setdefault((field.kind, field.name), field)
    for field in declared_fields(reading, route.handler, bodiless=bodiless):
        if not (bodiless and field.kind is FieldKind.BODY):
            fields.setdefault((field.kind, field.name), field)
    has_body_fields = any(kind is FieldKind.BODY for kind, _ in fields)
    hides_body = any(
        reader.handed_on() or (not has_body_fields and reader.body_is_read()) for reader in readers
    )
    return RequestFields(tuple(fields.values()), body_known=bodiless or not hides_body)


def _called_from(reading: Reading, handler: DefinitionRef) -> list[DefinitionRef]:
    """The handler and the functions of the repository it calls by name, and those they call: `request` is global."""
    functions = [handler]
    layer = [handler]
    for _ in range(_DEPTH):
        below: list[DefinitionRef] = []
        for function in layer:
            for site in reading.program.calls(function):
                callee = reading.types.of(site.call.function, function.path, function.number)
                if isinstance(callee, DefinitionRef) and not reading.program.is_class(callee):
                    below.append(callee)
        layer = [function for function in dict.fromkeys(below) if function not in functions]
        functions += layer
    return functions
