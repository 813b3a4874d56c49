"""Classes that hold data: DTOs of class-validator, entities of TypeORM, schemas of mongoose, plain data classes."""

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Alternatives,
    Assignment,
    Attribute,
    Call,
    Constant,
    Expression,
    Items,
    Name,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.found_fields import FoundField, ModelFields
from pipeline.code_registry.languages.typescript.schemas import names_in
from pipeline.code_registry.linking.names.program import DefinitionRef, External
from pipeline.code_registry.linking.values.tracing import Tracer

_TABLES = frozenset({"Entity", "ViewEntity", "ChildEntity", "Schema", "Table"})
_COLUMNS = frozenset(
    {"Column", "PrimaryColumn", "PrimaryGeneratedColumn", "CreateDateColumn", "UpdateDateColumn"}
    | {"DeleteDateColumn", "VersionColumn", "Prop", "Property", "PrimaryKey", "ObjectIdColumn"}
)
_RELATIONS = frozenset({"OneToMany", "ManyToOne", "OneToOne", "ManyToMany"})
_MAPPING_TYPES = frozenset({"PartialType", "OmitType", "PickType", "IntersectionType"})
_UNDECORATED_BASES = frozenset({"BaseEntity", "Document", "Model"})
_DEEPEST = 8


def read_models(tracer: Tracer, class_: DefinitionRef) -> tuple[FoundField, ...]:
    """The fields that a class declares itself; inherited ones belong to the base.

    Interfaces and object types hold rows where no class does. Next to a component they are its properties, and an enum
    holds none.
    """
    definition = tracer.program.definition(class_)
    marks = {mark for mark, _ in definition.keywords}
    if "enum" in marks or (marks and class_.path.endswith((".tsx", ".jsx"))):
        return ()
    fields = _fields(tracer, class_)
    if any(last_word(decorator, Call) in _TABLES for decorator in definition.decorators):
        return tuple(
            field._replace(kind=FieldKind.TABLE)
            for item, field in fields
            if {last_word(d, Call) for d in decorators_of(item.annotation)} & (_COLUMNS | _RELATIONS)
        )
    methods = any(
        inner.parent == class_.number and inner.kind == "function"
        for inner in tracer.program.files[class_.path].definitions
    )
    if any(decorators_of(item.annotation) for item, _ in fields) or not methods:
        return tuple(field for _, field in fields)
    return ()


def model(tracer: Tracer, class_: DefinitionRef, depth: int = 0) -> ModelFields | None:
    """All fields of a class or interface, bases first, by their names on the wire."""
    if depth > _DEEPEST or not tracer.program.is_class(class_):
        return None
    fields: dict[str, FoundField] = {}
    complete = True
    for base in tracer.program.definition(class_).bases:
        part = _base(tracer, base, class_, depth)
        complete = complete and part is not None and part.complete
        fields |= {field.name: field for field in part.fields} if part is not None else {}
    fields |= {field.name: field for _, field in _fields(tracer, class_)}
    return ModelFields(tuple(fields.values()), complete)


def _base(tracer: Tracer, base: Expression, class_: DefinitionRef, depth: int) -> ModelFields | None:
    """The fields that a base brings; `PartialType(X)` and its like are made from X's."""
    scope = tracer.program.definition(class_).parent
    match base:
        case Call(Name(word) | Attribute(_, word), arguments) if word in _MAPPING_TYPES:
            parts = [_base(tracer, argument, class_, depth) for argument in arguments]
            models = [part for part in parts if part is not None]
            if not models:
                return None
            fields = {field.name: field for part in models for field in part.fields}
            if word in {"OmitType", "PickType"} and len(arguments) > 1:
                names = set(names_in(arguments[1]))
                fields = {n: f for n, f in fields.items() if (n in names) == (word == "PickType")}
            if word == "PartialType":
                fields = {n: f._replace(required=False) for n, f in fields.items()}
            return ModelFields(tuple(fields.values()), all(part.complete for part in models))
        case Subscript(inner, _):
            return _base(tracer, inner, class_, depth)
        case Name() | Attribute():
            entity = tracer.types.of(base, class_.path, scope)
            if isinstance(entity, DefinitionRef):
                return model(tracer, entity, depth + 1)
            is_bare = isinstance(entity, External) and base.name in _UNDECORATED_BASES
            return ModelFields((), True) if is_bare else None
        case _:
            return None


def model_of_type(tracer: Tracer, annotation: Expression | None, path: str, scope: int) -> ModelFields | None:
    """The fields of the type that an annotation names."""
    match annotation:
        case Subscript(Name("Annotated"), Items((inner, *_))):
            return model_of_type(tracer, inner, path, scope)
        case Subscript(Name("Partial" | "Required" | "Readonly" | "Promise"), inner):
            return model_of_type(tracer, inner, path, scope)
        case Subscript(Name("Omit" | "Pick" as word), Items((inner, names))):
            inner_model = model_of_type(tracer, inner, path, scope)
            if inner_model is None:
                return None
            chosen_names = {n.value for n in _texts(names)}
            fields = (f for f in inner_model.fields if (f.name in chosen_names) == (word == "Pick"))
            return inner_model._replace(fields=tuple(fields))
        case Name() | Attribute():
            entity = tracer.types.of(annotation, path, scope)
            if isinstance(entity, DefinitionRef) and tracer.program.is_class(entity):
                return model(tracer, entity)
            alias = tracer.types.annotations.alias(annotation, path, scope)
            return model_of_type(tracer, *alias) if alias is not None else None
        case _:
            return None


def _texts(names: Expression) -> list[StringLiteral]:
    options = names.options if isinstance(names, Alternatives) else (names,)
    return [option for option in options if isinstance(option, StringLiteral)]


def _fields(tracer: Tracer, class_: DefinitionRef) -> list[tuple[Assignment, FoundField]]:
    fields: list[tuple[Assignment, FoundField]] = []
    for item in tracer.program.assignments_in(class_, "field"):
        if item.annotation is not None and not item.target.startswith("#"):
            place = SourceRange(class_.path, item.line, item.line)
            type_ = shown_type(item.annotation)
            optional = item.value is not None or _is_optional(item.annotation)
            fields.append((item, FoundField(item.target, FieldKind.MODEL, place, type_, not optional)))
    return fields


def decorators_of(annotation: Expression | None) -> tuple[Expression, ...]:
    """The decorators that stand at a field or parameter."""
    match annotation:
        case Subscript(Name("Annotated"), Items((_, *decorators))):
            return tuple(decorators)
        case _:
            return ()


def shown_type(annotation: Expression | None) -> Expression | None:
    """The type of a field or parameter without its decorators."""
    match annotation:
        case Subscript(Name("Annotated"), Items((inner, *_))):
            return inner
        case _:
            return annotation


def _is_optional(annotation: Expression) -> bool:
    inner = shown_type(annotation)
    if any(last_word(decorator, Call) == "IsOptional" for decorator in decorators_of(annotation)):
        return True
    return isinstance(inner, Alternatives) and Constant("undefined") in inner.options
