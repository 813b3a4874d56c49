"""FastAPI, and the methods of Starlette's applications and routers that it shares."""

from pipeline.code_registry.framework import ArgumentAt, Framework, MountMethod, RouteMethod, RouterClass
from pipeline.code_registry.languages.python.fastapi_fields import read_fastapi_request
from pipeline.code_registry.languages.python.frameworks.starlette import APPLICATION, ROUTER

_PACKAGES = frozenset({"fastapi", "starlette"})
_PATH = ArgumentAt(0, "path")
_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")

FASTAPI = Framework(
    name="fastapi",
    imported_as=("fastapi",),
    read_request=read_fastapi_request,
    routers=(
        RouterClass("FastAPI", _PACKAGES, is_application=True),
        APPLICATION,
        RouterClass("APIRouter", _PACKAGES, prefix=ArgumentAt(keyword="prefix")),
        ROUTER,
    ),
    mounts=(
        MountMethod("include_router", ArgumentAt(0, "router"), ArgumentAt(keyword="prefix")),
        MountMethod("mount", ArgumentAt(1, "app"), ArgumentAt(0, "path")),
    ),
    routes=(
        *(RouteMethod(verb, _PATH, (verb.upper(),)) for verb in _VERBS),
        RouteMethod("api_route", _PATH, ("GET",), ArgumentAt(keyword="methods")),
        RouteMethod("route", _PATH, ("GET",), ArgumentAt(1, "methods")),
        RouteMethod(
            "add_api_route", _PATH, ("GET",), ArgumentAt(keyword="methods"), ArgumentAt(1, "endpoint")
        ),
        RouteMethod("add_route", _PATH, ("GET",), ArgumentAt(2, "methods"), ArgumentAt(1, "route")),
    ),
    parameter_words=frozenset({"app", "application"}),
)
