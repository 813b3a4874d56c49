"""Turn what pydantic found wrong into sentences with a line number and what is allowed."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from pipeline.contract.yaml_source import Document, Mistake, Place

Tags = Mapping[str, type[BaseModel] | None]
"""The words that pydantic puts into the place of an error to say which form of a union it means, each with its model."""

_QUOTED = re.compile("'([^']*)'")


def mistakes_by_key(error: ValidationError, whole: str = "") -> list[str]:
    """The mistakes in a document that a program wrote, each with its key; `whole` names the document itself."""
    details = error.errors(include_url=False, include_input=False)
    return [f"{'.'.join(map(str, detail['loc'])) or whole}: {detail['msg']}" for detail in details]


def model_mistakes(
    error: ValidationError,
    model: type[BaseModel],
    document: Document,
    around: Place = (),
    *,
    tags: Tags = MappingProxyType({}),
    refused_keys: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Mistake]:
    """One mistake per error. `around` leads to the value that was validated against `model`.

    `tags` are those of the unions in the model; `refused_keys` says why a key may not stand where it is unknown.
    """
    for detail in error.errors(include_url=False):
        if detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]:
            continue  # pydantic counts the items that are valid; each of the others has a mistake of its own
        loc = tuple(part for part in detail["loc"] if not str(part).startswith("function-"))
        place = tuple(part for part in loc if part not in tags)
        words = [part for part in place if isinstance(part, str)]
        key = words[-1] if words else ""
        is_refused = detail["type"] == "extra_forbidden" and key in refused_keys
        text = refused_keys[key] if is_refused else _sentence(detail, key, _keys_at(model, loc, tags))
        yield Mistake(document.line((*around, *place)), text)


_EXPECTED: Mapping[str, str] = MappingProxyType(
    {
        "string_type": "text",
        "list_type": "a list",
        "tuple_type": "a list",
        "dict_type": "keys with values",
        "model_type": "keys with values",
        "int_type": "a whole number",
        "int_parsing": "a whole number",
        "int_from_float": "a whole number",
        "float_type": "a number",
        "float_parsing": "a number",
        "decimal_type": "a number",
        "decimal_parsing": "a number",
        "bool_type": "true or false",
        "bool_parsing": "true or false",
    }
)
"""What a value must be, by pydantic's name of the error: pydantic's own words name types of Python."""


def suggestion(word: object, choices: list[str]) -> str:
    """` Did you mean …? Allowed: …`, to stand behind a sentence about a word that is not among the allowed ones."""
    near = get_close_matches(str(word), choices, n=1)
    hint = f" Did you mean `{near[0]}`?" if near else ""
    return f"{hint} Allowed: {', '.join(choices)}." if choices else hint


def _sentence(detail: Any, key: str, keys: list[str]) -> str:
    match detail["type"]:
        case "missing":
            return f"`{key}` is missing."
        case "extra_forbidden" if not keys:
            return f"Unknown key `{key}`: no keys are allowed here."
        case "extra_forbidden":
            return f"Unknown key `{key}`.{suggestion(key, keys)}"
        case "string_type" if isinstance(detail["input"], bool):
            return f"`{key}` is true or false to YAML, and must be text: put it in quotes."
        case error_type if error_type in _EXPECTED:
            return f"{_subject(key)} must be {_EXPECTED[error_type]}; found {_shorten(detail['input'])}."
        case _:
            message = detail["msg"].removeprefix("Value error, ")
            must_be = message.removeprefix("Input should be ")
            verb = " must be " if must_be != message else ": "
            return f"{_subject(key)}{verb}{must_be}; found {_shorten(detail['input'])}.{_near(detail)}"


def _subject(key: str) -> str:
    return f"`{key}`" if key else "the file"


def _near(detail: Any) -> str:
    """` Did you mean …?` where the value is almost one of a few words; the sentence before it lists them all."""
    if detail["type"] not in {"literal_error", "enum"}:
        return ""
    near = get_close_matches(str(detail["input"]), _QUOTED.findall(detail["ctx"]["expected"]), n=1)
    return f" Did you mean `{near[0]}`?" if near else ""


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _keys_at(model: type[BaseModel], place: Place, tags: Tags) -> list[str]:
    """The keys that the mapping around a place may have; a tag in the place says which form of a union it is."""
    for part in place[:-1]:
        if isinstance(part, str) and part in tags:
            model = tags[part] or model
        elif isinstance(part, str):
            inner = next(
                (f.annotation for n, f in model.model_fields.items() if (f.alias or n) == part), None
            )
            inner_model = _model_in(inner)
            if inner_model is None:
                return []
            model = inner_model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The first model within an annotation such as `tuple[StageEntry, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part)) is not None), None)
