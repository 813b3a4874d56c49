"""Routes that follow from where a file stands: what it exports answers at its path."""

from collections.abc import Iterator
from posixpath import dirname, join

from pipeline.code_registry.entries import Confidence, SourceRange
from pipeline.code_registry.facts import Name
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import Framework
from pipeline.code_registry.linking.handlers.handlers import HandlerFinder
from pipeline.code_registry.linking.handlers.method_tests import tested_methods
from pipeline.code_registry.linking.handlers.views import ANY
from pipeline.code_registry.linking.routers.mounting import RouterNode
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer


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
    while folder and join(folder, project_file) not in tracer.program.files:
        folder = dirname(folder)
    return folder
