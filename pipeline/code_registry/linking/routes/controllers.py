"""Routes of classes whose decorators carry prefix and version, and of files by where they stand."""

from collections.abc import Iterator, Sequence
from posixpath import dirname
from typing import NamedTuple

from pipeline.code_registry.entries import Confidence, SourceRange
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    CallSite,
    Expression,
    Items,
    Name,
    Pairs,
    StringLiteral,
    last_word,
)
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import ArgumentAt, ControllerStyle, Framework, Joining
from pipeline.code_registry.linking.handlers import ANY, HandlerFinder, tested_methods
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.mounting import RouterNode, join
from pipeline.code_registry.linking.routes.found_route import FoundRoute, with_leading_slash
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, argument, value_of_key
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer
from pipeline.domain.testing_paths import is_test_path


def routes_by_file(
    tracer: Tracer, handlers: HandlerFinder, framework: Framework, failures: FailureLog
) -> Iterator[FoundRoute]:
    """The routes of a framework's file convention, if it has one."""
    convention = framework.files
    if convention is None:
        return
    for path in tracer.program.files:
        below = path.removeprefix(f"{project_of(tracer, path, convention.project_file)}/")
        url = convention.path(below)
        if url is None:
            continue
        for export_name, verb in convention.verbs:
            if tracer.program.bindings_in(path, 0, export_name):
                with failures.reading(path):
                    route = _export_route(tracer, handlers, framework, path, export_name)._replace(path=url)
                    verbs: tuple[str, ...] = ()
                    if verb == ANY and route.handler is not None and framework.method_attribute is not None:
                        verbs = tested_methods(tracer, route.handler, is_only_place=True)
                    for method in verbs or (verb,):
                        yield route._replace(method=method)


def _export_route(
    tracer: Tracer, handlers: HandlerFinder, framework: Framework, path: str, export_name: str
) -> FoundRoute:
    """The route that an exported name answers, but for its method and path."""
    handler = handlers.find(ScopedValue(Name(export_name), Scope(path, 0)))
    ref = handler.ref
    line = 1 if ref is None or ref.path != path else tracer.program.definition(ref).line
    at = SourceRange(path, line, line)
    name = export_name if ref is None else handler.name
    top = RouterNode(path, 0, 0, framework.name)
    return FoundRoute("", "", ref, name, framework.name, at, (), top, False, Confidence.MOUNTED)


def project_of(tracer: Tracer, path: str, project_file: str) -> str:
    """The nearest folder above a file that has the project's own file."""
    folder = dirname(path)
    while folder and f"{folder}/{project_file}" not in tracer.program.files:
        folder = dirname(folder)
    return folder


_NO_TEXT = TextValue("", False)


class _Application(NamedTuple):
    """What an application puts before the paths of its controllers."""

    prefixes: tuple[TextValue, ...]
    excluded_paths: frozenset[str]
    is_versioned: bool
    version_prefix: TextValue
    default_version: tuple[str, ...]
    mounts: tuple[SourceRange, ...]


def routes_of_controllers(tracer: Tracer, framework: Framework, failures: FailureLog) -> Iterator[FoundRoute]:
    """The routes of a framework's controllers, if it has such."""
    if framework.controllers is not None:
        yield from _Controllers(tracer, framework.name, framework.controllers).routes(failures)


