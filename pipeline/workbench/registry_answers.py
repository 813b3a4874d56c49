"""What the registry says to an agent: places of a word, who calls a symbol, which tests reach it, and what an entry is.

The registry describes the commit. Answers give line numbers of the current tree, and say whose the rest is.
"""

from collections.abc import Iterable, Iterator

from pipeline.code_registry.entries import Entry, Field, Route, SourceRange, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.workspace.since_commit import SinceCommit

_MOST_LINES = 40
_LONGEST = 160
_NO_ENTRY = "(Nothing. Not every language is read here; search_code finds the rest.)"


class RegistryAnswers:
    """Look-ups in one registry, for a worktree of its commit."""

    def __init__(self, registry: Registry, since: SinceCommit) -> None:
        self._registry, self._since = registry, since

    def entries_named(self, word: str) -> str:
        """Ids and places of what has this name, else of what is named most like it."""
        registry = self._registry
        entries: list[Entry] = [*registry.symbols_named(word), *registry.fields_named(word)]
        if "/" in word:
            method, _, path = word.rpartition(" ")
            entries += registry.routes_by_tail(method or None, path)
        else:
            entries += [route for route in registry.routes if word in route.path.split("/")]
        exact = registry.get(word)
        entries = [exact] if exact is not None else entries
        if entries:
            return self._as_text(self._line(entry) for entry in entries)
        near = [self._line(entry) for entry in registry.near(word)]
        return self._as_text(["(Nothing has this name. The nearest:)", *near] if near else [_NO_ENTRY])

    def callers(self, id_: str) -> str | None:
        """Who leads to a symbol or a route's handler, and the routes that reach it. None for an unknown id."""
        symbol = self._symbol_of(id_)
        return (
            None if symbol is None else self._as_text(self._callers(symbol), otherwise="(Nothing calls it.)")
        )

    def tests(self, id_: str) -> str | None:
        """The tests that reach a symbol or a route's handler, nearest first. None for an unknown id."""
        symbol = self._symbol_of(id_)
        if symbol is None:
            return None
        tests = self._registry.tests_reaching(symbol.id)
        return self._as_text(map(self._line_of, tests), otherwise="(No test is seen to reach it.)")

    def description(self, id_: str) -> str | None:
        """The known facts of an entry. None for an unknown id."""
        entry = self._registry.get(id_)
        match entry:
            case None:
                return None
            case Route():
                return self._as_text(self._route(entry))
            case Symbol():
                return self._as_text(self._symbol(entry))
            case _:
                return self._as_text([self._line(entry), *self._owner(getattr(entry, "owner", None))])

    def _symbol_of(self, id_: str) -> Symbol | None:
        entry = self._registry.get(id_)
        return self._registry.symbol((entry.handler or "") if isinstance(entry, Route) else id_)

    def _callers(self, symbol: Symbol) -> Iterator[str]:
        for edge in self._registry.callers(symbol.id):
            caller = self._registry.symbol(edge.caller)
            path = caller.place.path if caller else edge.caller.removeprefix("symbol:").partition("::")[0]
            yield f"called by {edge.caller} at {self._since.place(path, edge.line)} ({edge.kind.value})"
        for entry in self._registry.entry_routes(symbol.id):
            chain = " -> ".join(id_.rpartition("::")[2] for id_ in entry.chain)
            yield f"reached by {entry.route.id} at {self._at(entry.route.place)}: {chain}"

    def _route(self, route: Route) -> Iterator[str]:
        yield f"{route.id}, {route.confidence.value}" + (
            "; something unknown may stand before its path" if route.dynamic_prefix else ""
        )
        yield f"handler: {self._line_of(route.handler) if route.handler else route.handler_name}"
        yield f"registered at {self._at(route.registered_at)}"
        yield from (f"its router is mounted at {self._at(mount)}" for mount in route.mounts)
        fields = self._registry.fields_of(route.id)
        yield from (self._field(field) for field in fields)
        if route.body_fields is None:
            yield "fields of the body: unknown, the code does not say which it takes"
        elif not fields:
            yield "it reads no field that is seen"
        siblings = [sibling.id for sibling in self._registry.handler_group(route) if sibling.id != route.id]
        if siblings:
            yield f"the same handler answers {', '.join(siblings)}"

    def _symbol(self, symbol: Symbol) -> Iterator[str]:
        parameters = ", ".join(
            parameter.name
            + (f": {parameter.annotation}" if parameter.annotation else "")
            + (f" = {parameter.default}" if parameter.default else "")
            for parameter in symbol.parameters
        )
        yield f"{self._line(symbol)}, {symbol.kind.value}" + (f" ({parameters})" if parameters else "")
        if symbol.docstring and symbol.docstring.strip():
            yield f"says of itself: {symbol.docstring.strip().splitlines()[0]}"
        yield from (self._field(field) for field in self._registry.fields_of(symbol.id))
        yield from (
            f"answers {route.id}, registered at {self._at(route.registered_at)}"
            for route in self._registry.routes
            if route.handler == symbol.id
        )
        for edge in self._registry.callees(symbol.id):
            at = self._since.place(symbol.place.path, edge.line)
            yield f"leads at {at} to {self._line_of(edge.callee)} ({edge.kind.value})"

    def _field(self, field: Field) -> str:
        requirement = {True: ", required", False: ", optional", None: ""}[field.required]
        kind = f": {field.annotation}" if field.annotation else ""
        return f"{field.kind.value} field {field.name}{kind}{requirement} at {self._at(field.place)}"

    def _owner(self, owner: str | None) -> Iterator[str]:
        if owner is not None:
            yield f"of {self._line_of(owner)}"

    def _line_of(self, id_: str) -> str:
        entry = self._registry.get(id_)
        return id_ if entry is None else self._line(entry)

    def _line(self, entry: Entry) -> str:
        places = (entry.place,) if hasattr(entry, "place") else entry.places
        return f"{entry.id} at {', '.join(map(self._at, places))}"

    def _at(self, place: SourceRange) -> str:
        return self._since.place(place.path, place.start_line)

    def _as_text(self, lines: Iterable[str], *, otherwise: str = "") -> str:
        """The lines, cut in number and in length, and what they are true of."""
        texts = [" ".join(line.split()) for line in lines] or [otherwise]
        excerpt = [
            line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…" for line in texts[:_MOST_LINES]
        ]
        more_line = [f"(and {len(texts) - _MOST_LINES} more)"] if len(texts) > _MOST_LINES else []
        return "\n".join([*excerpt, *more_line, self._true_of])

    @property
    def _true_of(self) -> str:
        return (
            f"(As of commit {self._since.commit}: calls, routes and tests that edits since have added or taken away "
            "are not seen. Line numbers are those of the tree now.)"
        )
