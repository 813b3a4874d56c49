"""Classes that hold data: pydantic, SQLModel, dataclasses, attrs, SQLAlchemy tables."""

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Assignment,
    Call,
    Constant,
    Expression,
    Pairs,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField, ModelFields
from pipeline.code_registry.languages.python.called_fields import called_fields, called_kind
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.values.fields import Reading

_COLUMN_CALLS = frozenset({"Column", "mapped_column"})
_RELATIONS = frozenset({"relationship", "Relationship", "backref", "PrivateAttr", "association_proxy"})
_MODEL_BASES = frozenset({"BaseModel", "BaseSettings", "SQLModel", "GenericModel", "Schema", "RootModel"})
_NEUTRAL_BASES = frozenset(
    {"Generic", "ABC", "object", "Enum", "StrEnum", "str", "Protocol", "Base", "DeclarativeBase"}
)
_SCALAR_BASES = frozenset({"Enum", "StrEnum", "IntEnum", "Flag", "str", "int", "float", "bytes"})
_DATA_DECORATORS = frozenset({"dataclass", "define", "frozen", "attrs", "s", "mutable"})
_ENVIRONMENT_BASES = frozenset({"BaseSettings"})


def read_models(reading: Reading, class_: DefinitionRef) -> tuple[FoundField, ...]:
    """The fields that a class declares itself; inherited ones belong to the base."""
    field_kind = called_kind(reading, class_)
    if field_kind is not None:
        return called_fields(reading, class_, field_kind)
    kind = model_kind(reading, class_)
    return () if kind is None else tuple(field for _, field in _declared_fields(reading, class_, kind))


def model(reading: Reading, class_: DefinitionRef) -> ModelFields | None:
    """All fields of a class of data, bases first, as they are named on the wire; None for other classes."""
    kind = model_kind(reading, class_)
    if kind is None:
        return None
    fields_by_target: dict[str, FoundField] = {}
    camel = False
    lineage = list(reading.types.classes.lineage(class_))
    for at in reversed(lineage):
        camel = camel or _camel_aliases(reading, at)
        for assignment, field in _declared_fields(reading, at, kind):
            fields_by_target[assignment.target] = field
    fields = tuple(
        _camel(field) if camel and field.name == name else field for name, field in fields_by_target.items()
    )
    external = {base.rpartition(".")[2].lstrip("?") for base in reading.types.classes.external_bases(class_)}
    return ModelFields(fields, complete=external <= _MODEL_BASES | _NEUTRAL_BASES)


def model_kind(reading: Reading, class_: DefinitionRef) -> FieldKind | None:
    """Whether a class is a table, a model, or neither."""
    definition = reading.program.definition(class_)
    if any(key == "table" and value == Constant("True") for key, value in definition.keywords):
        return FieldKind.TABLE
    for at in reading.types.classes.lineage(class_):
        if _has_columns(reading, at):
            return FieldKind.TABLE
        decorators = reading.program.definition(at).decorators
        if any(last_word(decorator, Call, Subscript) in _DATA_DECORATORS for decorator in decorators):
            return FieldKind.MODEL
    external = {base.rpartition(".")[2] for base in reading.types.classes.external_bases(class_)}
    return FieldKind.MODEL if external & _MODEL_BASES else None


def _has_columns(reading: Reading, class_: DefinitionRef) -> bool:
    return any(_is_column(item.value) for item in reading.program.assignments_in(class_))


def is_scalar(reading: Reading, class_: DefinitionRef) -> bool:
    """Whether values of a class are single values, such as the members of an enumeration."""
    external = {
        external_base.rpartition(".")[2] for external_base in reading.types.classes.external_bases(class_)
    }
    builtin = {
        last_word(base, Call, Subscript)
        for at in reading.types.classes.lineage(class_)
        for base in reading.program.definition(at).bases
    }
    return bool((external | builtin) & _SCALAR_BASES)


def is_settings(reading: Reading, class_: DefinitionRef) -> bool:
    """Whether the fields of a class are read from the environment."""
    external = {base.rpartition(".")[2] for base in reading.types.classes.external_bases(class_)}
    return bool(external & _ENVIRONMENT_BASES)


def _declared_fields(
    reading: Reading, class_: DefinitionRef, kind: FieldKind
) -> list[tuple[Assignment, FoundField]]:
    fields: list[tuple[Assignment, FoundField]] = []
    for item in reading.program.assignments_in(class_):
        is_column = _is_column(item.value)
        if (
            item.target.startswith("_")
            or item.target == "model_config"
            or last_word(item.value, Call, Subscript) in _RELATIONS
        ):
            continue
        if not is_column and (item.annotation is None or _is_class_variable(item.annotation)):
            continue
        place = SourceRange(class_.path, item.line, item.line)
        name = _alias(item.value) or item.target
        is_required = None if is_column else item.value is None or _is_required(item.value)
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


def _is_required(value: Expression) -> bool:
    if not isinstance(value, Call) or last_word(value, Call, Subscript) not in {"Field", "field"}:
        return value == Constant("...")
    if value.arguments:
        return value.arguments[0] == Constant("...")
    return not any(key in {"default", "default_factory"} for key, _ in value.keywords)


def _camel_aliases(reading: Reading, class_: DefinitionRef) -> bool:
    for binding in reading.program.bindings_in(class_.path, class_.number, "model_config"):
        if isinstance(binding, Assignment):
            value = binding.value
            if isinstance(value, Call):
                return any(
                    k == "alias_generator" and last_word(v, Call, Subscript) == "to_camel"
                    for k, v in value.keywords
                )
            if isinstance(value, Pairs):
                return any(
                    k == StringLiteral("alias_generator") and last_word(v, Call, Subscript) == "to_camel"
                    for k, v in value.items
                )
    return False


def _camel(field: FoundField) -> FoundField:
    first, *rest = field.name.split("_")
    return field._replace(name=first + "".join(word.capitalize() for word in rest))
