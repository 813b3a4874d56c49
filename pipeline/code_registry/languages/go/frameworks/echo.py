"""echo: an instance and its groups; middleware stands after the handler."""

from pipeline.code_registry.framework import ArgumentAt, Framework, RouteMethod, RouterClass, SubrouterMethod
from pipeline.code_registry.languages.go.structs import read_request

_PACKAGES = frozenset({"github.com/labstack/echo"})
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT")

ECHO = Framework(
    name="echo",
    imported_as=("github.com/labstack/echo",),
    read_request=read_request,
    routers=(
        *(RouterClass(name, _PACKAGES, is_application=True) for name in ("New", "NewWithConfig", "Echo")),
        RouterClass("Group", _PACKAGES),
    ),
    mounts=(),
    routes=(
        *(RouteMethod(verb, ArgumentAt(0), (verb,), handler=ArgumentAt(1)) for verb in _VERBS),
        RouteMethod("Any", ArgumentAt(0), ("ANY",), handler=ArgumentAt(1)),
        RouteMethod("Add", ArgumentAt(1), ("ANY",), ArgumentAt(0), ArgumentAt(2)),
        RouteMethod("Match", ArgumentAt(1), ("ANY",), ArgumentAt(0), ArgumentAt(2)),
    ),
    subrouters=(SubrouterMethod("Group", prefix=ArgumentAt(0)),),
    contexts=frozenset({"Context"}),
)
