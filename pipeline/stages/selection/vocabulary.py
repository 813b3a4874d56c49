"""The words that speak for a thing in the code: from its names, and, counting less, from what is written about it."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.code_registry.entries import Route, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.domain.words import name_stems, prose_stems, stem, stems_of_all

METHOD_WORDS: Mapping[str, frozenset[str]] = {
    method: frozenset(stem(word) for word in words.split())
    for method, words in {
        "GET": "list show read fetch filter search sort page return download view find",
        "POST": "create submit post place start trigger import upload",
        "PUT": "update replace edit set modify save change",
        "PATCH": "update edit set modify change patch",
        "DELETE": "delete remove wipe erase clear purge",
    }.items()
}
"""What people say for an HTTP method. It tells routes apart whose paths are the same, and proves nothing alone."""

EVERYWHERE = frozenset(
    stem(word)
    for word in "api route endpoint handler view server request response call src lib internal".split()
)
"""Words that fit every route."""


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
        own = symbol_vocabulary(handler)
        strong, weak = strong | own.strong, own.weak
    return Vocabulary(strong - EVERYWHERE, weak - strong - EVERYWHERE)


def symbol_vocabulary(symbol: Symbol) -> Vocabulary:
    """The words of a symbol: its qualified name and the whole path of its file, folders of a monorepo's apps included.

    Its docs count less: they are sentences, and a sentence says many things.
    """
    strong = name_stems(symbol.qualified_name) | stems_of_all(symbol.place.path.rpartition(".")[0].split("/"))
    return Vocabulary(strong - EVERYWHERE, prose_stems(symbol.docstring or "") - strong - EVERYWHERE)


def path_stems(path: str) -> frozenset[str]:
    """The stems of a path's fixed segments, without parameters and version numbers."""
    segments = [part for part in path.split("/") if part and not part.startswith((":", "{", "<", "["))]
    return stems_of_all(
        segment for segment in segments if not (segment[0] == "v" and segment[1:].isdecimal())
    )
