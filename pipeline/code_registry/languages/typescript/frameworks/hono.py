"""Hono: applications mounted into each other by `route`, chained in one expression."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    GroupMethod,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
)
from pipeline.code_registry.languages.typescript.requests import read_request

_PACKAGES = frozenset({"hono", "hono/tiny", "hono/quick", "@hono/zod-openapi"})
_VERBS = ("get", "post", "put", "patch", "delete", "options")
_LAST = ArgumentAt(-1)

HONO = Framework(
    name="hono",
    imported_as=("hono", "@hono/zod-openapi"),
    read_request=read_request,
    routers=tuple(
        RouterClass(name, _PACKAGES, is_application=True, joining=Joining.TRIMMED)
        for name in ("Hono", "OpenAPIHono")
    ),
    mounts=(MountMethod("route", ArgumentAt(1), ArgumentAt(0)),),
    routes=(
        *(RouteMethod(verb, ArgumentAt(0), (verb.upper(),), handler=_LAST) for verb in _VERBS),
        RouteMethod("all", ArgumentAt(0), ("ANY",), handler=_LAST),
        RouteMethod("on", ArgumentAt(1), (), ArgumentAt(0), _LAST),
    ),
    fluent=True,
    chained_methods=frozenset({"use", "notFound", "onError", "mount"}),
    groups=(GroupMethod("basePath", ArgumentAt(0), "Hono"),),
)
