"""What a function reads from a request: keys of its parts, and whether the body goes elsewhere as a whole."""

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Alternatives,
    Assignment,
    Attribute,
    Call,
    CallSite,
    Expression,
    Items,
    Name,
    Splat,
    StringLiteral,
    Subscript,
)
from pipeline.code_registry.found_fields import FoundField
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.values.fields import Reading

_READS = frozenset({"get", "pop", "getlist", "getall", "getone", "setdefault"})
_HARMLESS = frozenset({"len", "bool", "isinstance", "print", "jsonify"})


class RequestWords(NamedTuple):
    """A framework's names for the parts of a request.

    `calls` are methods that give the body, `whole` all words by which the body is taken as a whole. `of_object`: methods
    find the request at their object.
    """

    attributes: Mapping[str, FieldKind]
    calls: frozenset[str]
    whole: frozenset[str]
    of_object: bool = False


class RequestReader:
    """Reads the statements of one function, its nested functions included.

    `request`: names of the request in it; `payloads`: names of objects whose `payload` is the request's body.
    """

    def __init__(
        self,
        reading: Reading,
        handler: DefinitionRef,
        words: RequestWords,
        request: frozenset[str] = frozenset({"request"}),
        payloads: frozenset[str] = frozenset(),
    ) -> None:
        self._path = handler.path
        self._words = words
        self._request = request
        self._payloads = payloads
        facts = reading.program.files[handler.path]
        definition = facts.definitions[handler.number]
        self._scopes = {function.number for function in reading.program.nested_functions(handler)}
        self._facts = facts
        self._names: dict[str, FieldKind] = {}
        self._end = definition.end_line
        for assignment in facts.assignments:
            if assignment.scope in self._scopes:
                self._learn(assignment)

    def _learn(self, assignment: Assignment) -> None:
        kind = self._kind(assignment.value)
        if kind is not None:
            self._names[assignment.target] = kind

    def _kind(self, expression: Expression | None) -> FieldKind | None:
        """Which part of the request an expression is, if it is one as a whole."""
        match expression:
            case Attribute(base, name) if self.is_request(base):
                return self._words.attributes.get(name)
            case Attribute(Name(name), "payload") if name in self._payloads:
                return FieldKind.BODY
            case Call(Attribute(base, name)) if self.is_request(base) and name in self._words.calls:
                return FieldKind.BODY
            case Call(Attribute(inner, "to_dict" | "copy" | "dict")):
                return self._kind(inner)
            case Call(Attribute(_, "loads"), (inner, *_)):
                return self._kind(inner)
            case Alternatives((first, *_)):
                return self._kind(first)
            case Name(name):
                return self._names.get(name)
            case _:
                return None

    def is_request(self, expression: Expression | None) -> bool:
        """Whether an expression is the request itself: a name of it, or an attribute of the method's object."""
        match expression:
            case Name(name):
                return name in self._request
            case Attribute(Name("self"), name):
                return self._words.of_object and name == "request"
            case _:
                return False

    def fields(self) -> list[FoundField]:
        """Every constant key that is read from a part of the request, in order of lines."""
        fields: list[FoundField] = []
        for read in self._facts.reads:
            kind = self._kind(read.base) if read.scope in self._scopes else None
            if kind is not None:
                fields.append(self._field(read.key, kind, read.line))
        for site in self._facts.calls:
            if site.scope in self._scopes:
                fields += self._of_call(site.call)
        return sorted(fields, key=lambda field: field.place.start_line)

    def _of_call(self, call: Call) -> list[FoundField]:
        match call:
            case Call(Attribute(base, word), (StringLiteral(key), *_)) if word in _READS:
                kind = self._kind(base)
                return [] if kind is None else [self._field(key, kind, call.line)]
            case Call(_, (Name(name), Items(items)), _, line) if name in self._names:
                keys = [item.value for item in items if isinstance(item, StringLiteral)]
                if len(keys) == len(items):
                    return [self._field(key, self._names[name], line) for key in keys]
        return []

    def _field(self, key: str, kind: FieldKind, line: int) -> FoundField:
        return FoundField(key, kind, SourceRange(self._path, line, line), None, None)

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
        return any(self._takes_body(value) for value in values)

    def handed_on(self) -> list[CallSite]:
        """Calls that are handed the whole body: then nobody can say which fields it has."""
        return [site for site in self.sites() if self._hands_on(site.call)]

    def sites(self) -> list[CallSite]:
        """The calls in the function."""
        return [site for site in self._facts.calls if site.scope in self._scopes]

    def _hands_on(self, call: Call) -> bool:
        match call:
            case Call(Attribute(_, "loads")):
                return False
            case Call(Attribute(base, word), arguments) if self._kind(base) is FieldKind.BODY:
                return word not in _READS or not (arguments and isinstance(arguments[0], StringLiteral))
            case Call(Name(word)) if word in _HARMLESS:
                return False
            case Call(_, (Name(), Items(items)), ()) if all(
                isinstance(item, StringLiteral) for item in items
            ):
                return False
        values = (*call.arguments, *(value for _, value in call.keywords))
        bare = (value.value if isinstance(value, Splat) else value for value in values)
        return any(self._kind(value) is FieldKind.BODY for value in bare)

    def _takes_body(self, value: Expression | None) -> bool:
        match value:
            case Attribute(base, name) if self.is_request(base):
                return name in self._words.whole
            case Attribute(Name(name), "payload") if name in self._payloads:
                return True
            case Attribute(base) | Call(base) | Subscript(base):
                return self._takes_body(base)
            case _:
                return False
