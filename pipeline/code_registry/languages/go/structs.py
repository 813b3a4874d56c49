"""Structs that hold data: their fields as they are named on the wire or in the database."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Assignment,
    Attribute,
    Call,
    Expression,
    Items,
    Name,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField
from pipeline.code_registry.linking.names.program import DefinitionRef, Instance
from pipeline.code_registry.linking.values.fields import Reading

_TAG = re.compile(r'(?<![\w.-])([\w.-]+):"((?:[^"\\]|\\.)*)"')
_DATABASE = ("gorm", "xorm", "db", "bun", "bson")
_COLUMN = re.compile(r"(?:^|;)column:([^;]+)")
_SCHEMA_CALLS = frozenset({"Fields"})
_DEEPEST = 8


class Struct(NamedTuple):
    """All fields of a struct under one kind of tag. `complete`: every embedded type is known."""

    fields: tuple[FoundField, ...]
    complete: bool


def tags_of(reading: Reading, class_: DefinitionRef) -> dict[str, dict[str, str]]:
    """The tags of each field: key and value."""
    return {
        name: dict(_TAG.findall(value.value))
        for name, value in reading.program.definition(class_).keywords
        if isinstance(value, StringLiteral)
    }


def read_models(reading: Reading, class_: DefinitionRef) -> tuple[FoundField, ...]:
    """The fields that a struct declares itself, or those of an ent schema."""
    tags = tags_of(reading, class_)
    is_table = any(key in field_tags for field_tags in tags.values() for key in _DATABASE)
    kind = FieldKind.TABLE if is_table else FieldKind.MODEL
    fields: list[FoundField] = list(_schema(reading, class_))
    for field in reading.program.assignments_in(class_, "field"):
        if field.target[:1].isupper() and not _is_embedded(reading, class_, field):
            field_tags = tags.get(field.target, {})
            name = (
                (_column(field_tags) if is_table else None) or _wire_name(field_tags, "json") or field.target
            )
            place = SourceRange(class_.path, field.line, field.line)
            fields.append(FoundField(name, kind, place, field.annotation, None))
    return tuple(fields)


def struct(
    reading: Reading, class_: DefinitionRef, keys: tuple[str, ...], kind: FieldKind, depth: int = 0
) -> Struct:
    """All fields that a decoder fills, embedded ones among them; `keys` are the tags it reads, first found first."""
    tags = tags_of(reading, class_)
    fields: dict[str, FoundField] = {}
    complete = depth < _DEEPEST
    for base in reading.program.definition(class_).bases if depth < _DEEPEST else ():
        if _name_of(tags.get(last_word(base, Subscript), {}), keys) is None:
            inner = _struct_of(reading, class_, base)
            if inner is None:
                complete = False
                continue
            embedded_struct = struct(reading, inner, keys, kind, depth + 1)
            complete = complete and embedded_struct.complete
            fields |= {field.name: field for field in embedded_struct.fields}
    for field in reading.program.assignments_in(class_, "field"):
        field_tags = tags.get(field.target, {})
        name = _name_of(field_tags, keys)
        if name == "-" or not field.target[:1].isupper():
            continue
        if name is None and _is_embedded(reading, class_, field):
            continue
        place = SourceRange(class_.path, field.line, field.line)
        is_required = "required" in field_tags.get("binding", "") or "required" in field_tags.get(
            "validate", ""
        )
        wire = name or field.target
        fields[wire] = FoundField(wire, kind, place, field.annotation, is_required or None)
    return Struct(tuple(fields.values()), complete)


def _name_of(tags: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    return next((name for key in keys if (name := _wire_name(tags, key)) is not None), None)


def _wire_name(tags: Mapping[str, str], key: str) -> str | None:
    """The name that a tag gives; None where it gives none, `-` where it leaves the field out."""
    value = tags.get(key)
    if value is None:
        return None
    return value.partition(",")[0] or None


def _column(tags: Mapping[str, str]) -> str | None:
    match = _COLUMN.search(tags.get("gorm", ""))
    if match is not None:
        return match[1]
    return next(
        (name for key in ("db", "bun", "bson") if (name := _wire_name(tags, key)) not in {None, "-"}), None
    )


def _is_embedded(reading: Reading, class_: DefinitionRef, field: Assignment) -> bool:
    bases = reading.program.definition(class_).bases
    type_ = field.annotation
    return type_ is not None and type_ in bases and last_word(type_, Subscript) == field.target


def _struct_of(reading: Reading, class_: DefinitionRef, base: Expression) -> DefinitionRef | None:
    entity = reading.types.annotations.read(base, class_.path, reading.program.definition(class_).parent)
    return DefinitionRef(entity.path, entity.number) if isinstance(entity, Instance) else None


def _schema(reading: Reading, class_: DefinitionRef) -> list[FoundField]:
    """Fields of an ent schema: `field.String("name").Optional()` in what its method `Fields` returns."""
    fields: list[FoundField] = []
    for extension in reading.types.classes.extensions(class_):
        for word in _SCHEMA_CALLS:
            for method in reading.program.bindings_in(extension.path, extension.number, word):
                if isinstance(method, int):
                    for result in reading.program.returns(DefinitionRef(extension.path, method)):
                        items = result.value.items if isinstance(result.value, Items) else ()
                        fields += [field for item in items if (field := _ent_field(item, extension.path))]
    return fields


def _ent_field(expression: Expression, path: str) -> FoundField | None:
    at, optional = expression, False
    while isinstance(at, Call) and isinstance(at.function, Attribute):
        if isinstance(at.function.base, Name) and at.function.base.name == "field":
            if at.arguments and isinstance(at.arguments[0], StringLiteral):
                place = SourceRange(path, at.line, at.line)
                return FoundField(at.arguments[0].value, FieldKind.TABLE, place, None, not optional)
            return None
        optional = optional or at.function.name in {"Optional", "Default"}
        at = at.function.base
    return None
