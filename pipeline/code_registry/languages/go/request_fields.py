"""What a Go handler takes from the request: structs it decodes, and keys it asks for."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import Attribute, Call, Expression, Name, StringLiteral, Subscript
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
_PARAMETER = re.compile(r"\{([A-Za-z_]\w*)(?:\.\.\.|:[^{}]*)?\}|(?<=/)[:*]([A-Za-z_]\w*)")
_DEPTH = 3
"""Calls from the handler within which the request is followed."""
_ANY_FORMAT = frozenset({"Bind", "ShouldBind", "MustBindWith", "ShouldBindWith", "BodyParser"})
_BOUND = {"JSON": "BindJSON", "Body": "BodyParser", "Form": "BindJSON", "Query": "QueryParser"}
"""What is called on the result of `Bind()`, in the words of other frameworks."""
_BODY = frozenset(
    {"BindJSON", "ShouldBindJSON", "ShouldBindBodyWith", "ShouldBindBodyWithJSON", "Decode", "DecodeJSON"}
)
_QUERY = frozenset({"BindQuery", "ShouldBindQuery", "QueryParser"})
_OTHER_SOURCES = {
    "ShouldBindUri": "uri",
    "BindUri": "uri",
    "ShouldBindHeader": "header",
    "BindHeader": "header",
}
_UNMARSHAL = frozenset({"Unmarshal", "DecodeJSON", "Bind"})
_RAW = frozenset({"GetRawData", "ReadAll", "MultipartForm", "MultipartReader", "BodyRaw"})
_KEYS: Mapping[str, FieldKind] = {
    **dict.fromkeys(
        ("Query", "DefaultQuery", "GetQuery", "QueryArray", "QueryParam", "QueryMap"), FieldKind.QUERY
    ),
    **dict.fromkeys(("QueryInt", "QueryBool", "QueryFloat"), FieldKind.QUERY),
    **dict.fromkeys(("PostForm", "DefaultPostForm", "GetPostForm", "PostFormArray"), FieldKind.BODY),
    **dict.fromkeys(("FormValue", "PostFormValue", "FormFile"), FieldKind.BODY),
    **dict.fromkeys(("GetHeader",), FieldKind.HEADER),
    **dict.fromkeys(("Cookie", "Cookies"), FieldKind.COOKIE),
}
_CONTEXTS = frozenset({"Context", "Ctx", "Request", "ResponseWriter"})


class _Findings(NamedTuple):
    fields: dict[tuple[FieldKind, str], FoundField]
    hidden_reads: list[str]
    raw: list[str]


def read_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Fields of path, query and body. The body is unknown where it is read in a way that does not tell its fields."""
    findings = _Findings({}, [], [])
    for brace_name, colon_name in _PARAMETER.findall(route.path):
        name = brace_name or colon_name
        findings.fields[FieldKind.PATH, name] = FoundField(
            name, FieldKind.PATH, route.registered_at, None, True
        )
    if route.handler is None:
        return RequestFields(tuple(findings.fields.values()), body_known=route.method in _BODILESS)
    bodiless = route.method in _BODILESS
    reader = _RequestReader(reading, bodiless=bodiless, findings=findings)
    reader.read(route.handler, {}, 0)
    fields = [f for f in findings.fields.values() if not (bodiless and f.kind is FieldKind.BODY)]
    has_body_fields = any(field.kind is FieldKind.BODY for field in fields)
    hides_body = findings.hidden_reads or (findings.raw and not has_body_fields)
    return RequestFields(tuple(fields), body_known=bodiless or not hides_body)


