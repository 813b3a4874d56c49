"""Classes that hold data: pydantic, SQLModel, dataclasses, attrs, SQLAlchemy, and those that declare fields by calls, as Django does."""

from collections.abc import Iterable

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Assignment,
    Attribute,
    Call,
    Constant,
    Expression,
    Items,
    Name,
    Pairs,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField, ModelFields
from pipeline.code_registry.linking.handlers import class_value
from pipeline.code_registry.linking.names.program import DefinitionRef, External
from pipeline.code_registry.linking.values.tracing import Tracer

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


def called_kind(tracer: Tracer, class_: DefinitionRef) -> FieldKind | None:
    """Whether a class declares the fields of a table or of another model by calls."""
    bases = tracer.types.classes.external_bases(class_)
    words = _words(bases)
    if _TABLES & set(bases):
        return FieldKind.TABLE
    if words & _SERIALIZERS or (
        words & (_FORMS | _SCHEMAS) and _PACKAGES & {b.partition(".")[0] for b in bases}
    ):
        return FieldKind.MODEL
    if bases and any(
        _is_table_field(tracer, class_, item.value) for item in tracer.program.assignments_in(class_)
    ):
        return FieldKind.TABLE
    return None


def called_fields(tracer: Tracer, class_: DefinitionRef, kind: FieldKind) -> tuple[FoundField, ...]:
    """The fields a class declares itself, and those of another class that it lists."""
    fields = _read_declarations(tracer, class_, kind)
    meta = _meta(tracer, class_)
    listed_names = _names(tracer, meta, "fields") if meta is not None and kind is FieldKind.MODEL else None
    if meta is not None and meta.path == class_.path:
        line = tracer.program.definition(meta).line
        for name in () if listed_names == (_ALL,) else listed_names or ():
            fields.setdefault(name, FoundField(name, kind, SourceRange(meta.path, line, line), None, None))
    return tuple(fields.values())


def _words(bases: Iterable[str]) -> set[str]:
    return {base.rpartition(".")[2].lstrip("?") for base in bases}


def _read_declarations(tracer: Tracer, class_: DefinitionRef, kind: FieldKind) -> dict[str, FoundField]:
    """What the body of a class declares, by name."""
    fields: dict[str, FoundField] = {}
    for item in tracer.program.assignments_in(class_):
        call = item.value
        if not isinstance(call, Call) or not _is_field(tracer, class_, call):
            continue
        keywords = dict(call.keywords)
        alias = keywords.get("data_key")
        name = alias.value if isinstance(alias, StringLiteral) else item.target
        place = SourceRange(class_.path, item.line, item.line)
        fields[item.target] = FoundField(name, kind, place, call.function, _is_required(keywords, call, kind))
    return fields


def _is_field(tracer: Tracer, class_: DefinitionRef, call: Call) -> bool:
    word = last_word(call.function)
    if word in _NO_FIELDS or not word:
        return False
    if word.endswith("Field") or word in _RELATIONS:
        return True
    entity = tracer.types.of(call.function, class_.path, class_.number)
    if isinstance(entity, External):
        return entity.dotted_name.startswith(("marshmallow.fields.", "rest_framework.serializers."))
    return isinstance(entity, DefinitionRef) and bool(
        _words(tracer.types.classes.external_bases(entity)) & _SERIALIZERS
    )


def _is_table_field(tracer: Tracer, class_: DefinitionRef, value: Expression | None) -> bool:
    if not isinstance(value, Call) or not isinstance(value.function, Name | Attribute):
        return False
    if not value.function.name.endswith("Field") and value.function.name not in _RELATIONS:
        return False
    entity = tracer.types.of(value.function, class_.path, class_.number)
    return isinstance(entity, External) and entity.dotted_name.startswith(_TABLE_FIELDS)


def _is_required(keywords: dict[str, Expression], call: Call, kind: FieldKind) -> bool | None:
    true = Constant("True")
    if "required" in keywords:
        return keywords["required"] == true
    if kind is FieldKind.TABLE:
        optional = any(keywords.get(key) == true for key in ("null", "blank", "auto_now", "auto_now_add"))
        return not optional and "default" not in keywords
    if any(keywords.get(key) == true for key in ("read_only", "dump_only", "allow_null")):
        return False
    word = last_word(call.function)
    is_optional = word in _FOR_READING or (
        isinstance(call.function, Attribute) and not word.endswith("Field")
    )
    return not is_optional and not {"default", "load_default", "missing"} & set(keywords)


def _meta(tracer: Tracer, class_: DefinitionRef) -> DefinitionRef | None:
    """The class inside a class, or inside the nearest of its bases, that says which fields it takes from where."""
    for at in tracer.types.classes.lineage(class_):
        for binding in tracer.program.bindings_in(at.path, at.number, "Meta"):
            if isinstance(binding, int):
                return DefinitionRef(at.path, binding)
    return None


def _names(tracer: Tracer, meta: DefinitionRef | None, attribute: str) -> tuple[str, ...] | None:
    """Names in a list; None where there is no list that can be read."""
    value = class_value(tracer, meta, attribute) if meta is not None else None
    if value is None or not isinstance(value.expression, Items | StringLiteral):
        return None
    return tuple(text.text for text in tracer.texts(value) if not text.dynamic)


_COLUMN_CALLS = frozenset({"Column", "mapped_column"})
_RELATION_CALLS = frozenset({"relationship", "Relationship", "backref", "PrivateAttr", "association_proxy"})
_MODEL_BASES = frozenset({"BaseModel", "BaseSettings", "SQLModel", "GenericModel", "Schema", "RootModel"})
_NEUTRAL_BASES = frozenset(
    {"Generic", "ABC", "object", "Enum", "StrEnum", "str", "Protocol", "Base", "DeclarativeBase"}
)
_SCALAR_BASES = frozenset({"Enum", "StrEnum", "IntEnum", "Flag", "str", "int", "float", "bytes"})
_DATA_DECORATORS = frozenset({"dataclass", "define", "frozen", "attrs", "s", "mutable"})
_ENVIRONMENT_BASES = frozenset({"BaseSettings"})


