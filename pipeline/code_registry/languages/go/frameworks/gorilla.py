"""gorilla/mux: routes built up by chained calls, subrouters under a prefix."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Chain,
    Framework,
    Joining,
    RouteMethod,
    RouterClass,
    SubrouterMethod,
)
from pipeline.code_registry.languages.go.structs import read_request

_PACKAGES = frozenset({"github.com/gorilla/mux"})

GORILLA = Framework(
    name="gorilla",
    imported_as=("github.com/gorilla/mux",),
    read_request=read_request,
    routers=tuple(
        RouterClass(name, _PACKAGES, is_application=True, must_be_served=True, joining=Joining.SLASH)
        for name in ("NewRouter", "Router")
    ),
    mounts=(),
    routes=(
        RouteMethod("HandleFunc", ArgumentAt(0), ("ANY",), handler=ArgumentAt(1)),
        RouteMethod("Handle", ArgumentAt(0), ("ANY",), handler=ArgumentAt(1)),
        RouteMethod("Handler", None, ("ANY",), handler=ArgumentAt(0)),
        RouteMethod("HandlerFunc", None, ("ANY",), handler=ArgumentAt(0)),
    ),
    subrouters=(SubrouterMethod("Subrouter"),),
    identity_methods=frozenset({"StrictSlash", "UseEncodedPath", "SkipClean", "OmitRouteFromContext"}),
    chain=Chain(
        paths=frozenset({"Path", "PathPrefix"}),
        verbs=frozenset({"Methods"}),
        other_methods=frozenset(
            {"Name", "Queries", "Headers", "HeadersRegexp", "Schemes", "Host", "NewRoute"}
        ),
    ),
    contexts=frozenset({"ResponseWriter"}),
    answering="ServeHTTP",
    method_attribute="Method",
)