class _RequestReader:
    def __init__(self, reading: Reading, *, bodiless: bool, findings: _Findings) -> None:
        self._reading = reading
        self._bodiless = bodiless
        self._findings = findings
        self._visits: set[tuple[DefinitionRef, frozenset[tuple[str, Entity]]]] = set()

    def read(self, function: DefinitionRef, values: Mapping[str, Entity], depth: int) -> None:
        """Read a function and those it hands the request to; `values` are values behind its untyped parameters."""
        key = (function, frozenset(values.items()))
        if key in self._visits:
            return
        self._visits.add(key)
        for scope in self._reading.program.nested_functions(function):
            for site in self._reading.program.calls(scope):
                if not self._takes(site.call, scope, values):
                    self._follow(site.call, scope, values, depth)

    def _takes(self, call: Call, at: DefinitionRef, values: Mapping[str, Entity]) -> bool:
        """Whether a call takes something out of the request; notes what."""
        if not isinstance(call.function, Attribute):
            return False
        base, word = call.function.base, call.function.name
        if isinstance(base, Call) and isinstance(base.function, Attribute) and base.function.name == "Bind":
            word = _BOUND.get(word, word)
        kind = self._key_kind(base, word, at)
        if kind is not None and call.arguments and isinstance(call.arguments[0], StringLiteral):
            self._note(call.arguments[0].value, kind, SourceRange(at.path, call.line, call.line))
            return True
        if isinstance(self._of(call.function, at, values), DefinitionRef):
            return False
        if word in _RAW and self._is_request(call, at):
            self._findings.raw.append(word)
            return True
        if word in _UNMARSHAL and len(call.arguments) > 1:
            return self._is_request(call, at) and self._decode(
                call.arguments[1], at, values, word, is_body_reader=False
            )
        if word in _ANY_FORMAT | _BODY | _QUERY or word in _OTHER_SOURCES:
            if word == "Decode" and not self._is_request(call, at):
                return False
            return bool(call.arguments) and self._decode(
                call.arguments[0], at, values, word, is_body_reader=True
            )
        return False

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

    def _key_kind(self, base: Expression, word: str, at: DefinitionRef) -> FieldKind | None:
        if word == "Get" or word == "Has":
            match self._made_by(Attribute(base, word), at):
                case Call(Attribute(Attribute(_, "URL"), "Query")) | Call(Attribute(_, "QueryParams")):
                    return FieldKind.QUERY
                case Attribute(_, "Header") | Call(Attribute(_, "Header")):
                    return FieldKind.HEADER
                case Attribute(_, "Form" | "PostForm"):
                    return FieldKind.BODY
            return None
        kind = _KEYS.get(word)
        if kind is None or not self._holds_request(base, at):
            return None
        return FieldKind.QUERY if kind is FieldKind.BODY and self._bodiless else kind

    def _holds_request(self, base: Expression, at: DefinitionRef) -> bool:
        entity = self._reading.types.of(base, at.path, at.number)
        return isinstance(entity, ExternalInstance) and entity.dotted_name.rpartition(".")[2] in _CONTEXTS | {
            "Request()"
        }

    def _of(self, expression: Expression, at: DefinitionRef, values: Mapping[str, Entity]) -> Entity | None:
        if isinstance(expression, Name) and expression.name in values:
            return values[expression.name]
        return self._reading.types.of(expression, at.path, at.number)

    def _decode(
        self,
        target: Expression,
        at: DefinitionRef,
        values: Mapping[str, Entity],
        word: str,
        *,
        is_body_reader: bool,
    ) -> bool:
        """Note the fields of the struct that is filled."""
        entity = self._of(target, at, values)
        if word in _OTHER_SOURCES:
            return True
        is_query = word in _QUERY or (self._bodiless and word in _ANY_FORMAT)
        while isinstance(entity, Collection):
            entity = entity.element
        if not isinstance(entity, Instance) or self._is_interface(entity):
            if is_body_reader and not is_query:
                self._findings.hidden_reads.append(word)
            return is_body_reader
        keys = ("form", "query", "schema") if is_query else ("json", "form")
        kind = FieldKind.QUERY if is_query else FieldKind.BODY
        read = struct(self._reading, DefinitionRef(entity.path, entity.number), keys, kind)
        for field in read.fields:
            self._findings.fields.setdefault((kind, field.name), field)
        if not read.complete or (not read.fields and not is_query):
            self._findings.hidden_reads.append(word)
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

    def _note(self, name: str, kind: FieldKind, place: SourceRange) -> None:
        self._findings.fields.setdefault((kind, name), FoundField(name, kind, place, None, None))


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
