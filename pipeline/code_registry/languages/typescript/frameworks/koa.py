"""Koa's router: routers with a prefix, mounted by what `routes()` gives."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
)
from pipeline.code_registry.languages.typescript.requests import read_request

_PACKAGES = frozenset({"@koa/router", "koa-router"})
_VERBS = ("get", "post", "put", "patch", "delete", "del", "head", "options")
_LAST = ArgumentAt(-1)

KOA = Framework(
    name="koa",
    imported_as=("koa", "@koa/router", "koa-router"),
    read_request=read_request,
    routers=(
        RouterClass("default", frozenset({"koa"}), is_application=True, joining=Joining.TRIMMED),
        RouterClass("Koa", frozenset({"koa"}), is_application=True, joining=Joining.TRIMMED),
        *(
            RouterClass(name, _PACKAGES, prefix=ArgumentAt(keyword="prefix"), joining=Joining.TRIMMED)
            for name in ("default", "Router")
        ),
    ),
    mounts=(MountMethod("use", ArgumentAt(0, spread=True), ArgumentAt(0)),),
    routes=(
        *(
            RouteMethod(verb, ArgumentAt(0), ("DELETE" if verb == "del" else verb.upper(),), handler=_LAST)
            for verb in _VERBS
        ),
        RouteMethod("all", ArgumentAt(0), ("ANY",), handler=_LAST),
    ),
    fluent=True,
    chained_methods=frozenset({"routes", "middleware"}),
)
