"""Structs that hold data, what a handler decodes a request into, and the settings and options that Go code declares or reads."""

import re
from collections.abc import Iterator, Mapping

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Assignment,
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField, ModelFields, RequestFields
from pipeline.code_registry.linking.names.program import (
    Collection,
    DefinitionRef,
    Entity,
    External,
    ExternalInstance,
    Instance,
)
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.fields import FoundOption, FoundSetting
from pipeline.code_registry.linking.values.tracing import Tracer

_TAG = re.compile(r'(?<![\w.-])([\w.-]+):"((?:[^"\\]|\\.)*)"')
_DATABASE = ("gorm", "xorm", "db", "bun", "bson")
_COLUMN = re.compile(r"(?:^|;)column:([^;]+)")
_DEEPEST = 8


def tags_of(tracer: Tracer, class_: DefinitionRef) -> dict[str, dict[str, str]]:
    """The tags of each field: key and value."""
    return {
        name: dict(_TAG.findall(value.value))
        for name, value in tracer.program.definition(class_).keywords
        if isinstance(value, StringLiteral)
    }


def read_models(tracer: Tracer, class_: DefinitionRef) -> tuple[FoundField, ...]:
    """The fields that a struct declares itself."""
    tags = tags_of(tracer, class_)
    is_table = any(key in field_tags for field_tags in tags.values() for key in _DATABASE)
    kind = FieldKind.TABLE if is_table else FieldKind.MODEL
    fields: list[FoundField] = []
    for field in tracer.program.assignments_in(class_, "field"):
        if field.target[:1].isupper() and not _is_embedded(tracer, class_, field):
            field_tags = tags.get(field.target, {})
            name = (
                (_column(field_tags) if is_table else None) or _wire_name(field_tags, "json") or field.target
            )
            place = SourceRange(class_.path, field.line, field.line)
            fields.append(FoundField(name, kind, place, field.annotation, None))
    return tuple(fields)


def struct(
    tracer: Tracer, class_: DefinitionRef, keys: tuple[str, ...], kind: FieldKind, depth: int = 0
) -> ModelFields:
    """All fields that a decoder fills, embedded ones among them; `keys` are the tags it reads, first found first."""
    tags = tags_of(tracer, class_)
    fields: dict[str, FoundField] = {}
    complete = depth < _DEEPEST
    for base in tracer.program.definition(class_).bases if depth < _DEEPEST else ():
        if _name_of(tags.get(last_word(base, Subscript), {}), keys) is None:
            inner = _struct_of(tracer, class_, base)
            if inner is None:
                complete = False
                continue
            embedded_struct = struct(tracer, inner, keys, kind, depth + 1)
            complete = complete and embedded_struct.complete
            fields |= {field.name: field for field in embedded_struct.fields}
    for field in tracer.program.assignments_in(class_, "field"):
        field_tags = tags.get(field.target, {})
        name = _name_of(field_tags, keys)
        if name == "-" or not field.target[:1].isupper():
            continue
        if name is None and _is_embedded(tracer, class_, field):
            continue
        place = SourceRange(class_.path, field.line, field.line)
        is_required = "required" in field_tags.get("binding", "") or "required" in field_tags.get(
            "validate", ""
        )
        wire = name or field.target
        fields[wire] = FoundField(wire, kind, place, field.annotation, is_required or None)
    return ModelFields(tuple(fields.values()), complete)


