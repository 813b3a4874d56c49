"""The ids of entries; and from the routes that were found to entries, with their fields and the requests that tests send."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname

from pipeline.code_registry.entries import (
    CallEdge,
    EdgeKind,
    Field,
    FieldKind,
    FrameworkCoverage,
    Route,
    SourceRange,
)
from pipeline.code_registry.facts import Attribute, Call, JoinedText, StringLiteral, source_text
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.framework import WebPackage
from pipeline.code_registry.language import Language
from pipeline.code_registry.linking.names.program import DefinitionRef, SourceProgram
from pipeline.code_registry.linking.routes.coverage import CoverageReader
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.routes.routes import RouteFinder
from pipeline.code_registry.linking.values.tracing import Tracer
from pipeline.code_registry.paths import PARAMETER, matches_pattern, path_parameters, segments
from pipeline.domain.testing_paths import is_test_path


class SymbolIds:
    """The ids of definitions, worked out file by file."""

    def __init__(self, program: SourceProgram) -> None:
        self._program = program
        self._by_file: dict[str, list[str]] = {}
        self._names: dict[str, list[str]] = {}

    def __getitem__(self, of: DefinitionRef) -> str:
        return self.of_file(of.path)[of.number]

    def find(self, id_: str) -> DefinitionRef | None:
        """The definition of an id, or the top of a file."""
        path = id_.removeprefix("symbol:").partition("::")[0]
        ids = self.of_file(path) if path in self._program.files else []
        return DefinitionRef(path, ids.index(id_)) if id_ in ids else None

    def of_file(self, path: str) -> list[str]:
        """The ids of a file's definitions in their order."""
        cached_ids = self._by_file.get(path)
        if cached_ids is not None:
            return cached_ids
        ids = [f"symbol:{path}"]
        used_ids: set[str] = set()
        names = self.qualified_names(path)
        for number, definition in enumerate(self._program.definitions_of(path)[1:], 1):
            id_ = f"symbol:{path}::{names[number]}"
            is_symbol = definition.kind not in {"extension", "object"}
            ids.append(unique(id_, used_ids) if is_symbol else id_)
        self._by_file[path] = ids
        return ids

    def qualified_names(self, path: str) -> list[str]:
        """The names of a file's definitions from the file down, joined by dots; the file itself has none."""
        names = self._names.get(path)
        if names is None:
            names = self._names[path] = [""]
            for number, definition in enumerate(self._program.definitions_of(path)[1:], 1):
                above = definition.parent
                if 0 < above < number:
                    names.append(f"{names[above]}.{definition.name}")
                else:
                    names.append(self._program.qualified_name(DefinitionRef(path, number)))
        return names


def unique(id_: str, used_ids: set[str]) -> str:
    """The id, with a number from the second on."""
    number, result = 1, id_
    while result in used_ids:
        number += 1
        result = f"{id_}#{number}"
    used_ids.add(result)
    return result


_REQUEST_METHODS = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "stream", "websocket_connect"}
)
_UNKNOWN_FIELDS = RequestFields((), body_known=False)
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
TestRequest = tuple[str, tuple[str, ...]]
"""A request: its method, and the segments of its path."""


