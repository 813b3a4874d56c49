"""Starlette: applications and routers that are made of lists of routes and mounts."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    Joining,
    RouteMethod,
    RouterClass,
    RouteTables,
)

_PACKAGES = frozenset({"starlette", "fastapi"})
_PATH = ArgumentAt(0, "path")

APPLICATION = RouterClass("Starlette", _PACKAGES, is_application=True, table=ArgumentAt(1, "routes"))
ROUTER = RouterClass("Router", _PACKAGES, table=ArgumentAt(0, "routes"))

STARLETTE = Framework(
    name="starlette",
    imported_for_more=("starlette",),
    routers=(APPLICATION, ROUTER),
    mounts=(),
    routes=(),
    tables=RouteTables(
        packages=_PACKAGES,
        rows=(
            RouteMethod("Route", _PATH, ("GET",), ArgumentAt(2, "methods"), ArgumentAt(1, "endpoint")),
            RouteMethod("Mount", _PATH, (), handler=ArgumentAt(1, "app"), below=ArgumentAt(2, "routes")),
        ),
        part=RouterClass("Mount", _PACKAGES, joining=Joining.SLASH),
    ),
)