def _name_of(tags: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    return next((name for key in keys if (name := _wire_name(tags, key)) is not None), None)


def _wire_name(tags: Mapping[str, str], key: str) -> str | None:
    """The name that a tag gives; None where it gives none, `-` where it leaves the field out."""
    return tags.get(key, "").partition(",")[0] or None


def _column(tags: Mapping[str, str]) -> str | None:
    match = _COLUMN.search(tags.get("gorm", ""))
    if match is not None:
        return match[1]
    return next(
        (name for key in ("db", "bun", "bson") if (name := _wire_name(tags, key)) not in {None, "-"}), None
    )


def _is_embedded(tracer: Tracer, class_: DefinitionRef, field: Assignment) -> bool:
    bases = tracer.program.definition(class_).bases
    type_ = field.annotation
    return type_ is not None and type_ in bases and last_word(type_, Subscript) == field.target


def _struct_of(tracer: Tracer, class_: DefinitionRef, base: Expression) -> DefinitionRef | None:
    entity = tracer.types.annotations.read(base, class_.path, tracer.program.definition(class_).parent)
    return DefinitionRef(entity.path, entity.number) if isinstance(entity, Instance) else None


_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
_DEPTH = 3
"""Calls from the handler within which the request is followed."""
_ANY_FORMAT = frozenset({"Bind", "ShouldBind", "MustBindWith", "ShouldBindWith", "BodyParser"})
_BOUND = {"JSON": "BindJSON", "Body": "BodyParser", "Form": "BindJSON", "Query": "QueryParser"}
"""The methods called on the result of `Bind()`, in the words of other frameworks."""
_BODY = frozenset(
    {"BindJSON", "ShouldBindJSON", "ShouldBindBodyWith", "ShouldBindBodyWithJSON", "Decode", "DecodeJSON"}
)
_QUERY = frozenset({"BindQuery", "ShouldBindQuery", "QueryParser"})
_UNMARSHAL = frozenset({"Unmarshal", "DecodeJSON", "Bind"})
_CONTEXTS = frozenset({"Context", "Ctx", "Request", "ResponseWriter"})
_BODY_TAGS = (("json", "form"), FieldKind.BODY)
_QUERY_TAGS = (("form", "query", "schema"), FieldKind.QUERY)
"""The tags that name the fields of a struct, and where they come from."""


def read_request(tracer: Tracer, route: FoundRoute) -> RequestFields:
    """The fields of the structs. The body is known where all that it is decoded into is known."""
    if route.handler is None:
        return RequestFields((), body_known=False)
    reader = _RequestReader(tracer, bodiless=route.method in _BODILESS)
    reader.read(route.handler, {}, 0)
    has_body = any(kind is FieldKind.BODY for kind, _ in reader.fields)
    return RequestFields(tuple(reader.fields.values()), has_body and reader.is_complete)


class _RequestReader:
    def __init__(self, tracer: Tracer, *, bodiless: bool) -> None:
        self._tracer = tracer
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
        for scope in self._tracer.program.nested_functions(function):
            for site in self._tracer.program.calls(scope):
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
            assignment = self._tracer.types.annotations.assignment_of(base, at.path, at.number)
            if assignment is not None and assignment[0].value is not None:
                return assignment[0].value
        return base

    def _of(self, expression: Expression, at: DefinitionRef, values: Mapping[str, Entity]) -> Entity | None:
        if isinstance(expression, Name) and expression.name in values:
            return values[expression.name]
        return self._tracer.types.of(expression, at.path, at.number)

    def _note(self, target: Expression, at: DefinitionRef, values: Mapping[str, Entity], word: str) -> bool:
        """Note the fields of the struct that is filled; False if it is no struct of the repository."""
        entity = self._of(target, at, values)
        while isinstance(entity, Collection):
            entity = entity.element
        if not isinstance(entity, Instance) or self._is_interface(entity):
            return False
        is_query = word in _QUERY or (self._bodiless and word in _ANY_FORMAT)
        keys, kind = _QUERY_TAGS if is_query else _BODY_TAGS
        read = struct(self._tracer, DefinitionRef(entity.path, entity.number), keys, kind)
        for field in read.fields:
            self.fields.setdefault((kind, field.name), field)
        self.is_complete = self.is_complete and read.complete and (is_query or bool(read.fields))
        return True

    def _is_interface(self, entity: Instance) -> bool:
        definition = self._tracer.program.definition(entity)
        return any(key == "interface type" for key, _ in definition.keywords)

    def _follow(self, call: Call, at: DefinitionRef, values: Mapping[str, Entity], depth: int) -> None:
        """Go on in a function of the repository that is handed the request."""
        callee = self._tracer.types.of(call.function, at.path, at.number)
        if depth >= _DEPTH or not isinstance(callee, DefinitionRef) or self._tracer.program.is_class(callee):
            return
        argument_values = [self._of(value, at, values) for value in call.arguments]
        if not any(_is_context(entity) for entity in argument_values) and not any(
            _mentions_body(v) for v in call.arguments
        ):
            return
        arguments = list(self._tracer.program.definition(callee).arguments)
        if self._tracer.program.is_member(callee) and len(arguments) > len(argument_values):
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


_ENVIRONMENT = frozenset({"os.Getenv", "os.LookupEnv", "syscall.Getenv"})
_KINDS = (
    *("String", "Bool", "Int", "Int64", "Uint", "Uint64", "Float64", "Duration", "Var", "Func", "BoolFunc"),
    *("StringSlice", "StringArray", "IntSlice", "Int32", "Uint32", "Count", "StringToString", "IP"),
)
_VALUES = frozenset({*_KINDS, *(f"{kind}P" for kind in _KINDS)})
_POINTERS = frozenset({*(f"{kind}Var" for kind in _KINDS), *(f"{kind}VarP" for kind in _KINDS), "TextVar"})
_FLAGS = ("flag.", "github.com/spf13/pflag.", "github.com/spf13/cobra.")
_VIPER = "github.com/spf13/viper."
_TAGS = ("env", "envconfig")


def read_settings(tracer: Tracer, path: str) -> Iterator[FoundSetting]:
    """Environment variables and keys of viper that are read, and those that tags of structs name."""
    facts = tracer.program.files[path]
    for site in facts.calls:
        arguments = site.call.arguments
        if (
            not arguments
            or not isinstance(arguments[0], StringLiteral)
            or not isinstance(site.call.function, Attribute)
        ):
            continue
        entity = tracer.types.of(site.call.function, path, site.scope)
        dotted_name = entity.dotted_name if isinstance(entity, External) else ""
        is_key = dotted_name.startswith(_VIPER) and site.call.function.name.startswith(
            ("Get", "IsSet", "SetDefault")
        )
        if dotted_name in _ENVIRONMENT or is_key:
            yield FoundSetting(arguments[0].value, SourceRange(path, site.call.line, site.call.line))
    for class_, definition in tracer.program.definitions_in(path):
        if definition.kind == "class":
            for tags in tags_of(tracer, class_).values():
                name = next((tags[key].partition(",")[0] for key in _TAGS if key in tags), "")
                if name:
                    yield FoundSetting(name, SourceRange(class_.path, definition.line, definition.line))


def read_options(tracer: Tracer, path: str) -> Iterator[FoundOption]:
    """Flags of the standard library, pflag and cobra, and the function they are declared in."""
    facts = tracer.program.files[path]
    for site in facts.calls:
        name = _flag_name(site.call)
        if name is None or not isinstance(site.call.function, Attribute):
            continue
        entity = tracer.types.of(site.call.function.base, path, site.scope)
        dotted_name = f"{entity.dotted_name}." if isinstance(entity, External | ExternalInstance) else ""
        if dotted_name.startswith(_FLAGS):
            place = SourceRange(path, site.call.line, site.call.line)
            yield FoundOption(f"--{name}", DefinitionRef(path, site.scope), place)


def _flag_name(call: Call) -> str | None:
    """The name of a flag that a call declares: first argument, or second where the first takes the value."""
    match call:
        case Call(Attribute(_, word), (StringLiteral(name), *_)) if word in _VALUES and name:
            return name
        case Call(Attribute(_, word), (Name() | Attribute() | Call() | Constant(), StringLiteral(name), *_)):
            return name if (word in _POINTERS or word == "Var") and name else None
        case _:
            return None
