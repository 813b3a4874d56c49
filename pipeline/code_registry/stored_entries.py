"""Entries as they are written, kind by kind, so that a look-up reads no more than it needs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from pipeline.code_registry.entries import CallEdge, CommandLineOption, Entries, Field, Route, Setting, Symbol
from pipeline.code_registry.rows import from_bytes, to_bytes

Sections = Mapping[str, Sequence[bytes]]
"""By kind: parts of `Entries` that hold entries of this kind and nothing else, each in order."""
LoadSection = Callable[[str], Sequence[bytes]]
"""The parts of one kind."""


class Unit(NamedTuple):
    """Entries that were found together and are kept together. `key`: what they were found from; empty where they belong to
    one state of a tree only. `is_kept`: the cache has them already.
    """

    key: str
    sections: Sections
    is_kept: bool = False


_T = TypeVar("_T", Symbol, Field, Route, Setting, CommandLineOption)


def sections_of(entries: Entries) -> Sections:
    """Entries as they are written."""
    single = {
        "symbols": Entries(symbols=in_order(entries.symbols)),
        "routes": Entries(routes=in_order(entries.routes)),
        "fields": Entries(fields=in_order(entries.fields)),
        "settings": Entries(settings=in_order(entries.settings)),
        "options": Entries(options=in_order(entries.options)),
        "edges": Entries(edges=edges_in_order(entries.edges)),
        "failures": Entries(failures=entries.failures),
        "coverage": Entries(coverage=entries.coverage),
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


def in_order(entries: Iterable[_T]) -> tuple[_T, ...]:
    """Entries sorted by id."""
    return tuple(sorted(entries, key=lambda entry: entry.id))


def edges_in_order(edges: Iterable[CallEdge]) -> tuple[CallEdge, ...]:
    """Edges sorted by what they connect."""
    return tuple(sorted(edges, key=lambda e: (e.caller, e.callee, e.line, e.name, e.kind.value)))
