"""The words that speak for a thing in the code: from its names, and, counting less, from what is written about it."""

import re
from dataclasses import dataclass

from pipeline.code_registry.entries import CommandLineOption, Entry, Field, Route, Setting, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.domain.words import name_stems, prose_stems, stems_of_all
from pipeline.stages.selection.language_weights import EVERYWHERE, METHOD_WORDS

_IDENTIFIER = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Vocabulary:
    """The stems that speak for a candidate: `strong` from names (path, handler, file), `weak` from its docs."""

    strong: frozenset[str]
    weak: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        """Both together."""
        return self.strong | self.weak


def route_vocabulary(registry: Registry, route: Route) -> Vocabulary:
    """The words of a route: path, method, handler and its file; its docs count less."""
    handler = registry.symbol(route.handler) if route.handler else None
    strong = path_stems(route.path) | METHOD_WORDS.get(route.method, frozenset())
    weak: frozenset[str] = frozenset()
    if handler is not None:
        handler_words = symbol_vocabulary(handler)
        strong, weak = strong | handler_words.strong, handler_words.weak
    return Vocabulary(strong - EVERYWHERE, weak - strong - EVERYWHERE)


def symbol_vocabulary(symbol: Symbol) -> Vocabulary:
    """The words of a symbol: its qualified name and the whole path of its file, folders of a monorepo's apps included.

    Its docs count less: they are sentences, and a sentence says many things.
    """
    strong = name_stems(symbol.qualified_name) | stems_of_all(symbol.place.path.rpartition(".")[0].split("/"))
    return Vocabulary(strong - EVERYWHERE, prose_stems(symbol.docstring or "") - strong - EVERYWHERE)


def body_stems(registry: Registry, symbol: Symbol) -> frozenset[str]:
    """The stems of the identifiers in a symbol's body."""
    return stems_of_all(_IDENTIFIER.findall(registry.source_of(symbol))) - EVERYWHERE


def entry_vocabulary(registry: Registry, entry: Entry) -> Vocabulary:
    """The words of any entry; a field has those of what it belongs to, and an option those of its command."""
    match entry:
        case Route():
            return route_vocabulary(registry, entry)
        case Symbol():
            return symbol_vocabulary(entry)
        case Field():
            owner = registry.get(entry.owner)
            return Vocabulary(frozenset()) if owner is None else entry_vocabulary(registry, owner)
        case CommandLineOption():
            command = registry.get(entry.owner or "")
            of_command = Vocabulary(frozenset()) if command is None else entry_vocabulary(registry, command)
            return Vocabulary(name_stems(entry.name) | of_command.strong, of_command.weak)
        case Setting():
            return Vocabulary(name_stems(entry.name))


def path_stems(path: str) -> frozenset[str]:
    """The stems of a path's fixed segments."""
    return stems_of_all(fixed_segments(path))


def fixed_segments(path: str) -> tuple[str, ...]:
    """The segments of a path without parameters and version numbers."""
    segments = [part for part in path.split("/") if part and not part.startswith((":", "{", "<", "[", "*"))]
    return tuple(segment for segment in segments if not (segment[0] == "v" and segment[1:].isdecimal()))
