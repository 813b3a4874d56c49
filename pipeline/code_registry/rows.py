"""Entries and facts as bytes and back: rows of JSON, the first cell of which names the type."""

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import orjson

from pipeline.code_registry import entries, facts

_TYPES: tuple[type[Any], ...] = (
    tuple,
    facts.Name,
    facts.Text,
    facts.Constant,
    facts.Attribute,
    facts.Call,
    facts.Items,
    facts.Pairs,
    facts.Joined,
    facts.Subscript,
    facts.Choice,
    facts.Splat,
    facts.Each,
    facts.Opaque,
    facts.Inline,
    facts.Argument,
    facts.Definition,
    facts.Import,
    facts.Assignment,
    facts.CallSite,
    facts.Returned,
    facts.KeyRead,
    facts.FileFacts,
    entries.SymbolKind,
    entries.FieldKind,
    entries.Confidence,
    entries.EdgeKind,
    entries.Place,
    entries.Parameter,
    entries.Symbol,
    entries.Field,
    entries.Route,
    entries.Setting,
    entries.Option,
    entries.CallEdge,
    entries.SkippedFile,
)
_NUMBERS = {type_: number for number, type_ in enumerate(_TYPES)}
_FIELDS: dict[type[object], tuple[str, ...]] = {
    type_: tuple(field.name for field in fields(type_)) for type_ in _TYPES if is_dataclass(type_)
}


class RowsInvalid(ValueError):
    """The bytes do not hold what this version writes."""


def to_bytes(value: object) -> bytes:
    """Bytes that `from_bytes` turns back into an equal value."""
    return orjson.dumps(_row(value))


def from_bytes(data: bytes) -> Any:
    """The value that was written; raises `RowsInvalid` for anything else."""
    try:
        return _value(orjson.loads(data))
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise RowsInvalid(str(error)) from error


def _row(value: object) -> object:
    if value is None or isinstance(value, str | int):
        return value
    type_ = type(value)
    number = _NUMBERS[type_]
    if isinstance(value, tuple):
        return [number, *map(_row, value)]
    if isinstance(value, Enum):
        return [number, value.value]
    return [number, *(_row(getattr(value, name)) for name in _FIELDS[type_])]


def _value(row: Any) -> Any:
    if row.__class__ is not list:
        return row
    number = row[0]
    if number == 0:
        return tuple([_value(cell) for cell in row[1:]])
    return _TYPES[number](*[_value(cell) for cell in row[1:]])
