"""What was read of each web framework, and what looks like a registration and gave no route.

A statement looks like one if it is in a file that imports a web framework, is called by a word that registers (`get`,
`HandleFunc`, `add_route` …), and is handed a constant path: `@protected("/orders")` is none, `@router.get("/orders")` is
one, and so are `@get("/orders")`, `mux.Handle("GET /orders", …)` and `router.get(PATH, …)` with a constant `PATH`. A call of
a router's method by a name that is worked out (`router[method](path, …)`) is one, too, and so is a call of a method that
registers on what was followed to a router, whatever its path. Clients use the same words (`session.get("/orders")`): what is
known to come from a package that is no web framework is left out.

A repository may register at a router of its own, in files that import no framework. There a constant path with a function
of the repository counts, where a file has several of them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipeline.code_registry.entries import FileCoverage, FrameworkCoverage, SourceRange, UnreadRegistration
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Constant,
    Expression,
    Inline,
    JoinedText,
    Name,
    Pairs,
    StringLiteral,
    Subscript,
    last_word,
    source_text,
)
from pipeline.code_registry.framework import Framework, WebPackage
from pipeline.code_registry.linking.names.program import (
    Collection,
    DefinitionRef,
    Entity,
    External,
    ExternalInstance,
    Instance,
    Module,
)
from pipeline.code_registry.linking.names.words import without_version
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, computed_method
from pipeline.code_registry.linking.values.tracing import Tracer
from pipeline.domain.testing_paths import is_test_path

_REGISTERING = frozenset(
    (
        "get post put patch delete head options any all route handle handlefunc add_route add_url_rule "
        "add_api_route websocket controller register_route handler expose"
    ).split()
)
_PATH_KEYWORDS = frozenset({"path", "rule", "url", "route", "uri"})
_LONGEST_TEXT = 80
_FIRST_ARGUMENTS = 3
_OWN_REGISTRATIONS = 3
"""Calls of a file without a web framework from which they are taken for registrations at a router of its own."""


class CoverageReader:
    """Holds the routes that were read against what the files say.

    `unread` are misses that readers noted themselves, each with the framework.
    """

    def __init__(
        self,
        tracer: Tracer,
        graph: RouterGraph,
        frameworks: Sequence[Framework],
        routes: Iterable[FoundRoute],
        unread: Iterable[tuple[str, UnreadRegistration]],
    ) -> None:
        self._tracer = tracer
        self._program = tracer.program
        self._graph = graph
        self._names = {framework.name for framework in frameworks}
        self._guests: dict[str, list[str]] = {}
        for framework in frameworks:
            for host in framework.hosts:
                self._guests.setdefault(host, []).append(framework.name)
        self._registering = graph.words.routes
        self._words = _REGISTERING | {word.lower() for word in self._registering}
        self._routes: dict[tuple[str, str], set[int]] = {}
        self._productive: set[str] = set()
        self._read = {(mount.at.path, mount.at.start_line) for mount in graph.mounts}
        self._noted: dict[str, list[tuple[str, UnreadRegistration]]] = {}
        wrapper_lines: dict[str, set[int]] = {}
        for route in routes:
            at = route.registered_at
            self._routes.setdefault((at.path, route.framework), set()).add(at.start_line)
            lines = set(_lines(route))
            self._read |= lines
            # A route of one framework may hang at the application of another one, which it is made and mounted by.
            self._productive |= {at.path, route.top.path, *(mount.path for mount in route.mounts)}
            if route.registration is not None and _place(route.registration) != (at.path, at.start_line):
                wrapper_lines.setdefault(at.path, set()).add(at.start_line)
        self._wrapping = {
            last_word(site.call.function, Subscript, Call)
            for path, lines in wrapper_lines.items()
            for site in self._program.files[path].calls
            if site.call.line in lines
        }
        """Names of functions of the repository that registered something for their callers."""
        for framework_name, item in unread:
            self._noted.setdefault(item.place.path, []).append((framework_name, item))

    def coverage(
        self, imports: Mapping[str, Sequence[WebPackage]], among: Iterable[str]
    ) -> tuple[FrameworkCoverage, ...]:
        """The coverage of each framework that files import or that gave routes; `imports` are web packages by path.

        `among`: the files that may register routes.
        """
        files: dict[str, list[FileCoverage]] = {}
        narrow: set[str] = set()
        for path, packages in imports.items():
            if is_test_path(path):
                continue
            owners = list(dict.fromkeys(package.framework for package in packages))
            narrow |= {package.framework for package in packages if not package.broad}
            unread = self._unread(path, packages)
            for owner in owners:
                count = len(self._routes.get((path, owner), ()))
                files.setdefault(owner, []).append(
                    FileCoverage(owner, path, count, tuple(unread.get(owner, ())))
                )
        # Routes that follow from where files stand need no import.
        for path, owner in self._routes:
            if not is_test_path(path):
                files.setdefault(owner, [])
        most_imported = max(narrow, key=lambda owner: (len(files[owner]), owner), default=None)
        elsewhere = self._elsewhere(path for path in among if path not in imports) if most_imported else ()
        return tuple(
            self._of_framework(
                owner,
                file_coverages,
                tuple(elsewhere) if owner == most_imported else (),
                is_narrow=owner in narrow,
            )
            for owner, file_coverages in sorted(files.items())
        )

    def _elsewhere(self, paths: Iterable[str]) -> list[UnreadRegistration]:
        """Calls that look like registrations at routers of the repository's own, and gave no route."""
        why = "it registers at a router of the repository's own"
        unread: list[UnreadRegistration] = []
        for path in paths:
            if not is_test_path(path):
                calls = [call for call, scope, _ in self._calls(path) if self._is_handing(call, scope)]
                if len(calls) >= _OWN_REGISTRATIONS:
                    unread += (
                        UnreadRegistration(SourceRange(path, call.line, call.line), short_text(call), why)
                        for call in calls
                        if (path, call.line) not in self._read
                    )
        return unread

    def _is_handing(self, call: Call, scope: Scope) -> bool:
        """Whether a call by a word that registers has a constant path and hands over a function of the repository."""
        if not isinstance(call.function, Attribute) or call.function.name.lower() not in self._words:
            return False
        path, *handlers = call.arguments or (None,)
        if not isinstance(path, StringLiteral) or not _without_method(path.value).startswith("/"):
            return False
        last = handlers[-1] if handlers else None
        if not isinstance(last, Name | Attribute | Inline):
            return False
        entity = self._tracer.types.of(last, scope.path, scope.number)
        return isinstance(entity, DefinitionRef) and not self._program.is_class(entity)

    def _of_framework(
        self,
        owner: str,
        files: list[FileCoverage],
        elsewhere: tuple[UnreadRegistration, ...],
        *,
        is_narrow: bool,
    ) -> FrameworkCoverage:
        is_read = owner in self._names
        routes = sum(len(lines) for (_, name), lines in self._routes.items() if name == owner)
        is_alone = not is_read or not any(file.path in self._productive for file in files)
        guests = self._guests.get(owner, ())
        is_host = any(name in guests for _, name in self._routes)
        is_silent = is_narrow and is_alone and not routes and not is_host
        return FrameworkCoverage(
            owner, is_read, is_silent, routes, tuple(sorted(files, key=lambda file: file.path)), elsewhere
        )

    def _unread(self, path: str, packages: Sequence[WebPackage]) -> Mapping[str, list[UnreadRegistration]]:
        """Calls of a file that look like a registration and gave no route, by framework."""
        first = next((package for package in packages if not package.broad), packages[0])
        registrations: dict[str, list[UnreadRegistration]] = {}
        owners = {package.framework for package in packages}
        for name, item in self._noted.get(path, ()):
            registrations.setdefault(name if name in owners else first.framework, []).append(item)
        noted_lines = {item.place.start_line for items in registrations.values() for item in items}
        for call, scope, is_decorator in self._calls(path):
            if (path, call.line) in self._read or call.line in noted_lines:
                continue
            if not self._looks_registering(call, scope, is_decorator=is_decorator):
                continue
            owner = self._owner(call, scope, packages, first)
            if owner is None and is_decorator and not first.broad:
                owner = first
            if owner is not None:
                reason = self._reason(call, scope, owner)
                item = UnreadRegistration(SourceRange(path, call.line, call.line), short_text(call), reason)
                registrations.setdefault(owner.framework, []).append(item)
        return registrations

    def _calls(self, path: str) -> Iterator[tuple[Call, Scope, bool]]:
        """Every call of a file, each once, and whether it decorates something: a request never does."""
        facts = self._program.files[path]
        decorators: set[tuple[int, str]] = set()
        for definition in facts.definitions:
            for decorator in definition.decorators:
                if isinstance(decorator, Call):
                    decorators.add((decorator.line, last_word(decorator.function, Subscript, Call)))
                    yield decorator, Scope(path, max(definition.parent, 0)), True
        for site in facts.calls:
            if (site.call.line, last_word(site.call.function, Subscript, Call)) not in decorators:
                yield site.call, Scope(path, site.scope), False

    def _looks_registering(self, call: Call, scope: Scope, *, is_decorator: bool) -> bool:
        method = computed_method(call)
        if method is not None:
            return len(call.arguments) > 1 and bool(self._graph.routers(ScopedValue(method[0], scope)))
        if last_word(call.function, Subscript, Call).lower() not in self._words:
            return False
        if not is_decorator and len(call.arguments) > 1 and self._is_at_router(call, scope):
            return True
        values = [*call.arguments[:_FIRST_ARGUMENTS]]
        values += [value for key, value in call.keywords if key in _PATH_KEYWORDS]
        if any(_describes_route(value) for value in values):
            return True
        if is_decorator and StringLiteral("") in values:
            return True
        paths = [value for value in values if self._is_path(value, scope)]
        return bool(paths) and (is_decorator or not _asks(call, paths))

    def _is_at_router(self, call: Call, scope: Scope) -> bool:
        """Whether a method that registers is called on what was followed to a router, and its arguments can be followed."""
        function, values = call.function, call.arguments
        if not isinstance(function, Attribute):
            return False
        if any(
            isinstance(value, StringLiteral | Pairs | Constant) for value in values
        ):  # `row.get(key, "none")`
            return False
        routers = self._graph.routers(ScopedValue(function.base, scope))
        return any(
            route.handler is not None and self._graph.speaks(framework, router)
            for framework, route in self._registering.get(function.name, ())
            for router in routers
        )

    def _is_path(self, value: Expression, scope: Scope) -> bool:
        match value:
            case StringLiteral(text):
                return _without_method(text).startswith("/") and "\n" not in text
            case JoinedText(parts):
                return any(isinstance(part, StringLiteral) and part.value.startswith("/") for part in parts)
            case Name() | Attribute():
                assignment = self._tracer.types.annotations.assignment_of(value, scope.path, scope.number)
                constant = assignment[0].value if assignment is not None else None
                return isinstance(constant, StringLiteral) and self._is_path(constant, scope)
            case _:
                return False

    def _owner(
        self, call: Call, scope: Scope, packages: Sequence[WebPackage], first: WebPackage
    ) -> WebPackage | None:
        """The web package that a call seems to belong to; None for what belongs to another package or to the repository."""
        base = call.function.base if isinstance(call.function, Attribute | Subscript) else call.function
        entity = self._tracer.types.of(base, scope.path, scope.number)
        if isinstance(entity, External | ExternalInstance):
            module = without_version(entity.dotted_name)
            owners = [
                p
                for p in packages
                if module == p.package or module.startswith((f"{p.package}.", f"{p.package}/"))
            ]
            return owners[0] if owners else None
        if not any(map(_describes_route, call.arguments)) and self._is_own(call.function, entity, scope):
            return None
        return None if first.broad and entity is None else first

    def _is_own(self, function: Expression, receiver: Entity | None, scope: Scope) -> bool:
        """Whether a function of the repository is called, or a method of a class that is no router."""
        is_own = isinstance(self._tracer.types.of(function, scope.path, scope.number), DefinitionRef)
        if is_own and last_word(function, Subscript, Call) in self._wrapping:
            return False
        match receiver:
            case Instance(path, number):
                return self._graph.class_kind(DefinitionRef(path, number)) is None
            case _ if is_own:
                return True
            case Collection() | Module():
                return True
            case _:
                return False

    def _reason(self, call: Call, scope: Scope, owner: WebPackage) -> str:
        if owner.framework not in self._names:
            return f"the registry does not read {owner.framework}"
        if computed_method(call) is not None:
            return "the name of its method, or its path, could not be worked out"
        if not isinstance(call.function, Attribute):
            return f"`{short_text(call.function)}` is not known to register routes"
        if not self._graph.routers(ScopedValue(call.function.base, scope)):
            return f"`{short_text(call.function.base)}` could not be followed to a router"
        if call.function.name not in self._registering:
            return f"`{call.function.name}` is not known to register routes"
        return "its path or its handler could not be read"


