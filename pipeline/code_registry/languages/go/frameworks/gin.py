"""gin: an engine and its groups; the handler stands last, after its middleware."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    Joining,
    RouteMethod,
    RouterClass,
    SubrouterMethod,
)
from pipeline.code_registry.languages.go.structs import read_request

_PACKAGES = frozenset({"github.com/gin-gonic/gin"})
_LAST = ArgumentAt(-1)
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

GIN = Framework(
    name="gin",
    imported_as=("github.com/gin-gonic/gin",),
    read_request=read_request,
    routers=(
        *(
            RouterClass(name, _PACKAGES, is_application=True, joining=Joining.SLASH)
            for name in ("New", "Default", "Engine")
        ),
        *(
            RouterClass(name, _PACKAGES, joining=Joining.SLASH)
            for name in ("RouterGroup", "IRouter", "IRoutes")
        ),
    ),
    mounts=(),
    routes=(
        *(RouteMethod(verb, ArgumentAt(0), (verb,), handler=_LAST) for verb in _VERBS),
        RouteMethod("Any", ArgumentAt(0), ("ANY",), handler=_LAST),
        RouteMethod("Handle", ArgumentAt(1), ("ANY",), ArgumentAt(0), _LAST),
        RouteMethod("Match", ArgumentAt(1), ("ANY",), ArgumentAt(0), _LAST),
    ),
    subrouters=(SubrouterMethod("Group", prefix=ArgumentAt(0)),),
    identity_methods=frozenset({"Use"}),
    contexts=frozenset({"Context"}),
)
