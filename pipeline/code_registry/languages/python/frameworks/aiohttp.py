"""aiohttp: applications and their routers, tables of routes, resources, applications below applications."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    GroupMethod,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
    RouteTables,
)

_PACKAGES = frozenset({"aiohttp"})
_PATH = ArgumentAt(0, "path")
_HANDLER = ArgumentAt(1, "handler")
_VERBS = ("get", "post", "put", "patch", "delete", "head", "options")
_TABLE = RouterClass("RouteTableDef", _PACKAGES, joining=Joining.SLASH)

AIOHTTP = Framework(
    name="aiohttp",
    imported_for_more=("aiohttp.web",),
    routers=(
        RouterClass("Application", _PACKAGES, is_application=True, joining=Joining.SLASH),
        RouterClass("UrlDispatcher", _PACKAGES, joining=Joining.SLASH),
        _TABLE,
    ),
    mounts=(
        MountMethod("add_subapp", ArgumentAt(1, "subapp"), ArgumentAt(0, "prefix")),
        MountMethod("add_routes", ArgumentAt(0, "routes")),
    ),
    routes=(
        *(RouteMethod(f"add_{verb}", _PATH, (verb.upper(),), handler=_HANDLER) for verb in _VERBS),
        RouteMethod(
            "add_route", ArgumentAt(1, "path"), ("ANY",), ArgumentAt(0, "method"), ArgumentAt(2, "handler")
        ),
        RouteMethod("add_view", _PATH, ("ANY",), handler=_HANDLER),
        *(RouteMethod(verb, _PATH, (verb.upper(),)) for verb in _VERBS),
        RouteMethod("view", _PATH, ("ANY",)),
        RouteMethod("route", ArgumentAt(1, "path"), ("ANY",), ArgumentAt(0, "method")),
    ),
    parameter_words=frozenset({"app", "application"}),
    groups=(GroupMethod("add_resource", ArgumentAt(0, "path"), "aiohttp resource"),),
    self_attributes=frozenset({"router"}),
    tables=RouteTables(
        packages=_PACKAGES,
        rows=(
            *(RouteMethod(verb, _PATH, (verb.upper(),), handler=_HANDLER) for verb in _VERBS),
            RouteMethod(
                "route", ArgumentAt(1, "path"), ("ANY",), ArgumentAt(0, "method"), ArgumentAt(2, "handler")
            ),
            RouteMethod("view", _PATH, ("ANY",), handler=_HANDLER),
        ),
        methods=(("add_routes", ArgumentAt(0, "routes")),),
        part=_TABLE,
    ),
)

AIOHTTP_RESOURCES = Framework(
    name="aiohttp-resources",
    routers=(RouterClass("aiohttp resource", _PACKAGES, joining=Joining.SLASH),),
    mounts=(),
    routes=(RouteMethod("add_route", None, ("ANY",), ArgumentAt(0, "method"), ArgumentAt(1, "handler")),),
)