def short_text(expression: Expression) -> str:
    """An expression in the form that people read."""
    return (source_text(expression) or "")[:_LONGEST_TEXT]


def _lines(route: FoundRoute) -> Iterator[tuple[str, int]]:
    """The lines that a route was read from: its registration and every call in the chain that leads to it."""
    yield route.registered_at.path, route.registered_at.start_line
    if route.registration is None:
        return
    at: Expression = route.registration.expression
    while isinstance(at, Call):
        yield route.registration.scope.path, at.line
        at = at.function.base if isinstance(at.function, Attribute) else at.function


def _place(registration: ScopedValue) -> tuple[str, int]:
    """The line of the call that registers."""
    call = registration.expression
    return registration.scope.path, call.line if isinstance(call, Call) else 0


def _describes_route(value: Expression) -> bool:
    """Whether options name a path together with a method or a handler: no cache and no client is asked so."""
    keys = (
        {key.value for key, _ in value.items if isinstance(key, StringLiteral)}
        if isinstance(value, Pairs)
        else set()
    )
    return bool(keys & _PATH_KEYWORDS) and bool(keys & {"method", "methods", "handler", "handlers"})


def _without_method(text: str) -> str:
    """The path of a pattern that may begin with the HTTP method: `GET /orders`."""
    method, space, path = text.partition(" ")
    return path if space and method.isupper() else text


def _asks(call: Call, paths: Sequence[Expression]) -> bool:
    """Whether a call looks like a request: a path alone or with options, and nothing that could answer."""
    rest = [value for value in call.arguments if value not in paths]
    return bool(call.arguments[1:]) and all(isinstance(value, Pairs | StringLiteral) for value in rest)
