"""The registry of one tree: entries by id, name, path and place in the call graph. Read-only."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any, Protocol, TypeVar

from pipeline.code_registry.entries import (
    BuildReport,
    CallEdge,
    CommandLineOption,
    Coverage,
    EdgeKind,
    Entries,
    Entry,
    EntryRoute,
    Field,
    FileFailure,
    Route,
    Setting,
    Symbol,
)
from pipeline.code_registry.paths import PARAMETER, matches_pattern, segments
from pipeline.code_registry.rows import LoadSection, edges_in_order, in_order, read_section, to_bytes
from pipeline.domain.words import name_parts

NEAR = 0.8
"""Likeness from which a name counts as near."""


def words(name: str) -> tuple[str, ...]:
    """The words of an identifier, in lower case and without plural endings: `processItems` is `process item`."""
    return tuple(_singular(word) for word in name_parts(name))


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def nearest(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The known names most like `name`, all that are equally near, sorted; none if none is near."""
    wanted_words = words(name)
    if not wanted_words:
        return ()
    wanted_text = "".join(wanted_words)
    best, best_names = NEAR, set[str]()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted_text)
    for candidate in candidates:
        if candidate == name:
            likeness = 2.0
        else:
            candidate_words = words(candidate)
            likeness = (
                1.5
                if candidate_words == wanted_words
                else 1.2
                if sorted(candidate_words) == sorted(wanted_words)
                else 0.0
            )
            if not likeness and best <= 1.0:
                matcher.set_seq1("".join(candidate_words))
                if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best:
                    likeness = matcher.ratio()
        if likeness > best:
            best, best_names = likeness, {candidate}
        elif likeness == best:
            best_names.add(candidate)
    return tuple(sorted(best_names))


HUB = 12
"""A symbol that more handlers than this reach is a hub: the list of its routes is of no help."""


class CallSource(Protocol):
    """Says who calls whom; ids are those of symbols."""

    def callers(self, id_: str) -> Iterable[CallEdge]:
        """The edges of calls that lead to a definition."""

    def callees(self, id_: str) -> Iterable[CallEdge]:
        """The edges of calls that lead from a definition, or from the code at the top of a file."""

    def edges(self) -> Iterable[CallEdge]:
        """All edges of calls."""

    @property
    def failures(self) -> Iterable[FileFailure]:
        """What went wrong while calls were linked."""


