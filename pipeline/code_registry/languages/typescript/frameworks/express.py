"""Express: applications and routers, mounted by `use`, chained by `route`."""

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

_PACKAGES = frozenset({"express", "express-promise-router", "express-ws"})
_VERBS = ("get", "post", "put", "patch", "delete")
"""HEAD and OPTIONS are answered by middleware: no endpoint that anybody asks about."""
_LAST = ArgumentAt(-1)
_PATH = ArgumentAt(0)
_CHAIN = RouterClass("Route", frozenset(), joining=Joining.SLASH)

EXPRESS = Framework(
    name="express",
    imported_as=("express", "express-promise-router", "express-ws"),
    read_request=read_request,
    routers=(
        *(
            RouterClass(name, _PACKAGES, is_application=True, joining=Joining.SLASH)
            for name in ("default", "express", "Express", "Application")
        ),
        *(RouterClass(name, _PACKAGES, joining=Joining.SLASH) for name in ("Router", "IRouter")),
    ),
    mounts=(MountMethod("use", ArgumentAt(0, spread=True), _PATH),),
    routes=(
        *(RouteMethod(verb, _PATH, (verb.upper(),), handler=_LAST) for verb in _VERBS),
        RouteMethod("all", _PATH, ("ANY",), handler=_LAST),
    ),
    parameter_words=frozenset({"app", "application"}),
    fluent=True,
    groups=(GroupMethod("route", _PATH, "Route"),),
)

EXPRESS_CHAIN = Framework(
    name="express",
    read_request=read_request,
    routers=(_CHAIN,),
    mounts=(),
    routes=(
        *(RouteMethod(verb, None, (verb.upper(),), handler=_LAST) for verb in _VERBS),
        RouteMethod("all", None, ("ANY",), handler=_LAST),
    ),
    fluent=True,
)
