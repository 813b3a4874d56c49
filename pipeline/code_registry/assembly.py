"""From linked facts to entries: ids, places, fields and edges of one language's files."""

from collections.abc import Iterator, Mapping
from posixpath import dirname
from typing import NamedTuple

from pipeline.code_registry.entries import (
    CallEdge,
    EdgeKind,
    Field,
    FieldKind,
    Option,
    Parameter,
    Place,
    Route,
    Setting,
    Symbol,
    SymbolKind,
)
from pipeline.code_registry.facts import Attribute, Call, Definition, FileFacts, Joined, Text, written
from pipeline.code_registry.language import Language
from pipeline.code_registry.linking.calls import CallGraph
from pipeline.code_registry.linking.fields import Reading, RequestFields
from pipeline.code_registry.linking.found_route import FoundRoute
from pipeline.code_registry.linking.program import Defined, Program
from pipeline.code_registry.linking.routes import RouteFinder
from pipeline.code_registry.linking.tracing import Tracer
from pipeline.code_registry.linking.types import Types
from pipeline.code_registry.paths import PARAMETER, fits, is_test_path, segments

_REQUEST_METHODS = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "stream", "websocket_connect"}
)


class Entries(NamedTuple):
    """The entries of one language's files, not yet sorted."""

    symbols: list[Symbol]
    routes: list[Route]
    fields: list[Field]
    settings: list[Setting]
    options: list[Option]
    edges: list[CallEdge]


def assemble(language: Language, files: Mapping[str, FileFacts], all_paths: frozenset[str]) -> Entries:
    """Link the files of a language and turn what was found into entries. `all_paths` are the tree's, for apps."""
    assembly = _Assembly(language, files, all_paths)
    assembly.symbols()
    assembly.models()
    assembly.routes()
    assembly.calls()
    assembly.settings_and_options()
    return assembly.entries


class _Assembly:
    def __init__(self, language: Language, files: Mapping[str, FileFacts], all_paths: frozenset[str]) -> None:
        self._language = language
        files = language.arrange(files)
        self._program = Program(files, language.module_finder(files), language.words)
        types = Types(self._program)
        self._graph = CallGraph(self._program, types)
        tracer = Tracer(self._program, types, self._graph)
        self._reading = Reading(self._program, types, tracer)
        self._finder = RouteFinder(tracer, language.frameworks)
        self._projects = {dirname(path) for path in all_paths if path.rpartition("/")[2] in _PROJECT_FILES}
        self._projects |= {dirname(path) for path, facts in files.items() if _is_program(facts)}
        self._ids: dict[Defined, str] = {}
        self.entries = Entries([], [], [], [], [], [])

    def symbols(self) -> None:
        taken: set[str] = set()
        for path, facts in self._program.files.items():
            is_test = is_test_path(path)
            self._ids[Defined(path, 0)] = f"symbol:{path}"
            for index, definition in enumerate(facts.definitions):
                if index and definition.kind != "extension":
                    defined = Defined(path, index)
                    name = self._program.qualified_name(defined)
                    if definition.kind == "object":
                        self._ids[defined] = f"symbol:{path}::{name}"
                        continue
                    id_ = _unique(f"symbol:{path}::{name}", taken)
                    self._ids[defined] = id_
                    self.entries.symbols.append(self._symbol(id_, name, defined, definition, is_test=is_test))
            self._constants(path, facts, taken, is_test=is_test)

    def _symbol(
        self, id_: str, name: str, defined: Defined, definition: Definition, *, is_test: bool
    ) -> Symbol:
        kind = self._kind(defined, definition)
        parameters = tuple(
            Parameter(argument.name, written(argument.annotation), written(argument.default))
            for argument in definition.arguments
        )
        place = Place(defined.path, definition.line, definition.end_line)
        return Symbol(id_, definition.name, name, kind, place, definition.docstring, parameters, is_test)

    def _kind(self, defined: Defined, definition: Definition) -> SymbolKind:
        if definition.kind == "class":
            marked = any(mark == "interface" for mark, _ in definition.keywords)
            return SymbolKind.INTERFACE if marked else SymbolKind.CLASS
        return SymbolKind.METHOD if self._program.is_member(defined) else SymbolKind.FUNCTION

    def _constants(self, path: str, facts: FileFacts, taken: set[str], *, is_test: bool) -> None:
        for assignment in facts.assignments:
            id_ = f"symbol:{path}::{assignment.target}"
            if assignment.scope == 0 and assignment.mode == "assign" and id_ not in taken:
                taken.add(id_)
                place = Place(path, assignment.line, assignment.line)
                name = assignment.target
                self.entries.symbols.append(
                    Symbol(id_, name, name, SymbolKind.CONSTANT, place, None, (), is_test)
                )

    def models(self) -> None:
        taken: set[str] = set()
        for defined, definition in self._program.definitions():
            if definition.kind == "class":
                owner = self._ids[defined]
                for field in self._language.read_models(self._reading, defined):
                    id_ = _unique(f"field:{owner.removeprefix('symbol:')}.{field.name}", taken)
                    self.entries.fields.append(
                        Field(
                            id_,
                            field.name,
                            field.kind,
                            owner,
                            field.place,
                            written(field.annotation),
                            field.required,
                        )
                    )

    def routes(self) -> None:
        found: dict[tuple[str, str, str], tuple[FoundRoute, str, bool]] = {}
        for route in self._finder.find():
            app = self._app(route)
            is_test = is_test_path(route.registered_at.path) or is_test_path(route.top.path)
            found.setdefault(
                (f"{route.method} {route.path}", app, str(route.registered_at)), (route, app, is_test)
            )
        apps: dict[str, set[str]] = {}
        for label, app, _ in found:
            apps.setdefault(label, set()).add(app)
        taken: set[str] = set()
        for (label, app, _), (route, _, is_test) in sorted(found.items()):
            suffix = f" @{app}" if len(apps[label]) > 1 else ""
            id_ = _unique(f"route:{label}{suffix}", taken)
            request = self._language.read_request(self._reading, route)
            self.entries.routes.append(self._route(id_, route, app, request, is_test=is_test))

    def _route(
        self, id_: str, route: FoundRoute, app: str, request: RequestFields, *, is_test: bool
    ) -> Route:
        taken: set[str] = set()
        names: dict[FieldKind, list[str]] = {kind: [] for kind in FieldKind}
        for field in request.fields:
            names[field.kind].append(field.name)
            field_id = _unique(f"field:{id_.removeprefix('route:')}::{field.kind.value}.{field.name}", taken)
            self.entries.fields.append(
                Field(
                    field_id,
                    field.name,
                    field.kind,
                    id_,
                    field.place,
                    written(field.annotation),
                    field.required,
                )
            )
        handler = None if route.handler is None else self._ids[route.handler]
        place = route.registered_at
        if route.handler is not None:
            definition = self._program.definition(route.handler)
            first = definition.line
            if definition.name.startswith("<") and route.handler.path == route.registered_at.path:
                first = min(first, route.registered_at.start_line)
            place = Place(route.handler.path, first, definition.end_line)
        return Route(
            id_,
            route.method,
            route.path,
            handler,
            route.handler_name,
            place,
            route.registered_at,
            route.mounts,
            app,
            route.dynamic,
            route.confidence,
            tuple(names[FieldKind.PATH]),
            tuple(names[FieldKind.QUERY]),
            tuple(names[FieldKind.BODY]) if request.body_known else None,
            is_test,
        )

    def _app(self, route: FoundRoute) -> str:
        """The nearest project folder above the file where the route's last router is made."""
        folder = dirname(route.top.path)
        while folder and folder not in self._projects:
            folder = dirname(folder)
        return folder or "."

    def calls(self) -> None:
        seen: set[tuple[str, str, int, str]] = set()
        for edge in self._graph.edges:
            row = (self._ids[edge.caller], self._ids[edge.callee], edge.line, edge.name)
            if row not in seen:
                seen.add(row)
                self.entries.edges.append(CallEdge(*row, edge.kind))
        self.entries.edges.extend(self._requests())

    def _requests(self) -> Iterator[CallEdge]:
        """Requests that tests send: `client.post("/orders")` leads to the handler of `POST /orders`."""
        known = [
            (route.method, segments(route.path), route.handler)
            for route in self.entries.routes
            if not route.is_test and route.handler is not None
        ]
        if not known:
            return
        for path, facts in self._program.files.items():
            if is_test_path(path):
                for site in facts.calls:
                    asked = _requested(site.call)
                    if asked is not None:
                        verb, target = asked
                        caller = self._ids[Defined(path, site.scope)]
                        for handler in _answering(known, verb, target):
                            yield CallEdge(caller, handler, site.call.line, verb.lower(), EdgeKind.REQUEST)

    def settings_and_options(self) -> None:
        places: dict[str, set[Place]] = {}
        for setting in self._language.read_settings(self._reading):
            places.setdefault(setting.name, set()).add(setting.place)
        for name, where in places.items():
            ordered = tuple(sorted(where, key=lambda place: (place.path, place.start_line)))
            self.entries.settings.append(Setting(f"config:{name}", name, ordered))
        taken: set[str] = set()
        for option in self._language.read_options(self._reading):
            owner = self._ids[option.owner]
            id_ = _unique(f"option:{owner.removeprefix('symbol:')}{option.name}", taken)
            self.entries.options.append(Option(id_, option.name, owner, option.place))


