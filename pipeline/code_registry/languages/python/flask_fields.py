"""What a Flask handler takes from the request: read from the keys it asks `request` for."""

import re

from pipeline.code_registry.entries import FieldKind, Place
from pipeline.code_registry.facts import (
    Assignment,
    Attribute,
    Call,
    Choice,
    Expression,
    Items,
    Name,
    Splat,
    Text,
)
from pipeline.code_registry.linking.fields import FoundField, Reading, RequestFields
from pipeline.code_registry.linking.found_route import FoundRoute
from pipeline.code_registry.linking.program import Defined

_PATH_PARAMETER = re.compile(r"<(?:[^<>:]+:)?([A-Za-z_]\w*)>")
_ATTRIBUTES = {
    "args": FieldKind.QUERY,
    "form": FieldKind.BODY,
    "json": FieldKind.BODY,
    "files": FieldKind.BODY,
    "headers": FieldKind.HEADER,
    "cookies": FieldKind.COOKIE,
}
_JSON_CALLS = frozenset({"get_json"})
_READS = frozenset({"get", "pop", "getlist", "setdefault"})
_WHOLE_BODY = frozenset({"data", "stream", "json", "form", "files", "values", "get_json", "get_data"})
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEPTH = 2
"""Calls from the handler within which reads of the request are looked for."""
_HARMLESS = frozenset({"len", "bool", "isinstance", "print", "jsonify"})


def read_flask_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Keys that the handler reads, in its own body. The body is unknown where it is handed on as a whole."""
    fields: dict[tuple[FieldKind, str], FoundField] = {}
    for name in _PATH_PARAMETER.findall(route.path):
        fields[FieldKind.PATH, name] = FoundField(name, FieldKind.PATH, route.registered_at, None, True)
    if route.handler is None:
        return RequestFields(tuple(fields.values()), body_known=False)
    readers = [_BodyReader(reading, function) for function in _called_from(reading, route.handler)]
    bodiless = route.method in _BODILESS
    for field in (found for reader in readers for found in reader.fields()):
        if not (bodiless and field.kind is FieldKind.BODY):
            fields.setdefault((field.kind, field.name), field)
    listed = any(kind is FieldKind.BODY for kind, _ in fields)
    hidden = any(reader.body_escapes() or (not listed and reader.body_is_read()) for reader in readers)
    return RequestFields(tuple(fields.values()), body_known=bodiless or not hidden)


def _called_from(reading: Reading, handler: Defined) -> list[Defined]:
    """The handler and the functions of the repository it calls by name, and those they call: `request` is global."""
    found = [handler]
    layer = [handler]
    for _ in range(_DEPTH):
        below: list[Defined] = []
        for function in layer:
            for site in reading.program.calls(function):
                called = reading.types.of(site.call.function, function.path, function.number)
                if isinstance(called, Defined) and not reading.program.is_class(called):
                    below.append(called)
        layer = [function for function in dict.fromkeys(below) if function not in found]
        found += layer
    return found


class _BodyReader:
    """Reads the statements of one handler, its nested functions included."""

    def __init__(self, reading: Reading, handler: Defined) -> None:
        self._path = handler.path
        facts = reading.program.files[handler.path]
        definition = facts.definitions[handler.number]
        inside = {handler.number}
        for index in range(handler.number + 1, len(facts.definitions)):
            if facts.definitions[index].parent in inside:
                inside.add(index)
        self._scopes = inside
        self._facts = facts
        self._names: dict[str, FieldKind] = {}
        self._end = definition.end_line
        for assignment in facts.assignments:
            if assignment.scope in inside:
                self._learn(assignment)

    def _learn(self, assignment: Assignment) -> None:
        kind = self._kind(assignment.value)
        if kind is not None:
            self._names[assignment.target] = kind

    def _kind(self, expression: Expression | None) -> FieldKind | None:
        """Which part of the request an expression is, if it is one as a whole."""
        match expression:
            case Attribute(Name("request"), name):
                return _ATTRIBUTES.get(name)
            case Call(Attribute(Name("request"), name)) if name in _JSON_CALLS:
                return FieldKind.BODY
            case Call(Attribute(inner, "to_dict" | "copy")):
                return self._kind(inner)
            case Choice((first, *_)):
                return self._kind(first)
            case Name(name):
                return self._names.get(name)
            case _:
                return None

    def fields(self) -> list[FoundField]:
        """Every constant key that is read from a part of the request, in order of lines."""
        found: list[FoundField] = []
        for read in self._facts.reads:
            kind = self._kind(read.base) if read.scope in self._scopes else None
            if kind is not None:
                found.append(self._field(read.key, kind, read.line))
        for site in self._facts.calls:
            if site.scope in self._scopes:
                found += self._of_call(site.call)
        return sorted(found, key=lambda field: field.place.start_line)

    def _of_call(self, call: Call) -> list[FoundField]:
        match call:
            case Call(Attribute(base, word), (Text(key), *_)) if word in _READS:
                kind = self._kind(base)
                return [] if kind is None else [self._field(key, kind, call.line)]
            case Call(_, (Name(name), Items(items)), _, line) if name in self._names:
                keys = [item.value for item in items if isinstance(item, Text)]
                if len(keys) == len(items):
                    return [self._field(key, self._names[name], line) for key in keys]
        return []

    def _field(self, key: str, kind: FieldKind, line: int) -> FoundField:
        return FoundField(key, kind, Place(self._path, line, line), None, None)

    def body_is_read(self) -> bool:
        """Whether the body is taken as a whole, whatever becomes of it."""
        values = [a.value for a in self._facts.assignments if a.scope in self._scopes]
        values += [r.value for r in self._facts.returns if r.scope in self._scopes]
        values += [
            v
            for s in self._facts.calls
            if s.scope in self._scopes
            for v in (s.call.function, *s.call.arguments)
        ]
        return any(_takes_body(value) for value in values)

    def body_escapes(self) -> bool:
        """Whether the whole body goes somewhere: then nobody can say which fields it has."""
        return any(site.scope in self._scopes and self._hands_on(site.call) for site in self._facts.calls)

    def _hands_on(self, call: Call) -> bool:
        match call:
            case Call(Attribute(base, word), arguments) if self._kind(base) is FieldKind.BODY:
                return word not in _READS or not (arguments and isinstance(arguments[0], Text))
            case Call(Name(word)) if word in _HARMLESS:
                return False
            case Call(_, (Name(), Items(items)), ()) if all(isinstance(item, Text) for item in items):
                return False
        values = (*call.arguments, *(value for _, value in call.keywords))
        bare = (value.value if isinstance(value, Splat) else value for value in values)
        return any(self._kind(value) is FieldKind.BODY for value in bare)


def _takes_body(value: Expression | None) -> bool:
    match value:
        case Attribute(Name("request"), name):
            return name in _WHOLE_BODY
        case Attribute(base) | Call(base):
            return _takes_body(base)
        case _:
            return False
