"""Structs that hold data: their fields as they are named on the wire or in the database."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, Place
from pipeline.code_registry.facts import Assignment, Attribute, Call, Expression, Items, Name, Text
from pipeline.code_registry.found_fields import FoundField
from pipeline.code_registry.languages.go.declarations import word_of
from pipeline.code_registry.linking.fields import Reading
from pipeline.code_registry.linking.program import Defined, Instance

_TAG = re.compile(r'([\w.-]+):"((?:[^"\\]|\\.)*)"')
_DATABASE = ("gorm", "xorm", "db", "bun", "bson")
_COLUMN = re.compile(r"(?:^|;)column:([^;]+)")
_SCHEMA_CALLS = frozenset({"Fields"})
_DEEPEST = 8


class Struct(NamedTuple):
    """All fields of a struct under one kind of tag. `complete`: every embedded type is known."""

    fields: tuple[FoundField, ...]
    complete: bool


def tags_of(reading: Reading, class_: Defined) -> dict[str, dict[str, str]]:
    """The tags of each field: key and value."""
    return {
        name: dict(_TAG.findall(value.value))
        for name, value in reading.program.definition(class_).keywords
        if isinstance(value, Text)
    }


def read_models(reading: Reading, class_: Defined) -> tuple[FoundField, ...]:
    """The fields that a struct declares itself, or those of an ent schema."""
    tags = tags_of(reading, class_)
    is_table = any(key in given for given in tags.values() for key in _DATABASE)
    kind = FieldKind.TABLE if is_table else FieldKind.MODEL
    found: list[FoundField] = list(_schema(reading, class_))
    for field in _declared(reading, class_):
        if field.target[:1].isupper() and not _is_embedded(reading, class_, field):
            given = tags.get(field.target, {})
            name = (_column(given) if is_table else None) or _wire_name(given, "json") or field.target
            place = Place(class_.path, field.line, field.line)
            found.append(FoundField(name, kind, place, field.annotation, None))
    return tuple(found)


def struct(
    reading: Reading, class_: Defined, keys: tuple[str, ...], kind: FieldKind, depth: int = 0
) -> Struct:
    """All fields that a decoder fills, embedded ones among them; `keys` are the tags it reads, first found first."""
    tags = tags_of(reading, class_)
    found: dict[str, FoundField] = {}
    complete = depth < _DEEPEST
    for base in reading.program.definition(class_).bases if depth < _DEEPEST else ():
        if _name_of(tags.get(word_of(base), {}), keys) is None:
            inner = _struct_of(reading, class_, base)
            if inner is None:
                complete = False
                continue
            embedded = struct(reading, inner, keys, kind, depth + 1)
            complete = complete and embedded.complete
            found |= {field.name: field for field in embedded.fields}
    for field in _declared(reading, class_):
        given = tags.get(field.target, {})
        name = _name_of(given, keys)
        if name == "-" or not field.target[:1].isupper():
            continue
        if name is None and _is_embedded(reading, class_, field):
            continue
        place = Place(class_.path, field.line, field.line)
        required = "required" in given.get("binding", "") or "required" in given.get("validate", "")
        wire = name or field.target
        found[wire] = FoundField(wire, kind, place, field.annotation, required or None)
    return Struct(tuple(found.values()), complete)


def _name_of(tags: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    return next((name for key in keys if (name := _wire_name(tags, key)) is not None), None)


def _wire_name(tags: Mapping[str, str], key: str) -> str | None:
    """The name that a tag gives; None where it gives none, `-` where it leaves the field out."""
    value = tags.get(key)
    if value is None:
        return None
    return value.partition(",")[0] or None


def _column(tags: Mapping[str, str]) -> str | None:
    found = _COLUMN.search(tags.get("gorm", ""))
    if found is not None:
        return found[1]
    return next(
        (name for key in ("db", "bun", "bson") if (name := _wire_name(tags, key)) not in {None, "-"}), None
    )


def _declared(reading: Reading, class_: Defined) -> list[Assignment]:
    names = reading.program.own_names(class_.path, class_.number)
    own = [i for items in names.values() for i in items if isinstance(i, Assignment) and i.mode == "field"]
    return sorted(own, key=lambda item: item.line)


def _is_embedded(reading: Reading, class_: Defined, field: Assignment) -> bool:
    bases = reading.program.definition(class_).bases
    type_ = field.annotation
    return type_ is not None and type_ in bases and word_of(type_) == field.target


def _struct_of(reading: Reading, class_: Defined, base: Expression) -> Defined | None:
    entity = reading.types.annotations.read(base, class_.path, reading.program.definition(class_).parent)
    return Defined(entity.path, entity.number) if isinstance(entity, Instance) else None


def _schema(reading: Reading, class_: Defined) -> list[FoundField]:
    """Fields of an ent schema: `field.String("name").Optional()` in what its method `Fields` returns."""
    found: list[FoundField] = []
    for extension in reading.types.classes.extensions(class_):
        for word in _SCHEMA_CALLS:
            for method in reading.program.own(extension.path, extension.number, word):
                if isinstance(method, int):
                    for returned in reading.program.returns(Defined(extension.path, method)):
                        items = returned.value.items if isinstance(returned.value, Items) else ()
                        found += [field for item in items if (field := _ent_field(item, extension.path))]
    return found


def _ent_field(expression: Expression, path: str) -> FoundField | None:
    at, optional = expression, False
    while isinstance(at, Call) and isinstance(at.function, Attribute):
        if isinstance(at.function.base, Name) and at.function.base.name == "field":
            if at.arguments and isinstance(at.arguments[0], Text):
                place = Place(path, at.line, at.line)
                return FoundField(at.arguments[0].value, FieldKind.TABLE, place, None, not optional)
            return None
        optional = optional or at.function.name in {"Optional", "Default"}
        at = at.function.base
    return None
