"""What a Go handler declares to take from the request: the structs that it decodes it into."""

from collections.abc import Mapping

from pipeline.code_registry.entries import FieldKind
from pipeline.code_registry.facts import Attribute, Call, Expression, Name, Subscript
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.go.structs import struct
from pipeline.code_registry.linking.names.program import (
    Collection,
    DefinitionRef,
    Entity,
    ExternalInstance,
    Instance,
)
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.fields import Reading

_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEPTH = 3
"""Calls from the handler within which the request is followed."""
_ANY_FORMAT = frozenset({"Bind", "ShouldBind", "MustBindWith", "ShouldBindWith", "BodyParser"})
_BOUND = {"JSON": "BindJSON", "Body": "BodyParser", "Form": "BindJSON", "Query": "QueryParser"}
"""What is called on the result of `Bind()`, in the words of other frameworks."""
_BODY = frozenset(
    {"BindJSON", "ShouldBindJSON", "ShouldBindBodyWith", "ShouldBindBodyWithJSON", "Decode", "DecodeJSON"}
)
_QUERY = frozenset({"BindQuery", "ShouldBindQuery", "QueryParser"})
_UNMARSHAL = frozenset({"Unmarshal", "DecodeJSON", "Bind"})
_CONTEXTS = frozenset({"Context", "Ctx", "Request", "ResponseWriter"})
_DECODED = (("json", "form"), FieldKind.BODY)
_QUERIED = (("form", "query", "schema"), FieldKind.QUERY)
"""The tags that name the fields of a struct, and where they come from."""


def read_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """The fields of the structs. The body is known where all that it is decoded into is known."""
    if route.handler is None:
        return RequestFields((), body_known=False)
    reader = _RequestReader(reading, bodiless=route.method in _BODILESS)
    reader.read(route.handler, {}, 0)
    has_body = any(kind is FieldKind.BODY for kind, _ in reader.fields)
    return RequestFields(tuple(reader.fields.values()), has_body and reader.is_complete)


class _RequestReader:
    def __init__(self, reading: Reading, *, bodiless: bool) -> None:
        self._reading = reading
        self._bodiless = bodiless
        self.fields: dict[tuple[FieldKind, str], FoundField] = {}
        self.is_complete = True
        self._visits: set[tuple[DefinitionRef, frozenset[tuple[str, Entity]]]] = set()

    def read(self, function: DefinitionRef, values: Mapping[str, Entity], depth: int) -> None:
        """Read a function and those it hands the request to; `values` are values behind its untyped parameters."""
        key = (function, frozenset(values.items()))
        if key in self._visits:
            return
        self._visits.add(key)
        for scope in self._reading.program.nested_functions(function):
            for site in self._reading.program.calls(scope):
                if not self._decodes(site.call, scope, values):
                    self._follow(site.call, scope, values, depth)

    def _decodes(self, call: Call, at: DefinitionRef, values: Mapping[str, Entity]) -> bool:
        """Whether a call decodes the request; notes the fields of the struct that it fills."""
        if not isinstance(call.function, Attribute) or not call.arguments:
            return False
        base, word = call.function.base, call.function.name
        if isinstance(base, Call) and isinstance(base.function, Attribute) and base.function.name == "Bind":
            word = _BOUND.get(word, word)
        if isinstance(self._of(call.function, at, values), DefinitionRef):
            return False
        if word in _UNMARSHAL and len(call.arguments) > 1:
            return self._is_request(call, at) and self._note(call.arguments[1], at, values, word)
        if word not in _ANY_FORMAT | _BODY | _QUERY or (word == "Decode" and not self._is_request(call, at)):
            return False
        if not self._note(call.arguments[0], at, values, word):
            self.is_complete = self.is_complete and word in _QUERY
        return True

    def _is_request(self, call: Call, at: DefinitionRef) -> bool:
        """Whether a call speaks of the body of the request: `json.NewDecoder(r.Body).Decode`, `io.ReadAll(r.Body)`."""
        values = [*call.arguments, self._made_by(call.function, at)]
        values += [self._made_by(value, at) for value in call.arguments if isinstance(value, Name)]
        return any(_mentions_body(value) for value in values)

    def _made_by(self, expression: Expression, at: DefinitionRef) -> Expression:
        """The expression behind the variable that a method is called on."""
        base = expression.base if isinstance(expression, Attribute) else expression
        if isinstance(base, Name):
            assignment = self._reading.types.annotations.assignment_of(base, at.path, at.number)
            if assignment is not None and assignment[0].value is not None:
                return assignment[0].value
        return base

    def _of(self, expression: Expression, at: DefinitionRef, values: Mapping[str, Entity]) -> Entity | None:
        if isinstance(expression, Name) and expression.name in values:
            return values[expression.name]
        return self._reading.types.of(expression, at.path, at.number)

    def _note(self, target: Expression, at: DefinitionRef, values: Mapping[str, Entity], word: str) -> bool:
        """Note the fields of the struct that is filled; False if it is no struct of the repository."""
        entity = self._of(target, at, values)
        while isinstance(entity, Collection):
            entity = entity.element
        if not isinstance(entity, Instance) or self._is_interface(entity):
            return False
        is_query = word in _QUERY or (self._bodiless and word in _ANY_FORMAT)
        keys, kind = _QUERIED if is_query else _DECODED
        read = struct(self._reading, DefinitionRef(entity.path, entity.number), keys, kind)
        for field in read.fields:
            self.fields.setdefault((kind, field.name), field)
        self.is_complete = self.is_complete and read.complete and (is_query or bool(read.fields))
        return True

    def _is_interface(self, entity: Instance) -> bool:
        definition = self._reading.program.definition(entity)
        return any(key == "interface type" for key, _ in definition.keywords)

    def _follow(self, call: Call, at: DefinitionRef, values: Mapping[str, Entity], depth: int) -> None:
        """Go on in a function of the repository that is handed the request."""
        callee = self._reading.types.of(call.function, at.path, at.number)
        if depth >= _DEPTH or not isinstance(callee, DefinitionRef) or self._reading.program.is_class(callee):
            return
        argument_values = [self._of(value, at, values) for value in call.arguments]
        if not any(_is_context(entity) for entity in argument_values) and not any(
            _mentions_body(v) for v in call.arguments
        ):
            return
        arguments = list(self._reading.program.definition(callee).arguments)
        if self._reading.program.is_member(callee) and len(arguments) > len(argument_values):
            arguments.pop(0)
        inner = {
            argument.name: entity
            for argument, entity in zip(arguments, argument_values, strict=False)
            if isinstance(entity, Instance | Collection)
        }
        self.read(callee, inner, depth + 1)


def _is_context(entity: Entity | None) -> bool:
    return isinstance(entity, ExternalInstance) and entity.dotted_name.rpartition(".")[2] in _CONTEXTS


def _mentions_body(value: Expression) -> bool:
    match value:
        case Attribute(_, "Body" | "GetRawData" | "BodyRaw"):
            return True
        case Subscript(base):
            return _mentions_body(base)
        case Attribute(base):
            return _mentions_body(base)
        case Call(function, arguments):
            return _mentions_body(function) or any(_mentions_body(argument) for argument in arguments)
        case _:
            return False