class _Controllers:
    """Reads the controllers of one style."""

    def __init__(self, tracer: Tracer, framework: str, style: ControllerStyle) -> None:
        self._tracer = tracer
        self._program = tracer.program
        self._framework = framework
        self._style = style
        self._verbs = dict(style.verbs)
        self._calls: dict[str, list[tuple[str, CallSite]]] = {style.global_prefix: [], style.versioning: []}

    def routes(self, failures: FailureLog) -> Iterator[FoundRoute]:
        """Every route of every controller."""
        classes = [
            (class_, decorator)
            for class_, definition in self._program.definitions()
            if definition.kind == "class"
            for decorator in definition.decorators
            if isinstance(decorator, Call) and self._is(decorator, class_, {self._style.decorator})
        ]
        if not classes:
            return
        for path, facts in self._program.files.items():
            for site in facts.calls:
                function = site.call.function
                if isinstance(function, Attribute) and function.name in self._calls:
                    self._calls[function.name].append((path, site))
        for class_, decorator in classes:
            with failures.reading(class_.path):
                yield from self._of_class(class_, decorator)

    def _is(self, decorator: Expression, at: DefinitionRef, names: set[str]) -> bool:
        function = decorator.function if isinstance(decorator, Call) else decorator
        if not isinstance(function, Name | Attribute) or function.name not in names:
            return False
        return bool(self._tracer.outside_word(function, Scope(*at), self._style.packages))

    def _of_class(self, class_: DefinitionRef, decorator: Call) -> Iterator[FoundRoute]:
        scope = Scope(class_.path, class_.number)
        prefixes = self._texts(decorator, self._style.path, scope) or (_NO_TEXT,)
        versions = self._versions(argument(decorator, self._style.version), scope)
        application = self._application(class_.path)
        method_names: set[str] = set()
        for method, definition in self._tracer.types.classes.methods(class_):
            calls = [d for d in definition.decorators if isinstance(d, Call)]
            for call in calls if definition.name not in method_names else ():
                if self._is(call, method, set(self._verbs)):
                    yield from self._of_method(class_, method, call, prefixes, versions, application)
            if calls:
                method_names.add(definition.name)

    def _of_method(
        self,
        class_: DefinitionRef,
        method: DefinitionRef,
        call: Call,
        prefixes: Sequence[TextValue],
        versions: tuple[str, ...] | None,
        application: _Application | None,
    ) -> Iterator[FoundRoute]:
        scope = Scope(method.path, method.number)
        word = last_word(call.function)
        for decorator in self._program.definition(method).decorators:
            if isinstance(decorator, Call) and self._is(decorator, method, {self._style.version_decorator}):
                versions = self._versions(decorator.arguments[0] if decorator.arguments else None, scope)
        at = SourceRange(method.path, call.line, call.line)
        for own_path in self._texts(call, self._style.path, scope) or (_NO_TEXT,):
            for prefix in prefixes:
                local = join(prefix.text, own_path.text, Joining.TRIMMED)
                dynamic = prefix.dynamic or own_path.dynamic
                for before in self._before(local, versions, application):
                    yield FoundRoute(
                        self._verbs[word],
                        with_leading_slash(join(before.text, local, Joining.TRIMMED)),
                        method,
                        self._program.qualified_name(method),
                        self._framework,
                        at,
                        application.mounts if application is not None else (),
                        RouterNode(class_.path, class_.number, 0, self._framework),
                        dynamic or before.dynamic,
                        Confidence.MOUNTED if application is not None else Confidence.UNMOUNTED,
                        ScopedValue(call, scope),
                    )

    def _before(
        self, local: str, versions: tuple[str, ...] | None, application: _Application | None
    ) -> Iterator[TextValue]:
        """The prefixes of a controller's own path: global prefix, then version."""
        if application is None:
            yield TextValue("", True)
            return
        is_excluded = local.strip("/") in application.excluded_paths
        for prefix in (_NO_TEXT,) if is_excluded else application.prefixes:
            if not application.is_versioned:
                yield prefix
                continue
            chosen_versions = application.default_version if versions is None else versions
            for version in chosen_versions or ("",):
                mark = application.version_prefix
                text = join(prefix.text, f"{mark.text}{version}" if version else "", Joining.TRIMMED)
                yield TextValue(text, prefix.dynamic or (bool(version) and mark.dynamic))

    def _application(self, path: str) -> _Application | None:
        """What the application that a controller belongs to says; None if no application is made near it."""
        near = {word: self._nearest(path, sites) for word, sites in self._calls.items()}
        starting_calls = near[self._style.global_prefix] or near[self._style.versioning]
        if not starting_calls and not self._is_served(path):
            return None
        prefixes: list[TextValue] = []
        excluded_paths: set[str] = set()
        for site_path, site in near[self._style.global_prefix]:
            scope = Scope(site_path, site.scope)
            texts = self._texts(site.call, ArgumentAt(0), scope)
            prefixes += [text for text in texts or (TextValue("", True),) if text not in prefixes]
            excluded_paths |= set(self._excluded_paths(site.call))
        versionings = near[self._style.versioning]
        prefix, default = TextValue("v", False), tuple[str, ...]()
        is_versioned = False
        for site_path, site in versionings:
            scope = Scope(site_path, site.scope)
            kind = argument(site.call, ArgumentAt(keyword="type"))
            is_versioned = (
                is_versioned
                or kind is None
                or (isinstance(kind, Attribute) and kind.name == self._style.by_path)
            )
            texts = self._texts(site.call, ArgumentAt(keyword="prefix"), scope)
            prefix = _shortest(texts) if texts else prefix
            default = (
                self._versions(argument(site.call, ArgumentAt(keyword="defaultVersion")), scope) or default
            )
        if len(prefixes) > 1:
            prefixes = [TextValue("", True)]
        places = tuple(
            SourceRange(site_path, site.call.line, site.call.line)
            for sites in near.values()
            for site_path, site in sites
        )
        return _Application(
            tuple(prefixes) or (_NO_TEXT,), frozenset(excluded_paths), is_versioned, prefix, default, places
        )

    def _is_served(self, path: str) -> bool:
        """Whether the project that a file belongs to starts a server."""
        project = project_of(self._tracer, path, self._style.project_file)
        return any(
            isinstance(site.call.function, Attribute) and site.call.function.name == "listen"
            for file_path, facts in self._program.files.items()
            if (not project or file_path.startswith(f"{project}/")) and not is_test_path(file_path)
            for site in facts.calls
        )

    def _nearest(self, path: str, sites: list[tuple[str, CallSite]]) -> list[tuple[str, CallSite]]:
        """The statements of the same project whose folder is nearest to a file."""
        project = project_of(self._tracer, path, self._style.project_file)
        project_sites = [
            (site_path, site)
            for site_path, site in sites
            if not is_test_path(site_path)
            and project_of(self._tracer, site_path, self._style.project_file) == project
        ]
        depths = {
            site_path: _shared_depth(dirname(site_path), dirname(path)) for site_path, _ in project_sites
        }
        best = max(depths.values(), default=0)
        return [(site_path, site) for site_path, site in project_sites if depths[site_path] == best]

    def _excluded_paths(self, call: Call) -> Iterator[str]:
        """Paths that go without the global prefix."""
        options = argument(call, ArgumentAt(keyword="exclude"))
        for item in options.items if isinstance(options, Items) else ():
            value = value_of_key(item, "path") if isinstance(item, Pairs) else item
            if isinstance(value, StringLiteral):
                yield value.value.strip("/")

    def _texts(self, call: Call, at: ArgumentAt, scope: Scope) -> tuple[TextValue, ...]:
        """The strings of an argument; one that is there and cannot be read is unknown, not missing."""
        value = argument(call, at)
        if value is None:
            return ()
        return tuple(self._tracer.texts(ScopedValue(value, scope))) or (TextValue("", True),)

    def _versions(self, value: Expression | None, scope: Scope) -> tuple[str, ...] | None:
        """Versions; none at all for one that is neutral, None where nothing is said."""
        if value is None:
            return None
        word = last_word(value)
        if word == self._style.neutral:
            return ()
        return tuple(text.text for text in self._tracer.texts(ScopedValue(value, scope)) if text.text)


def _shortest(texts: Sequence[TextValue]) -> TextValue:
    """The one string that several may be: the shortest, and not sure."""
    shortest = min(texts, key=lambda text: (len(text.text), text.text))
    return shortest if len(texts) == 1 else TextValue(shortest.text, True)


def _shared_depth(first: str, second: str) -> int:
    """How many folders two paths have in common from the top."""
    count = 0
    for a, b in zip(first.split("/"), second.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count