_PROJECT_FILES = frozenset({"pyproject.toml", "setup.py", "setup.cfg", "package.json", "go.mod"})


def _is_program(facts: FileFacts) -> bool:
    return facts.definitions[0].kind == "program"


def _requested(call: Call) -> tuple[str, tuple[str, ...]] | None:
    """Method and path of a request, where both can be read off the call."""
    match call:
        case Call(Attribute(_, word), (Text() | Joined() as target, *_)) if word in _REQUEST_METHODS:
            path = target.value if isinstance(target, Text) else _shape(target)
            if path.startswith(("/", PARAMETER)) and len(segments(path)) > 0:
                return word.upper(), segments(path)
        case Call(Attribute(_, "NewRequest"), (verb, Text() | Joined() as target, *_)):
            method = (
                verb.value if isinstance(verb, Text) else getattr(verb, "name", "").removeprefix("Method")
            )
            path = target.value if isinstance(target, Text) else _shape(target)
            if path.startswith(("/", PARAMETER)) and segments(path):
                return method.upper(), segments(path)
    return None


def _shape(joined: Joined) -> str:
    return "".join(part.value if isinstance(part, Text) else PARAMETER for part in joined.parts)


def _answering(known: list[tuple[str, tuple[str, ...], str]], verb: str, asked: tuple[str, ...]) -> list[str]:
    """Handlers that answer: word for word first, then with parameters; a leading unknown prefix is left out."""
    tail = asked[1:] if asked[0] == PARAMETER and len(asked) > 1 else None
    for matches in (
        lambda have: have == asked,
        lambda have: fits(have, asked),
        lambda have: tail is not None and len(have) >= len(tail) and fits(have[-len(tail) :], tail),
    ):
        found = {handler for method, have, handler in known if method == verb and matches(have)}
        if found:
            return sorted(found)
    return []


def _unique(id_: str, taken: set[str]) -> str:
    """The id, with a number from the second on."""
    number, result = 1, id_
    while result in taken:
        number += 1
        result = f"{id_}#{number}"
    taken.add(result)
    return result
