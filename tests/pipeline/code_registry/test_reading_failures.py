"""An error of our own readers costs the file that it happened in: the rest is read, and the run says so."""

from dataclasses import replace

import pytest

from pipeline.code_registry.entries import BuildReport, Entries, FileCoverage, FileFailure, FrameworkCoverage
from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.languages.python.flask_declared_fields import read_flask_request
from pipeline.code_registry.languages.python.frameworks.flask import FLASK
from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.linker import Linker
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.fields import FoundSetting
from pipeline.code_registry.linking.values.tracing import Tracer
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.rows import sections_of
from pipeline.stages.registry import describe

SERVICE = b"""
import os
from flask import Flask
app = Flask(__name__)
class Order:
    total: int
@app.post("/orders")
def orders(): return os.environ["DEPTH"]
"""


def _facts(*paths: str) -> dict[str, FileFacts]:
    return {path: PYTHON.extract(SERVICE) for path in paths}


def _broken_settings(tracer: Tracer, path: str) -> tuple[FoundSetting, ...]:
    if path == "broken.py":
        raise KeyError(path)
    return tuple(PYTHON.read_settings(tracer, path))


def _broken_models(tracer: Tracer, class_: DefinitionRef) -> tuple[FoundField, ...]:
    if class_.path == "broken.py":
        raise RecursionError
    return PYTHON.read_models(tracer, class_)


def _broken_requests(tracer: Tracer, route: FoundRoute) -> RequestFields:
    if route.registered_at.path == "broken.py":
        raise TypeError
    return read_flask_request(tracer, route)


def test_a_reader_that_fails_costs_one_file_and_leaves_its_routes() -> None:
    language = replace(
        PYTHON,
        read_settings=_broken_settings,
        read_models=_broken_models,
        frameworks=(replace(FLASK, read_request=_broken_requests),),
    )
    files = _facts("broken.py", "whole.py")
    plain, routes = Linker(language, files, files).link()
    assert [setting.places[0].path for setting in routes.settings] == ["whole.py"]
    assert [(route.handler, route.body_fields) for route in routes.routes] == [
        ("symbol:broken.py::orders", None),
        ("symbol:whole.py::orders", None),
    ]
    assert plain.symbols
    failures = routes.failures
    assert {(failure.path, failure.error) for failure in failures} == {
        ("broken.py", "KeyError: 'broken.py'"),
        ("broken.py", "RecursionError: "),
        ("broken.py", "TypeError: "),
    }
    assert all(frame.count("/") <= 3 and not frame.startswith("/") for f in failures for frame in f.traceback)


def test_a_failure_names_our_lines_once_and_keeps_no_newline_of_a_message() -> None:
    def again(depth: int) -> None:
        if depth == 0:
            raise ValueError("first\nsecond")
        again(depth - 1)

    log = FailureLog()
    with log.reading("a\nb.py"):
        again(50)
    (failure,) = log.failures
    assert (failure.path, failure.error) == ("a\\nb.py", "ValueError: first\\nsecond")
    assert [frame.rpartition(" ")[2] for frame in failure.traceback][-2:] == ["again", "again"]
    assert len(failure.traceback) == len(set(failure.traceback)) < 6


def test_what_is_no_error_of_ours_ends_the_build() -> None:
    with pytest.raises(OSError, match="disk"), FailureLog().reading("a.py"):
        raise OSError("disk")


def test_the_stage_hands_gaps_on_and_tells_the_journal() -> None:
    gap = FrameworkCoverage(
        "Falcon", is_read=False, is_silent=True, routes=0, files=(FileCoverage("Falcon", "a.py", 0, ()),)
    )
    sections = sections_of(Entries(coverage=(gap,)))
    registry = Registry(lambda kind: sections.get(kind, ()), BuildReport(1, 0, (), 0.0))
    notes: list[str] = []
    ready = describe(registry, "0" * 40, notes.append)
    assert ready.gaps == tuple(notes) != ()


def test_the_stage_hands_failures_on_and_tells_the_journal() -> None:
    failure = FileFailure(
        "a.py", "KeyError: 'x'", ("pipeline/code_registry/linking/routers/routers.py:9 in routers",)
    )
    sections = sections_of(Entries(failures=(failure,)))
    registry = Registry(lambda kind: sections.get(kind, ()), BuildReport(1, 0, (), 0.0))
    notes: list[str] = []
    ready = describe(registry, "0" * 40, notes.append)
    assert [(item.path, item.error) for item in ready.failures] == [("a.py", "KeyError: 'x'")]
    assert notes == [
        (
            "askfirst failed to read a.py and goes on without it: KeyError: 'x'"
            " (pipeline/code_registry/linking/routers/routers.py:9 in routers)"
        )
    ]