class Registry:
    """Everything that was found, sorted by id; the same tree always gives the same registry.

    Entries are read when somebody asks, kind by kind. `report` says what building took and what was skipped. `read` gives
    the content of a file of the tree, empty where it cannot be read any more. `calls` finds calls on demand.
    """

    def __init__(
        self,
        load: LoadSection,
        report: BuildReport,
        read: Callable[[str], bytes] = lambda _path: b"",
        calls: CallSource | None = None,
    ) -> None:
        self._load = load
        self._calls = calls
        self._callers: dict[str, tuple[CallEdge, ...]] = {}
        self.report = report
        self._read = read
        self._lines: dict[str, list[str]] = {}

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Functions, methods, classes and constants."""
        return self._entries("symbols")

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """The product's routes."""
        return tuple(route for route in self._all_routes if not route.is_test)

    @cached_property
    def test_routes(self) -> tuple[Route, ...]:
        """The routes that tests and fixtures register."""
        return tuple(route for route in self._all_routes if route.is_test)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Fields of models and of requests."""
        return self._entries("fields")

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Configuration keys and environment variables."""
        return self._entries("settings")

    @cached_property
    def options(self) -> tuple[CommandLineOption, ...]:
        """Options of command lines."""
        return self._entries("options")

    @cached_property
    def edges(self) -> tuple[CallEdge, ...]:
        """Who leads to whom, all of it: it takes long on a large tree."""
        return edges_in_order((*self._requests, *(self._calls.edges() if self._calls is not None else ())))

    @cached_property
    def _requests(self) -> tuple[CallEdge, ...]:
        return tuple(edge for part in self._parts("edges") for edge in part.edges)

    @property
    def failures(self) -> tuple[FileFailure, ...]:
        """What askfirst failed to read because of an error of its own, by path."""
        failures = {failure for part in self._parts("failures") for failure in part.failures}
        failures |= set(self._calls.failures if self._calls is not None else ())
        return tuple(sorted(failures, key=lambda failure: (failure.path, failure.error, failure.traceback)))

    @cached_property
    def coverage(self) -> Coverage:
        """What was read of each web framework that the code imports, and what was not."""
        items = [item for part in self._parts("coverage") for item in part.coverage]
        return Coverage(tuple(sorted(items, key=lambda item: item.framework.lower())))

    def to_bytes(self) -> bytes:
        """All entries, for comparing two registries."""
        kinds = (self.symbols, self._all_routes, self.fields, self.settings, self.options, self.edges)
        return to_bytes(Entries(*kinds))

    @cached_property
    def _all_routes(self) -> tuple[Route, ...]:
        return self._entries("routes")

    def _entries(self, kind: str) -> tuple[Any, ...]:
        return in_order(entry for part in self._parts(kind) for entry in getattr(part, kind))

    def _parts(self, kind: str) -> Iterator[Entries]:
        return map(read_section, self._load(kind))

    def get(self, id_: str) -> Entry | None:
        """The entry of an id such as `route:POST /actions` or `symbol:app/items.py::process_item`."""
        return self._by_id.get(id_)

    def symbol(self, id_: str) -> Symbol | None:
        """The symbol of an id."""
        entry = self._by_id.get(id_)
        return entry if isinstance(entry, Symbol) else None

    def source_of(self, symbol: Symbol) -> str:
        """The lines of a symbol; empty where its file cannot be read any more."""
        path = symbol.place.path
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = self._read(path).decode("utf-8", "replace").split("\n")
        return "\n".join(lines[symbol.place.start_line - 1 : symbol.place.end_line])

    def symbols_named(self, name: str) -> tuple[Symbol, ...]:
        """Symbols of exactly this name: the last part (`save`) or the end of the qualified name (`Order.save`)."""
        last = name.rpartition(".")[2]
        candidates = self._symbols_by_name.get(last, ())
        return tuple(
            s for s in candidates if s.qualified_name == name or f".{s.qualified_name}".endswith(f".{name}")
        )

    def fields_named(self, name: str) -> tuple[Field, ...]:
        """Fields of exactly this name, of models and of requests."""
        return self._fields_by_name.get(name, ())

    def fields_like(self, name: str) -> tuple[Field, ...]:
        """Fields of this name in any case style: `SecondName` is `second_name`."""
        return self._fields_by_words.get(name_parts(name), ())

    def fields_of(self, owner: str) -> tuple[Field, ...]:
        """Fields of a class (a symbol id) or a route (a route id)."""
        return self._fields_by_owner.get(owner, ())

    def routes_at(self, method: str | None, path: str) -> tuple[Route, ...]:
        """Routes whose whole path is this one, segment by segment; a parameter fits anything."""
        path_segments = segments(path)
        exact = self._of_method(method, self._routes_by_segments.get(path_segments, ()))
        return exact or tuple(
            route for route in self._of_method(method) if matches_pattern(segments(route.path), path_segments)
        )

    def routes_by_tail(self, method: str | None, path: str) -> tuple[Route, ...]:
        """Routes whose path ends in this one.

        A whole path before a tail, and word for word before with parameters: only the best kind is given. A tail of
        nothing but parameters fits everything, and so nothing: `/approve` is not `/orders/{id}`.
        """
        path_segments = segments(path)
        whole = self.routes_at(method, path)
        if not path_segments or any(segments(route.path) == path_segments for route in whole):
            return whole
        tails = [(route, segments(route.path)[-len(path_segments) :]) for route in self._of_method(method)]
        exact = tuple(route for route, tail in tails if tail == path_segments)
        return exact or tuple(
            route
            for route, tail in tails
            if matches_pattern(tail, path_segments) and set(tail) & set(path_segments) - {PARAMETER}
        )

    def near(self, name: str) -> tuple[Entry, ...]:
        """Symbols and fields whose names are most like this one; all that are equally near."""
        names = set(nearest(name, (*self._symbols_by_name, *self._fields_by_name)))
        entries: list[Entry] = [s for key in names for s in self._symbols_by_name.get(key, ())]
        entries += [field for key in names for field in self._fields_by_name.get(key, ())]
        return tuple(sorted(entries, key=lambda entry: entry.id))

    def callers(self, symbol_id: str) -> tuple[CallEdge, ...]:
        """Edges that lead to a symbol."""
        callers = self._callers.get(symbol_id)
        if callers is None:
            calls = self._calls.callers(symbol_id) if self._calls is not None else ()
            requests = (edge for edge in self._requests if edge.callee == symbol_id)
            callers = self._callers[symbol_id] = edges_in_order((*calls, *requests))
        return callers

    def callees(self, symbol_id: str) -> tuple[CallEdge, ...]:
        """Edges that lead from a symbol."""
        calls = self._calls.callees(symbol_id) if self._calls is not None else ()
        return edges_in_order((*calls, *(edge for edge in self._requests if edge.caller == symbol_id)))

    def entry_routes(self, symbol_id: str) -> tuple[EntryRoute, ...]:
        """Every route whose handler reaches a symbol, with the shortest chain; nearest first, then by id."""
        chains = self._chains_to(symbol_id)
        entry_routes = [
            EntryRoute(route, chains[route.handler])
            for route in self.routes
            if route.handler is not None and route.handler in chains
        ]
        return tuple(sorted(entry_routes, key=lambda entry: (len(entry.chain), entry.route.id)))

    def tests_reaching(self, symbol_id: str) -> tuple[str, ...]:
        """Ids of the test functions that reach a symbol, by calls or by requests; nearest first, then by id."""
        chains = self._chains_to(symbol_id, through_tests=True)
        tests = [(len(chain), id_) for id_, chain in chains.items() if id_ in self._test_functions]
        return tuple(id_ for _, id_ in sorted(tests))

    def is_hub(self, symbol_id: str) -> bool:
        """Whether so many handlers reach a symbol that a list of them would not help."""
        return len({entry.route.handler for entry in self.entry_routes(symbol_id)}) > HUB

    def handler_group(self, route: Route) -> tuple[Route, ...]:
        """All routes that share the handler of this one, itself among them."""
        if route.handler is None:
            return (route,)
        return tuple(sibling for sibling in self.routes if sibling.handler == route.handler)

    def _of_method(self, method: str | None, routes: tuple[Route, ...] | None = None) -> tuple[Route, ...]:
        of_routes = self.routes if routes is None else routes
        if method is None:
            return of_routes
        return tuple(route for route in of_routes if route.method in {method.upper(), "ANY"})

    @cached_property
    def _routes_by_segments(self) -> dict[tuple[str, ...], tuple[Route, ...]]:
        routes: dict[tuple[str, ...], list[Route]] = {}
        for route in self.routes:
            routes.setdefault(segments(route.path), []).append(route)
        return {path_segments: tuple(of_path) for path_segments, of_path in routes.items()}

    def _chains_to(self, symbol_id: str, *, through_tests: bool = False) -> dict[str, tuple[str, ...]]:
        """For every symbol that reaches this one, the shortest chain to it; breadth first over sorted edges."""
        chains: dict[str, tuple[str, ...]] = {symbol_id: (symbol_id,)}
        waiting = deque([symbol_id])
        while waiting:
            at = waiting.popleft()
            for edge in self.callers(at):
                if edge.caller not in chains and (through_tests or edge.kind is not EdgeKind.REQUEST):
                    chains[edge.caller] = (edge.caller, *chains[at])
                    waiting.append(edge.caller)
        return chains

    @cached_property
    def apps(self) -> frozenset[str]:
        """Folders of the applications that have routes; `.` is the repository itself."""
        return frozenset(route.app for route in self.routes)

    @cached_property
    def _by_id(self) -> Mapping[str, Entry]:
        kinds = (self.symbols, self.routes, self.test_routes, self.fields, self.settings, self.options)
        return {entry.id: entry for kind in kinds for entry in kind}

    @cached_property
    def _symbols_by_name(self) -> Mapping[str, tuple[Symbol, ...]]:
        return _group((symbol.name, symbol) for symbol in self.symbols)

    @cached_property
    def _fields_by_name(self) -> Mapping[str, tuple[Field, ...]]:
        return _group((field.name, field) for field in self.fields)

    @cached_property
    def _fields_by_words(self) -> Mapping[tuple[str, ...], tuple[Field, ...]]:
        return _group((name_parts(field.name), field) for field in self.fields)

    @cached_property
    def _fields_by_owner(self) -> Mapping[str, tuple[Field, ...]]:
        return _group((field.owner, field) for field in self.fields)

    @cached_property
    def _test_functions(self) -> frozenset[str]:
        return frozenset(symbol.id for symbol in self.symbols if symbol.is_test_case)


_K = TypeVar("_K", str, tuple[str, ...])
_V = TypeVar("_V")


def _group(pairs: Iterable[tuple[_K, _V]]) -> Mapping[_K, tuple[_V, ...]]:
    groups: dict[_K, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
