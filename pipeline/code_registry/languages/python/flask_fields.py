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
from pipeline.code_registry.linking.program import Defined
from pipeline.code_registry.linking.routes import FoundRoute

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
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_HARMLESS = frozenset({"len", "bool", "isinstance", "print", "jsonify"})


def read_flask_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Keys that the handler reads, in its own body. The body is unknown where it is handed on as a whole."""
    fields: dict[tuple[FieldKind, str], FoundField] = {}
    for name in _PATH_PARAMETER.findall(route.path):
        fields[FieldKind.PATH, name] = FoundField(name, FieldKind.PATH, route.registered_at, None, True)
    if route.handler is None:
        return RequestFields(tuple(fields.values()), body_known=False)
    reader = _BodyReader(reading, route.handler)
    for field in reader.fields():
        fields.setdefault((field.kind, field.name), field)
    return RequestFields(tuple(fields.values()), body_known=not reader.body_escapes())


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
