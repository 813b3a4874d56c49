"""HTTP methods that a handler tests for itself: `switch r.Method { case http.MethodPost: … }`."""

from collections.abc import Iterator

from pipeline.code_registry.facts import Comparison
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer

_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
"""Methods that make an endpoint: HEAD and OPTIONS are answered on the way."""


def tested_methods(tracer: Tracer, handler: DefinitionRef, *, is_only_place: bool) -> tuple[str, ...]:
    """The methods that a handler answers by its own tests; none where the tests do not settle that.

    A switch, a refusal (`if r.Method != "POST"`) and tests for two methods settle it. A single `==` does so where the
    handler is the only place to tell methods apart (`is_only_place`); elsewhere the code after it may serve all others.
    """
    tests = list(_tests(tracer, handler))
    methods: list[str] = []
    for test in tests:
        for text in tracer.texts(ScopedValue(test.value, Scope(handler.path, test.scope))):
            method = text.text.upper()
            if not text.dynamic and method in _METHODS and method not in methods:
                methods.append(method)
    is_settled = is_only_place or len(methods) > 1 or any(test.excludes or test.is_case for test in tests)
    return tuple(methods) if is_settled else ()


def _tests(tracer: Tracer, handler: DefinitionRef) -> Iterator[Comparison]:
    """The tests in the code of a function, functions inside of it included."""
    definitions = tracer.program.definitions_of(handler.path)
    for test in tracer.program.files[handler.path].comparisons:
        at = test.scope
        while at > 0 and at != handler.number:
            at = definitions[at].parent
        if at == handler.number:
            yield test
