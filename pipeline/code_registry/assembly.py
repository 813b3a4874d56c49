"""From linked facts to entries: ids, places, fields and edges of one language's files."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname

from pipeline.code_registry.entries import (
    CallEdge,
    CommandLineOption,
    Entries,
    Field,
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
from pipeline.code_registry.linking.names.calls import CallGraph, CallSites, Edge, Sites
from pipeline.code_registry.linking.names.classes import Heirs
from pipeline.code_registry.linking.names.program import DefinitionRef, SourceProgram
from pipeline.code_registry.linking.names.types import Types
from pipeline.code_registry.linking.names.words import FindModule, WebImports
from pipeline.code_registry.linking.routers.router_words import RouterWords
from pipeline.code_registry.linking.values.fields import Reading
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


@dataclass(frozen=True)
class LinkedPart:
    """What some files of a program say by themselves, linked with all the others.

    `settings` may be named in other parts, too. `sites` are the calls that lead to a function, `heirs` the classes that
    inherit from a class, `speaking` the files that may register routes, `requests` those that tests send, each with the caller's id and the line, `programs` the files that
    are started, `imports` the web packages that files import.
    """

    entries: Entries
    settings: tuple[Setting, ...]
    sites: Sites
    heirs: Heirs
    speaking: tuple[str, ...]
    requests: tuple[tuple[str, int, TestRequest], ...]
    programs: tuple[str, ...]
    imports: Mapping[str, tuple[WebPackage, ...]]


def link_whole(
    language: Language, files: Mapping[str, FileFacts], all_paths: Collection[str]
) -> tuple[Entries, Entries]:
    """The entries of all files of a language: without routes, and what the routes add."""
    arranged_files = language.arrange(files)
    linker = Linker(language, dict(sorted(arranged_files.items())), language.module_finder(arranged_files))
    part = linker.link()
    return part.entries, linker.link_routes([part], lambda: part.sites, all_paths)


class Linker:
    """Links files of one language. `files` are sorted; it goes through them, and looks up every other that they name.

    `calls` are the calls that were asked for last.
    """

    def __init__(self, language: Language, files: Mapping[str, FileFacts], find: FindModule) -> None:
        self._language = language
        self._program = SourceProgram(files, find, language.words)
        self._types = Types(self._program)
        self._ids = SymbolIds(self._program)
        self._failures = FailureLog()

    def link(self) -> LinkedPart:
        """Link the files with all others, except for what routes say."""
        words = RouterWords(self._language.frameworks)
        graph = CallGraph(self._program, self._types, self._failures, words.table_makers)
        reading = self._reading(lambda: graph.sites)
        files = self._program.files.items()
        settings = tuple(self._settings(reading))
        heirs = self._heirs()
        web = WebImports(self._language.web_packages)
        return LinkedPart(
            Entries(
                symbols=tuple(self._symbols()),
                fields=tuple(self._model_fields(reading)),
                options=tuple(self._options(reading)),
                edges=tuple(self._edges(graph.edges)),
                failures=self._failures.failures,
            ),
            settings,
            graph.sites,
            heirs,
            tuple(path for path, facts in files if path in graph.makers or words.may_be_in(facts)),
            tuple(self._requests()),
            tuple(path for path, facts in files if facts.definitions[0].kind == "program"),
            {path: packages for path, facts in files if (packages := web.of(facts))},
        )

    def link_routes(
        self, parts: Sequence[LinkedPart], sites: Callable[[], Sites], all_paths: Collection[str]
    ) -> Entries:
        """The routes of the whole program, their fields, and the requests that lead to them.

        `all_paths` are the tree's: the nearest project file above a route says which application it belongs to.
        """
        among = [path for part in parts for path in part.speaking]
        projects = {dirname(path) for path in all_paths if path.rpartition("/")[2] in _PROJECT_FILES}
        projects |= {dirname(path) for part in parts for path in part.programs}
        self._failures = FailureLog()
        self._types.classes.heirs = _merge_heirs(part.heirs for part in parts)
        routes = RouteEntries(self._language, self._reading(sites), self._ids, projects, self._failures)
        imports = {path: packages for part in parts for path, packages in part.imports.items()}
        routes.find(among, imports)
        requests = (request for part in parts for request in part.requests)
        edges = tuple(request_edges(requests, routes.routes))
        settings = _merge_settings(setting for part in parts for setting in part.settings)
        return Entries(
            routes=tuple(routes.routes),
            fields=tuple(routes.fields),
            settings=settings,
            edges=edges,
            failures=self._failures.failures,
            coverage=routes.coverage,
        )

    def release(self) -> None:
        """Forget what was found out: its parts know each other, and no collector looks for them here."""
        vars(self._types).clear()

    def _reading(self, sites: Callable[[], Sites]) -> Reading:
        self.calls = CallSites(self._program, sites)
        return Reading(self._program, self._types, Tracer(self._program, self._types, self.calls))

    def _symbols(self) -> Iterator[Symbol]:
        for path, facts in self._program.files.items():
            is_test = is_test_path(path)
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

    def _model_fields(self, reading: Reading) -> Iterator[Field]:
        used_ids: set[str] = set()
        for ref, definition in self._program.definitions():
            if definition.kind == "class":
                owner = self._ids[ref]
                with self._failures.reading(ref.path):
                    for field in self._language.read_models(reading, ref):
                        id_ = unique(f"field:{owner.removeprefix('symbol:')}.{field.name}", used_ids)
                        yield as_field(id_, owner, field)

    def _edges(self, edges: Iterable[Edge]) -> Iterator[CallEdge]:
        rows: set[tuple[str, str, int, str]] = set()
        of_file = self._ids.of_file
        for edge in edges:
            caller, callee = edge.caller, edge.callee
            row = (of_file(caller[0])[caller[1]], of_file(callee[0])[callee[1]], edge.line, edge.name)
            if row not in rows:
                rows.add(row)
                yield CallEdge(*row, edge.kind)

    def _requests(self) -> Iterator[tuple[str, int, TestRequest]]:
        """Requests that tests send: `client.post("/orders")`."""
        for path, facts in self._program.files.items():
            if is_test_path(path):
                for site in facts.calls:
                    request = request_of_call(site.call)
                    if request is not None:
                        yield self._ids[DefinitionRef(path, site.scope)], site.call.line, request

    def _heirs(self) -> Heirs:
        heirs: dict[DefinitionRef, list[DefinitionRef]] = {}
        for path in self._program.files:
            with self._failures.reading(path):
                for base, heir in self._types.classes.bases_in(path):
                    heirs.setdefault(base, []).append(heir)
        return heirs

    def _settings(self, reading: Reading) -> Iterator[Setting]:
        for path in self._program.files:
            with self._failures.reading(path):
                for setting in self._language.read_settings(reading, path):
                    yield Setting(f"config:{setting.name}", setting.name, (setting.place,))

    def _options(self, reading: Reading) -> Iterator[CommandLineOption]:
        used_ids: set[str] = set()
        for path in self._program.files:
            with self._failures.reading(path):
                for option in self._language.read_options(reading, path):
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


def _merge_heirs(parts: Iterable[Heirs]) -> Heirs:
    heirs: dict[DefinitionRef, list[DefinitionRef]] = {}
    for part in parts:
        for class_, heirs_in_part in part.items():
            heirs.setdefault(class_, []).extend(heirs_in_part)
    return heirs


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
