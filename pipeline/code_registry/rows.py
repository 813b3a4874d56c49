"""Entries and facts as bytes and back: every value is the list of its parts. What other code wrote is never read."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pipeline.code_registry.entries import CallEdge, CommandLineOption, Entries, Field, Route, Setting, Symbol

_T = TypeVar("_T")
_ROOM = Path(__file__).parent
_CODE = {".py", ".scm"}


class RowsInvalid(ValueError):
    """The bytes do not hold what this version writes."""


def to_bytes(value: object) -> bytes:
    """Bytes that `from_bytes` turns back into an equal value."""
    return msgspec.msgpack.encode(value)


def from_bytes(data: bytes, kind: type[_T]) -> _T:
    """The value that was written; raises `RowsInvalid` for anything else."""
    try:
        decoder = _DECODERS.get(kind)
        if decoder is None:
            decoder = _DECODERS[kind] = msgspec.msgpack.Decoder(kind)
        value: _T = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, RecursionError) as error:
        raise RowsInvalid(str(error)) from error
    return value


_DECODERS: "dict[type[object], msgspec.msgpack.Decoder[Any]]" = {}
"""By what they read: to make one costs more than to use it."""


@cache
def code_version(*parts: str) -> str:
    """A digest of files and folders of this room, by their path inside it; of all its code without any."""
    digest = hashlib.sha256()
    for part in parts or (".",):
        path = _ROOM / part
        files = sorted(file for file in path.rglob("*") if file.suffix in _CODE) if path.is_dir() else [path]
        for file in files:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


Sections = Mapping[str, Sequence[bytes]]
"""By kind: parts of `Entries` that hold entries of this kind and nothing else, each in order."""
LoadSection = Callable[[str], Sequence[bytes]]
"""The parts of one kind."""


_T_OF_STORED_ENTRIES = TypeVar("_T_OF_STORED_ENTRIES", Symbol, Field, Route, Setting, CommandLineOption)


def sections_of(entries: Entries) -> Sections:
    """Entries in their stored form."""
    order: dict[str, Callable[[Any], Any]] = {"edges": edges_in_order, "failures": tuple, "coverage": tuple}
    single = {
        kind: Entries(**{kind: order.get(kind, in_order)(getattr(entries, kind))})
        for kind in Entries.__struct_fields__
    }
    return {kind: (to_bytes(part),) for kind, part in single.items() if part != Entries()}


def join_sections(section_groups: Iterable[Sections]) -> Sections:
    """The parts of all, kind by kind."""
    parts: dict[str, list[bytes]] = {}
    for sections in section_groups:
        for kind, kind_parts in sections.items():
            parts.setdefault(kind, []).extend(kind_parts)
    return parts


def read_section(data: bytes) -> Entries:
    """One part; raises `rows.RowsInvalid` for anything else."""
    return from_bytes(data, Entries)


def in_order(entries: Iterable[_T_OF_STORED_ENTRIES]) -> tuple[_T_OF_STORED_ENTRIES, ...]:
    """Entries sorted by id."""
    return tuple(sorted(entries, key=lambda entry: entry.id))


def edges_in_order(edges: Iterable[CallEdge]) -> tuple[CallEdge, ...]:
    """Edges sorted by what they connect."""
    return tuple(sorted(edges, key=lambda e: (e.caller, e.callee, e.line, e.name, e.kind.value)))