class RouteEntries:
    """Finds the routes of a program and turns them into entries."""

    def __init__(
        self,
        language: Language,
        tracer: Tracer,
        ids: SymbolIds,
        projects: Collection[str],
        failures: FailureLog,
    ) -> None:
        self._language = language
        self._tracer = tracer
        self._program = tracer.program
        self._ids = ids
        self._projects = projects
        self._failures = failures
        self.routes: list[Route] = []
        self.fields: list[Field] = []
        self.coverage: tuple[FrameworkCoverage, ...] = ()

    def find(self, among: Collection[str], imports: Mapping[str, Sequence[WebPackage]]) -> None:
        """Find all routes that the files `among` register; `imports` are the web packages that files import."""
        tracer, frameworks = self._tracer, self._language.frameworks
        finder = RouteFinder(tracer, frameworks, among, self._failures)
        routes = finder.find()
        reader = CoverageReader(tracer, finder.graph, frameworks, routes, finder.unread)
        self.coverage = reader.coverage(imports, among)
        route_rows: dict[tuple[str, str, str], tuple[FoundRoute, str, bool]] = {}
        for route in routes:
            app = self._app(route)
            is_test = is_test_path(route.registered_at.path) or is_test_path(route.top.path)
            route_rows.setdefault(
                (f"{route.method} {route.path}", app, str(route.registered_at)), (route, app, is_test)
            )
        apps: dict[str, set[str]] = {}
        for label, app, _ in route_rows:
            apps.setdefault(label, set()).add(app)
        used_ids: set[str] = set()
        readers = {framework.name: framework.read_request for framework in frameworks}
        for (label, app, _), (route, _, is_test) in sorted(route_rows.items()):
            suffix = f" @{app}" if len(apps[label]) > 1 else ""
            id_ = unique(f"route:{label}{suffix}", used_ids)
            request = self._request(route, readers.get(route.framework))
            self.routes.append(self._route(id_, route, app, request, is_test=is_test))

    def _request(self, route: FoundRoute, read: Callable[..., RequestFields] | None) -> RequestFields:
        """The fields that the code declares for a route, and the parameters of its path. `GET` takes no body."""
        request = _UNKNOWN_FIELDS
        if read is not None:
            with self._failures.reading(route.registered_at.path):
                request = read(self._tracer, route)
        is_bodiless = route.method in _BODILESS
        fields = {
            (field.kind, field.name): field
            for field in reversed(request.fields)
            if not (is_bodiless and field.kind is FieldKind.BODY)
        }
        for name in reversed(path_parameters(route.path)):
            fields.setdefault(
                (FieldKind.PATH, name), FoundField(name, FieldKind.PATH, route.registered_at, None, True)
            )
        return RequestFields(tuple(reversed(fields.values())), request.body_known or is_bodiless)

    def _route(
        self, id_: str, route: FoundRoute, app: str, request: RequestFields, *, is_test: bool
    ) -> Route:
        used_ids: set[str] = set()
        names: dict[FieldKind, list[str]] = {kind: [] for kind in FieldKind}
        for field in request.fields:
            names[field.kind].append(field.name)
            field_id = unique(
                f"field:{id_.removeprefix('route:')}::{field.kind.value}.{field.name}", used_ids
            )
            self.fields.append(as_field(field_id, id_, field))
        handler = None if route.handler is None else self._ids[route.handler]
        place = route.registered_at
        if route.handler is not None:
            definition = self._program.definition(route.handler)
            first = definition.line
            if definition.name.startswith("<") and route.handler.path == route.registered_at.path:
                first = min(first, route.registered_at.start_line)
            place = SourceRange(route.handler.path, first, definition.end_line)
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


def as_field(id_: str, owner: str, field: FoundField) -> Field:
    """A field that was found, as an entry."""
    return Field(
        id_, field.name, field.kind, owner, field.place, source_text(field.annotation), field.required
    )


def request_edges(
    requests: Iterable[tuple[str, int, TestRequest]], routes: Sequence[Route]
) -> Iterator[CallEdge]:
    """From each request to the handlers that answer it."""
    handlers = [
        (route.method, segments(route.path), route.handler)
        for route in routes
        if not route.is_test and route.handler is not None
    ]
    for caller, line, (verb, path_segments) in requests if handlers else ():
        for handler in _answering(handlers, verb, path_segments):
            yield CallEdge(caller, handler, line, verb.lower(), EdgeKind.REQUEST)


def request_of_call(call: Call) -> TestRequest | None:
    """Method and path of a request, where both can be read off the call."""
    match call:
        case Call(Attribute(_, word), (StringLiteral() | JoinedText() as target, *_)) if (
            word in _REQUEST_METHODS
        ):
            method = word
        case Call(
            Attribute(_, "NewRequest"), (StringLiteral(word), StringLiteral() | JoinedText() as target, *_)
        ):
            method = word
        case Call(Attribute(_, "NewRequest"), (verb, StringLiteral() | JoinedText() as target, *_)):
            method = getattr(verb, "name", "").removeprefix("Method")
        case _:
            return None
    path = target.value if isinstance(target, StringLiteral) else _shape(target)
    path_segments = segments(path)
    return (method.upper(), path_segments) if path.startswith(("/", PARAMETER)) and path_segments else None


def _shape(joined_text: JoinedText) -> str:
    return "".join(part.value if isinstance(part, StringLiteral) else PARAMETER for part in joined_text.parts)


def _answering(
    handlers: list[tuple[str, tuple[str, ...], str]], verb: str, path_segments: tuple[str, ...]
) -> list[str]:
    """Handlers that answer: word for word first, then with parameters; a leading unknown prefix is left out."""
    tail = path_segments[1:] if path_segments[0] == PARAMETER and len(path_segments) > 1 else None
    for matches in (
        lambda have: have == path_segments,
        lambda have: matches_pattern(have, path_segments),
        lambda have: (
            tail is not None and len(have) >= len(tail) and matches_pattern(have[-len(tail) :], tail)
        ),
    ):
        matching_handlers = {
            handler for method, have, handler in handlers if method == verb and matches(have)
        }
        if matching_handlers:
            return sorted(matching_handlers)
    return []
