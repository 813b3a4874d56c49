"""Fields that a class declares by calls: tables and forms of Django, serializers of Django REST framework, marshmallow."""

from collections.abc import Iterable

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Constant,
    Expression,
    Items,
    Name,
    StringLiteral,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField
from pipeline.code_registry.linking.handlers.views import class_value
from pipeline.code_registry.linking.names.program import DefinitionRef, External
from pipeline.code_registry.linking.values.fields import Reading

_TABLES = frozenset({"django.db.models.Model", "django.contrib.gis.db.models.Model"})
_TABLE_FIELDS = ("django.db.models.", "django.contrib.gis.db.models.", "django.contrib.postgres.fields.")
_FORMS = frozenset({"Form", "ModelForm"})
_SERIALIZERS = frozenset(
    {"Serializer", "ModelSerializer", "HyperlinkedModelSerializer", "ListSerializer", "BaseSerializer"}
)
_SCHEMAS = frozenset({"Schema", "SQLAlchemySchema", "SQLAlchemyAutoSchema"})
_PACKAGES = frozenset(
    {"django", "rest_framework", "marshmallow", "marshmallow_sqlalchemy", "flask_marshmallow"}
)
_RELATIONS = frozenset({"ForeignKey", "TreeForeignKey", "ParentalKey"})
_NO_FIELDS = frozenset({"GenericForeignKey", "GenericRelation"})
_FOR_READING = frozenset(
    {"SerializerMethodField", "ReadOnlyField", "HyperlinkedIdentityField", "HiddenField"}
)
_ALL = "__all__"


def called_kind(reading: Reading, class_: DefinitionRef) -> FieldKind | None:
    """Whether a class declares the fields of a table or of another model by calls."""
    bases = reading.types.classes.external_bases(class_)
    words = _words(bases)
    if _TABLES & set(bases):
        return FieldKind.TABLE
    if words & _SERIALIZERS or (
        words & (_FORMS | _SCHEMAS) and _PACKAGES & {b.partition(".")[0] for b in bases}
    ):
        return FieldKind.MODEL
    if bases and any(
        _is_table_field(reading, class_, item.value) for item in reading.program.assignments_in(class_)
    ):
        return FieldKind.TABLE
    return None


def called_fields(reading: Reading, class_: DefinitionRef, kind: FieldKind) -> tuple[FoundField, ...]:
    """The fields a class declares itself, and those of another class that it lists."""
    fields = _read_declarations(reading, class_, kind)
    meta = _meta(reading, class_)
    listed_names = _names(reading, meta, "fields") if meta is not None and kind is FieldKind.MODEL else None
    if meta is not None and meta.path == class_.path:
        line = reading.program.definition(meta).line
        for name in () if listed_names == (_ALL,) else listed_names or ():
            fields.setdefault(name, FoundField(name, kind, SourceRange(meta.path, line, line), None, None))
    return tuple(fields.values())


def _words(bases: Iterable[str]) -> set[str]:
    return {base.rpartition(".")[2].lstrip("?") for base in bases}


def _read_declarations(reading: Reading, class_: DefinitionRef, kind: FieldKind) -> dict[str, FoundField]:
    """What the body of a class declares, by name."""
    fields: dict[str, FoundField] = {}
    for item in reading.program.assignments_in(class_):
        call = item.value
        if not isinstance(call, Call) or not _is_field(reading, class_, call):
            continue
        keywords = dict(call.keywords)
        alias = keywords.get("data_key")
        name = alias.value if isinstance(alias, StringLiteral) else item.target
        place = SourceRange(class_.path, item.line, item.line)
        fields[item.target] = FoundField(name, kind, place, call.function, _is_required(keywords, call, kind))
    return fields


def _is_field(reading: Reading, class_: DefinitionRef, call: Call) -> bool:
    word = last_word(call.function)
    if word in _NO_FIELDS or not word:
        return False
    if word.endswith("Field") or word in _RELATIONS:
        return True
    entity = reading.types.of(call.function, class_.path, class_.number)
    if isinstance(entity, External):
        return entity.dotted_name.startswith(("marshmallow.fields.", "rest_framework.serializers."))
    return isinstance(entity, DefinitionRef) and bool(
        _words(reading.types.classes.external_bases(entity)) & _SERIALIZERS
    )


def _is_table_field(reading: Reading, class_: DefinitionRef, value: Expression | None) -> bool:
    if not isinstance(value, Call) or not isinstance(value.function, Name | Attribute):
        return False
    if not value.function.name.endswith("Field") and value.function.name not in _RELATIONS:
        return False
    entity = reading.types.of(value.function, class_.path, class_.number)
    return isinstance(entity, External) and entity.dotted_name.startswith(_TABLE_FIELDS)


def _is_required(keywords: dict[str, Expression], call: Call, kind: FieldKind) -> bool | None:
    true = Constant("True")
    if "required" in keywords:
        return keywords["required"] == true
    if kind is FieldKind.TABLE:
        optional = any(keywords.get(key) == true for key in ("null", "blank", "auto_now", "auto_now_add"))
        return not optional and "default" not in keywords
    if (
        keywords.get("read_only") == true
        or keywords.get("dump_only") == true
        or keywords.get("allow_null") == true
    ):
        return False
    word = last_word(call.function)
    is_optional = word in _FOR_READING or (
        isinstance(call.function, Attribute) and not word.endswith("Field")
    )
    return not is_optional and not {"default", "load_default", "missing"} & set(keywords)


def _meta(reading: Reading, class_: DefinitionRef) -> DefinitionRef | None:
    """The class inside a class, or inside the nearest of its bases, that says which fields it takes from where."""
    for at in reading.types.classes.lineage(class_):
        for binding in reading.program.bindings_in(at.path, at.number, "Meta"):
            if isinstance(binding, int):
                return DefinitionRef(at.path, binding)
    return None


def _names(reading: Reading, meta: DefinitionRef | None, attribute: str) -> tuple[str, ...] | None:
    """Names in a list; None where there is no list that can be read."""
    value = class_value(reading.tracer, meta, attribute) if meta is not None else None
    if value is None or not isinstance(value.expression, Items | StringLiteral):
        return None
    return tuple(text.text for text in reading.tracer.texts(value) if not text.dynamic)
