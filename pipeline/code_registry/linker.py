"""From linked facts to entries: ids, places, fields and edges of one language's files."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname

from pipeline.code_registry.entries import (
    CallEdge,
    CommandLineOption,
    Entries,
    Field,
    FileFailure,
    Parameter,
    Setting,
    SourceRange,
    Symbol,
    SymbolKind,
)
from pipeline.code_registry.facts import TEST_CASE, CodeDefinition, FileFacts, source_text
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import WebPackage
from pipeline.code_registry.language import Language
from pipeline.code_registry.linking.names.calls import Calls, Edge
from pipeline.code_registry.linking.names.mentions import Mentions
from pipeline.code_registry.linking.names.program import DefinitionRef, SourceProgram
from pipeline.code_registry.linking.names.types import Types
from pipeline.code_registry.linking.names.words import WebImports
from pipeline.code_registry.linking.routers.router_words import RouterWords
from pipeline.code_registry.linking.values.tracing import Tracer
from pipeline.code_registry.route_entries import (
    RouteEntries,
    SymbolIds,
    TestRequest,
    as_field,
    request_edges,
    request_of_call,
    unique,
)
from pipeline.domain.testing_paths import is_test_path

LINKED_AT_ONCE = 500


class Linker:
    """Links the files of one language: without calls at once, and calls as somebody asks.

    `files` are sorted by path; after `at_once` of them what was worked out about types is forgotten: it is as large as the
    code. `all_paths` are the tree's: the nearest project file above a route says which application it
    belongs to.
    """

    def __init__(
        self,
        language: Language,
        files: Mapping[str, FileFacts],
        all_paths: Collection[str],
        *,
        at_once: int = LINKED_AT_ONCE,
    ) -> None:
        self._language = language
        self._at_once = at_once
        self._files = files if language.arrange is None else dict(sorted(language.arrange(files).items()))
        self._all_paths = all_paths
        self._find = language.module_finder(self._files)
        self._failures = FailureLog()
        self._mentions: Mentions | None = None
        self._begin()

    def _forget(self) -> None:
        """Begin anew. What was worked out knows itself, and no collector looks for it while a registry is built."""
        vars(self._types).clear()
        self._begin()

    def _begin(self) -> None:
        self._program = SourceProgram(self._files, self._find, self._language.words)
        self._types = Types(self._program)
        self._ids = SymbolIds(self._program)
        self._of_calls: Calls | None = None

    def link(self) -> Iterator[Entries]:
        """All entries but the edges of calls, in several parts."""
        words, web = RouterWords(self._language.frameworks), WebImports(self._language.web_packages)
        speaking: list[str] = []
        settings: list[Setting] = []
        requests: list[tuple[str, int, TestRequest]] = []
        imports: dict[str, Sequence[WebPackage]] = {}
        heirs: dict[DefinitionRef, list[DefinitionRef]] = {}
        projects = {dirname(path) for path in self._all_paths if path.rpartition("/")[2] in _PROJECT_FILES}
        paths = list(self._files)
        for start in range(0, len(paths), self._at_once):
            part = paths[start : start + self._at_once]
            tracer = Tracer(self._program, self._types, self._calls())
            for path in part:
                facts = self._files[path]
                settings += self._settings(tracer, path)
                requests += self._requests(path, facts)
                speaking += [path] if words.may_be_in(facts) else []
                projects |= {dirname(path)} if facts.definitions[0].kind == "program" else set()
                if packages := web.of(facts):
                    imports[path] = packages
                with self._failures.reading(path):
                    for base, heir in self._types.classes.bases_in(path):
                        heirs.setdefault(base, []).append(heir)
            yield Entries(
                symbols=tuple(symbol for path in part for symbol in self._symbols(path)),
                fields=tuple(field for path in part for field in self._model_fields(tracer, path)),
                options=tuple(option for path in part for option in self._options(tracer, path)),
            )
            if len(paths) > self._at_once:
                self._forget()
        calls = self._calls()
        speaking = sorted({*speaking, *calls.makers(words.table_makers)})
        self._types.classes.heirs = heirs
        tracer = Tracer(self._program, self._types, calls)
        routes = RouteEntries(self._language, tracer, self._ids, projects, self._failures)
        routes.find(speaking, imports)
        yield Entries(
            routes=tuple(routes.routes),
            fields=tuple(routes.fields),
            settings=_merge_settings(settings),
            edges=tuple(request_edges(requests, routes.routes)),
            failures=self._failures.failures,
            coverage=routes.coverage,
        )

    @property
    def failures(self) -> tuple[FileFailure, ...]:
        """What went wrong up to now."""
        return self._failures.failures

    def callers(self, id_: str) -> Iterator[CallEdge]:
        """The edges of calls that lead to a definition."""
        ref = self._ids.find(id_)
        if ref is not None:
            yield from self._entries(self._calls().edges_to(ref))

    def callees(self, id_: str) -> Iterator[CallEdge]:
        """The edges of calls that lead from a definition, or from the code at the top of a file."""
        ref = self._ids.find(id_)
        if ref is not None:
            yield from self._entries(e for e in self._calls().edges_in(ref.path) if e.caller == ref)

    def edges(self) -> Iterator[CallEdge]:
        """All edges of calls."""
        for path in self._files:
            yield from self._entries(self._calls().edges_in(path))

    def _calls(self) -> Calls:
        if self._mentions is None:
            self._mentions = Mentions(self._language.words)
            for path, facts in self._files.items():
                self._mentions.note(path, facts, self._find)
        if self._of_calls is None:
            self._of_calls = Calls(self._program, self._types, self._mentions, self._failures)
        return self._of_calls

    def _symbols(self, path: str) -> Iterator[Symbol]:
        facts, is_test = self._files[path], is_test_path(path)
        ids, names = self._ids.of_file(path), self._ids.qualified_names(path)
        used_ids: set[str] = set()
        for number, definition in enumerate(facts.definitions):
            if number and definition.kind not in {"extension", "object"}:
                used_ids.add(ids[number])
                ref = DefinitionRef(path, number)
                yield self._symbol(ids[number], names[number], ref, definition, is_test=is_test)
        yield from _constants(path, facts, used_ids, is_test=is_test)

    def _symbol(
        self, id_: str, name: str, ref: DefinitionRef, definition: CodeDefinition, *, is_test: bool
    ) -> Symbol:
        kind = self._kind(ref, definition)
        parameters = tuple(
            Parameter(argument.name, source_text(argument.annotation), source_text(argument.default))
            for argument in definition.arguments
        )
        place = SourceRange(ref.path, definition.line, definition.end_line)
        is_test_case = definition.keywords == TEST_CASE or (
            is_test and definition.kind == "function" and definition.name.startswith(("test", "Test"))
        )
        return Symbol(
            id_,
            definition.name,
            name,
            kind,
            place,
            definition.docstring,
            parameters,
            is_test or is_test_case,
            is_test_case,
        )

    def _kind(self, ref: DefinitionRef, definition: CodeDefinition) -> SymbolKind:
        if definition.kind == "class":
            is_interface = any(mark == "interface" for mark, _ in definition.keywords)
            return SymbolKind.INTERFACE if is_interface else SymbolKind.CLASS
        return SymbolKind.METHOD if self._program.is_member(ref) else SymbolKind.FUNCTION

    def _model_fields(self, tracer: Tracer, path: str) -> Iterator[Field]:
        used_ids: set[str] = set()
        for ref, definition in self._program.definitions_in(path):
            if definition.kind == "class":
                owner = self._ids[ref]
                with self._failures.reading(path):
                    for field in self._language.read_models(tracer, ref):
                        id_ = unique(f"field:{owner.removeprefix('symbol:')}.{field.name}", used_ids)
                        yield as_field(id_, owner, field)

    def _entries(self, edges: Iterable[Edge]) -> Iterator[CallEdge]:
        """Edges as entries. Of one place only the first counts."""
        rows: set[tuple[str, str, int, str]] = set()
        for edge in edges:
            row = (self._ids[edge.caller], self._ids[edge.callee], edge.line, edge.name)
            if row not in rows:
                rows.add(row)
                yield CallEdge(*row, edge.kind)

    def _requests(self, path: str, facts: FileFacts) -> Iterator[tuple[str, int, TestRequest]]:
        """Requests that tests send: `client.post("/orders")`."""
        for site in facts.calls if is_test_path(path) else ():
            request = request_of_call(site.call)
            if request is not None:
                yield self._ids[DefinitionRef(path, site.scope)], site.call.line, request

    def _settings(self, tracer: Tracer, path: str) -> Iterator[Setting]:
        with self._failures.reading(path):
            for setting in self._language.read_settings(tracer, path):
                yield Setting(f"config:{setting.name}", setting.name, (setting.place,))

    def _options(self, tracer: Tracer, path: str) -> Iterator[CommandLineOption]:
        used_ids: set[str] = set()
        with self._failures.reading(path):
            for option in self._language.read_options(tracer, path):
                owner = self._ids[option.owner]
                id_ = unique(f"option:{owner.removeprefix('symbol:')}{option.name}", used_ids)
                yield CommandLineOption(id_, option.name, owner, option.place)


_PROJECT_FILES = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "package.json", "go.mod"})


def _constants(path: str, facts: FileFacts, used_ids: set[str], *, is_test: bool) -> Iterator[Symbol]:
    for assignment in facts.assignments:
        if assignment.scope == 0 and assignment.mode == "assign":
            name = assignment.target
            id_ = f"symbol:{path}::{name}"
            if id_ not in used_ids:
                used_ids.add(id_)
                place = SourceRange(path, assignment.line, assignment.line)
                yield Symbol(id_, name, name, SymbolKind.CONSTANT, place, None, (), is_test)


def _merge_settings(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Settings with all the places of each."""
    places: dict[str, set[SourceRange]] = {}
    for setting in settings:
        places.setdefault(setting.name, set()).update(setting.places)
    sorted_places = {
        name: tuple(sorted(setting_places, key=lambda place: (place.path, place.start_line)))
        for name, setting_places in places.items()
    }
    return tuple(
        Setting(f"config:{name}", name, setting_places) for name, setting_places in sorted_places.items()
    )
