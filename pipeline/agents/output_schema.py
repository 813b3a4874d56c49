"""Turn the JSON Schema of an agent file into the pydantic model of what the agent completes with.

The subset is what structured outputs of model providers accept too: closed objects, strings (with `enum`), numbers,
booleans and arrays, with bounds. A keyword outside it is refused: a rule that is not enforced would be a lie.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import GenericAlias
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema, create_model

from pipeline.domain.models import ClosedModel

_SCALARS: dict[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}

_BOUNDS = {
    "string": {"minLength": "min_length", "maxLength": "max_length"},
    "integer": {"minimum": "ge", "maximum": "le"},
    "number": {"minimum": "ge", "maximum": "le"},
    "boolean": {},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
    "object": {},
}

_LARGEST_BOUND = 2**53
_LARGEST_COUNT = 2**31

_OWN_KEYWORDS = {
    "string": {"enum"},
    "array": {"items"},
    "object": {"properties", "required", "additionalProperties"},
}

_ANNOTATIONS = {"type", "title", "description"}


@dataclass(frozen=True)
class SchemaMistake:
    """One thing in an output schema that cannot be used; `path` leads to it from the schema's root."""

    path: tuple[str, ...]
    text: str


class OutputSchemaInvalid(Exception):
    """A schema that cannot be turned into a model; all its mistakes are listed."""

    def __init__(self, mistakes: list[SchemaMistake]) -> None:
        super().__init__("; ".join(mistake.text for mistake in mistakes))
        self.mistakes = mistakes


class _StrictModel(ClosedModel):
    """Base of every made model: immutable, strict about types, and without room for what the schema does not name."""

    model_config = ConfigDict(strict=True)


def output_model(name: str, schema: JsonValue) -> type[BaseModel]:
    """The model of a schema whose root is an object.

    Raises:
        OutputSchemaInvalid: the schema is not one, or uses a keyword outside the subset.
    """
    mistakes: list[SchemaMistake] = []
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        raise OutputSchemaInvalid([SchemaMistake((), "the output schema must be of `type: object`")])
    model: type[BaseModel] = _object(name, schema, (), mistakes)
    if mistakes:
        raise OutputSchemaInvalid(mistakes)
    return model


def _type(name: str, schema: JsonValue, path: tuple[str, ...], mistakes: list[SchemaMistake]) -> Any:
    """The Python type of one subschema; `Any` where a mistake was noted."""
    if not isinstance(schema, Mapping):
        mistakes.append(SchemaMistake(path, f"a schema is a mapping with a `type`, not {schema!r}"))
        return Any
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _BOUNDS:
        mistakes.append(SchemaMistake(path, f"`type` is {kind!r}; allowed are {', '.join(_BOUNDS)}"))
        return Any
    if kind == "object":
        return _object(name, schema, path, mistakes)
    _refuse_unknown_keywords(kind, schema, path, mistakes)
    if kind == "array":
        items = schema.get("items")
        item_type = _type(name, items, (*path, "items"), mistakes)
        return GenericAlias(list, (Annotated[item_type, Field(**_bounds(items))],))
    if "enum" in schema:
        return _enum(schema["enum"], path, mistakes)
    return _SCALARS[kind]


def _object(
    name: str, schema: Mapping[str, JsonValue], path: tuple[str, ...], mistakes: list[SchemaMistake]
) -> Any:
    _refuse_unknown_keywords("object", schema, path, mistakes)
    if schema.get("additionalProperties", False) is not False:
        mistakes.append(
            SchemaMistake((*path, "additionalProperties"), "`additionalProperties` can only be false")
        )
    properties = schema.get("properties")
    required_keys = schema.get("required", [])
    if not isinstance(properties, Mapping) or not properties:
        mistakes.append(SchemaMistake(path, "an object names its `properties`"))
        return Any
    if not isinstance(required_keys, list) or not all(
        isinstance(key, str) and key in properties for key in required_keys
    ):
        mistakes.append(SchemaMistake((*path, "required"), "`required` is a list of keys of `properties`"))
        return Any
    fields: dict[str, Any] = {}
    for key, subschema in properties.items():
        here = (*path, "properties", key)
        if not is_field_name(key):
            mistakes.append(
                SchemaMistake(
                    here,
                    f"{key!r} cannot be a field: lower-case letters, digits and `_`, and no word that models use themselves",
                )
            )
            continue
        python_type = _type(f"{name}_{key}", subschema, here, mistakes)
        bounds = _bounds(subschema)
        fields[key] = (
            (python_type, Field(**bounds))
            if key in required_keys
            else (python_type | None, Field(None, **bounds))
        )
    return create_model(name, __base__=_StrictModel, **fields)


def is_field_name(word: str) -> bool:
    """Whether a word can be a field of a model: a lower-case identifier that pydantic does not use itself."""
    return (
        word.isascii()
        and word.isidentifier()
        and word == word.lower()
        and not word.startswith(("_", "model_"))
        and not hasattr(BaseModel, word)
    )


def _bounds(schema: JsonValue) -> dict[str, Any]:
    """Bounds and description as arguments of pydantic's `Field`."""
    if not isinstance(schema, Mapping):
        return {}
    kind = str(schema.get("type"))
    bounds: dict[str, Any] = {
        python: schema[keyword]
        for keyword, python in _BOUNDS.get(kind, {}).items()
        if _is_bound(kind, keyword, schema.get(keyword))
    }
    if isinstance(schema.get("description"), str):
        bounds["description"] = schema["description"]
    return bounds


def _enum(values: JsonValue, path: tuple[str, ...], mistakes: list[SchemaMistake]) -> Any:
    if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
        mistakes.append(
            SchemaMistake((*path, "enum"), "`enum` is a list of strings; quote words such as `no`")
        )
        return Any
    words = [str(value) for value in values]

    def one_of(word: str) -> str:
        if word not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return word

    return Annotated[str, AfterValidator(one_of), WithJsonSchema({"type": "string", "enum": words})]


def _refuse_unknown_keywords(
    kind: str, schema: Mapping[str, JsonValue], path: tuple[str, ...], mistakes: list[SchemaMistake]
) -> None:
    allowed_keywords = _ANNOTATIONS | _OWN_KEYWORDS.get(kind, set()) | set(_BOUNDS[kind])
    for keyword in schema:
        if keyword not in allowed_keywords:
            text = f"`{keyword}` is not supported for `type: {kind}`; allowed are {', '.join(sorted(allowed_keywords))}"
            mistakes.append(SchemaMistake((*path, keyword), text))
    for keyword in _BOUNDS[kind]:
        if keyword in schema and not _is_bound(kind, keyword, schema[keyword]):
            text = f"`{keyword}` cannot be {schema[keyword]!r}"
            mistakes.append(SchemaMistake((*path, keyword), text))


def _is_bound(kind: str, keyword: str, value: JsonValue) -> bool:
    """Whether a value can bound: a number that every JSON reader keeps, whole for whole numbers, or a count for a length."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if keyword in ("minimum", "maximum"):
        return abs(value) <= _LARGEST_BOUND and (kind == "number" or isinstance(value, int))
    return isinstance(value, int) and 0 <= value <= _LARGEST_COUNT