def read_models(tracer: Tracer, class_: DefinitionRef) -> tuple[FoundField, ...]:
    """The fields that a class declares itself; inherited ones belong to the base."""
    field_kind = called_kind(tracer, class_)
    if field_kind is not None:
        return called_fields(tracer, class_, field_kind)
    kind = model_kind(tracer, class_)
    return () if kind is None else tuple(field for _, field in _declared_fields(tracer, class_, kind))


def model(tracer: Tracer, class_: DefinitionRef) -> ModelFields | None:
    """All fields of a class of data, bases first, by their names on the wire; None for other classes."""
    kind = model_kind(tracer, class_)
    if kind is None:
        return None
    fields_by_target: dict[str, FoundField] = {}
    camel = False
    lineage = list(tracer.types.classes.lineage(class_))
    for at in reversed(lineage):
        camel = camel or _camel_aliases(tracer, at)
        for assignment, field in _declared_fields(tracer, at, kind):
            fields_by_target[assignment.target] = field
    fields = tuple(
        _camel(field) if camel and field.name == name else field for name, field in fields_by_target.items()
    )
    external = _words(tracer.types.classes.external_bases(class_))
    return ModelFields(fields, complete=external <= _MODEL_BASES | _NEUTRAL_BASES)


def model_kind(tracer: Tracer, class_: DefinitionRef) -> FieldKind | None:
    """Whether a class is a table, a model, or neither."""
    definition = tracer.program.definition(class_)
    if any(key == "table" and value == Constant("True") for key, value in definition.keywords):
        return FieldKind.TABLE
    for at in tracer.types.classes.lineage(class_):
        if any(_is_column(item.value) for item in tracer.program.assignments_in(at)):
            return FieldKind.TABLE
        decorators = tracer.program.definition(at).decorators
        if any(last_word(decorator, Call, Subscript) in _DATA_DECORATORS for decorator in decorators):
            return FieldKind.MODEL
    return FieldKind.MODEL if _outside_words(tracer, class_) & _MODEL_BASES else None


def is_scalar(tracer: Tracer, class_: DefinitionRef) -> bool:
    """Whether values of a class are single values, such as the members of an enumeration."""
    builtin = {
        last_word(base, Call, Subscript)
        for at in tracer.types.classes.lineage(class_)
        for base in tracer.program.definition(at).bases
    }
    return bool((_outside_words(tracer, class_) | builtin) & _SCALAR_BASES)


def is_settings(tracer: Tracer, class_: DefinitionRef) -> bool:
    """Whether the fields of a class are read from the environment."""
    return bool(_outside_words(tracer, class_) & _ENVIRONMENT_BASES)


def _outside_words(tracer: Tracer, class_: DefinitionRef) -> set[str]:
    return {base.rpartition(".")[2] for base in tracer.types.classes.external_bases(class_)}


def _declared_fields(
    tracer: Tracer, class_: DefinitionRef, kind: FieldKind
) -> list[tuple[Assignment, FoundField]]:
    fields: list[tuple[Assignment, FoundField]] = []
    for item in tracer.program.assignments_in(class_):
        is_column = _is_column(item.value)
        if (
            item.target.startswith("_")
            or item.target == "model_config"
            or last_word(item.value, Call, Subscript) in _RELATION_CALLS
        ):
            continue
        if not is_column and (item.annotation is None or _is_class_variable(item.annotation)):
            continue
        place = SourceRange(class_.path, item.line, item.line)
        name = _alias(item.value) or item.target
        is_required = None if is_column else item.value is None or _is_required_value(item.value)
        fields.append((item, FoundField(name, kind, place, item.annotation, is_required)))
    return fields


def _is_column(value: Expression | None) -> bool:
    return isinstance(value, Call) and last_word(value, Call, Subscript) in _COLUMN_CALLS


def _is_class_variable(annotation: Expression) -> bool:
    return last_word(annotation, Call, Subscript) == "ClassVar"


def _alias(value: Expression | None) -> str | None:
    """The name on the wire that `Field(alias=…)` gives."""
    if not isinstance(value, Call) or last_word(value, Call, Subscript) != "Field":
        return None
    for key in ("validation_alias", "alias"):
        for name, alias in value.keywords:
            if name == key and isinstance(alias, StringLiteral):
                return alias.value
    return None


def _is_required_value(value: Expression) -> bool:
    if not isinstance(value, Call) or last_word(value, Call, Subscript) not in {"Field", "field"}:
        return value == Constant("...")
    if value.arguments:
        return value.arguments[0] == Constant("...")
    return not any(key in {"default", "default_factory"} for key, _ in value.keywords)


def _camel_aliases(tracer: Tracer, class_: DefinitionRef) -> bool:
    for binding in tracer.program.bindings_in(class_.path, class_.number, "model_config"):
        value = binding.value if isinstance(binding, Assignment) else None
        options = (
            value.items if isinstance(value, Pairs) else value.keywords if isinstance(value, Call) else ()
        )
        if any(
            key in ("alias_generator", StringLiteral("alias_generator"))
            and last_word(generator, Call, Subscript) == "to_camel"
            for key, generator in options
        ):
            return True
    return False


def _camel(field: FoundField) -> FoundField:
    first, *rest = field.name.split("_")
    return field._replace(name=first + "".join(word.capitalize() for word in rest))
