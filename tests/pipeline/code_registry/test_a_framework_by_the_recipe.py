"""What `.github/CONTRIBUTING.md` says of adding a framework, done: one value, with groups, versions and a request reader."""

import re
from dataclasses import replace
from textwrap import dedent

from pipeline.code_registry.entries import Entries, FieldKind
from pipeline.code_registry.found_fields import FoundField, RequestFields
from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    GroupMethod,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
)
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.linker import Linker
from pipeline.code_registry.linking.routes.found_route import FoundRoute
from pipeline.code_registry.linking.values.tracing import Tracer

_PACKAGES = frozenset({"depot"})
_PATH = ArgumentAt(0, "path")


def read_request(_: Tracer, route: FoundRoute) -> RequestFields:
    """The parameters of the path. What stands in the body is not read."""
    names = re.findall(r"\{(\w+)\}", route.path)
    fields = [FoundField(name, FieldKind.PATH, route.registered_at, None, True) for name in names]
    return RequestFields(tuple(fields), body_known=False)


DEPOT = Framework(
    name="Depot",
    imported_as=("depot",),
    read_request=read_request,
    routers=(
        RouterClass("Depot", _PACKAGES, is_application=True, joining=Joining.SLASH),
        RouterClass(
            "Shelf",
            _PACKAGES,
            prefix=ArgumentAt(0, "prefix"),
            version=ArgumentAt(keyword="version"),
            joining=Joining.SLASH,
        ),
    ),
    mounts=(MountMethod("place", ArgumentAt(0, "shelf")),),
    routes=tuple(RouteMethod(verb, _PATH, (verb.upper(),)) for verb in ("get", "post")),
    groups=(GroupMethod("below", ArgumentAt(0, "prefix"), "Shelf"),),
)
DEPOTS = replace(PYTHON, frameworks=(*PYTHON.frameworks, DEPOT))
SERVICE = """
    from depot import Depot, Shelf
    from plugins import find_prefix

    app = Depot()
    parcels = Shelf("/parcels", version=2)
    returns = parcels.below("returns")
    hidden = Shelf(find_prefix())
    app.place(parcels)
    app.place(hidden)

    @app.get("/health")
    def health(): ...

    @parcels.get("{code}")
    def show(code): ...

    @returns.post("{code}/refund")
    def refund(code): ...

    @hidden.get("/secret")
    def secret(): ...

    letters = {}
    letters.get("/parcels")
"""


def entries_of(language: Language, source: str) -> Entries:
    files = {"app.py": language.extract(dedent(source).encode())}
    _, entries = Linker(language, files, files).link()
    return entries


def test_a_framework_by_the_recipe_gives_whole_paths_with_groups_and_versions() -> None:
    routes = entries_of(DEPOTS, SERVICE).routes
    assert {(route.label, route.handler_name, route.dynamic_prefix) for route in routes} == {
        ("GET /health", "health", False),
        ("GET /v2/parcels/{code}", "show", False),
        ("POST /v2/parcels/returns/{code}/refund", "refund", False),
        ("GET /secret", "secret", True),
    }


def test_its_reader_reads_its_requests() -> None:
    fields = {
        route.handler_name: (route.path_fields, route.body_fields)
        for route in entries_of(DEPOTS, SERVICE).routes
    }
    assert fields["refund"] == (("code",), None)
    assert fields["health"] == ((), ())


def test_a_file_that_imports_it_and_has_no_route_is_said_to_have_none() -> None:
    unread = "from depot import Depot\nfrom plugins import start\nstart(Depot)\n"
    (coverage,) = entries_of(DEPOTS, unread).coverage
    assert coverage.sentence is not None
    assert coverage.sentence.startswith("Depot is imported in 1 file and no route was read from it")
    assert entries_of(PYTHON, unread).coverage == ()
