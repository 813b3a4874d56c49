"""fiber: an app and its groups; the handler stands last, after its middleware."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
    SubrouterMethod,
)
from pipeline.code_registry.languages.go.structs import read_request

_PACKAGES = frozenset({"github.com/gofiber/fiber"})
_LAST = ArgumentAt(-1)
_VERBS = ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options", "Trace", "Connect")

FIBER = Framework(
    name="fiber",
    imported_as=("github.com/gofiber/fiber",),
    read_request=read_request,
    routers=(
        RouterClass("New", _PACKAGES, is_application=True, joining=Joining.SLASH),
        RouterClass("App", _PACKAGES, is_application=True, joining=Joining.SLASH),
        RouterClass("Router", _PACKAGES, joining=Joining.SLASH),
        RouterClass("Group", _PACKAGES, joining=Joining.SLASH),
    ),
    mounts=(
        MountMethod("Mount", ArgumentAt(1), ArgumentAt(0)),
        MountMethod("Use", ArgumentAt(1), ArgumentAt(0)),
    ),
    routes=(
        *(RouteMethod(verb, ArgumentAt(0), (verb.upper(),), handler=_LAST) for verb in _VERBS),
        RouteMethod("All", ArgumentAt(0), ("ANY",), handler=_LAST),
        RouteMethod("Add", ArgumentAt(1), ("ANY",), ArgumentAt(0), _LAST),
    ),
    subrouters=(
        SubrouterMethod("Group", prefix=ArgumentAt(0)),
        SubrouterMethod("Route", prefix=ArgumentAt(0), block=ArgumentAt(1)),
    ),
    contexts=frozenset({"Ctx"}),
)
