"""Django Ninja: an API that hangs in Django's tables of paths, and routers below it."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
)

_PACKAGES = frozenset({"ninja", "ninja_extra"})
_PATH = ArgumentAt(0, "path")
_VERBS = ("get", "post", "put", "patch", "delete")

DJANGO_NINJA = Framework(
    name="Django Ninja",
    imported_as=("ninja", "ninja_extra"),
    routers=(
        *(RouterClass(name, _PACKAGES, joining=Joining.SLASH) for name in ("NinjaAPI", "NinjaExtraAPI")),
        RouterClass("Router", _PACKAGES, joining=Joining.SLASH),
    ),
    mounts=(MountMethod("add_router", ArgumentAt(1, "router"), ArgumentAt(0, "prefix")),),
    routes=(
        *(RouteMethod(verb, _PATH, (verb.upper(),)) for verb in _VERBS),
        RouteMethod("api_operation", ArgumentAt(1, "path"), ("GET",), ArgumentAt(0, "methods")),
    ),
)
