"""net/http: `ServeMux`, since Go 1.22 with methods and parameters in its patterns; routers nest by `Handle`."""

from pipeline.code_registry.framework import ArgumentAt, Framework, RouteMethod, RouterClass
from pipeline.code_registry.languages.go.structs import read_request

_PACKAGES = frozenset({"net/http"})

NET_HTTP = Framework(
    name="net/http",
    imported_for_more=("net/http",),
    read_request=read_request,
    routers=(
        RouterClass("NewServeMux", _PACKAGES, is_application=True, must_be_served=True),
        RouterClass("ServeMux", _PACKAGES, is_application=True, must_be_served=True),
        RouterClass("DefaultServeMux", _PACKAGES, is_application=True),
    ),
    mounts=(),
    routes=tuple(
        RouteMethod(word, ArgumentAt(0), ("ANY",), handler=ArgumentAt(1), verb_in_path=True)
        for word in ("HandleFunc", "Handle")
    ),
    package_router=RouterClass("DefaultServeMux", _PACKAGES, is_application=True),
    strips=frozenset({"net/http.StripPrefix"}),
    serves=(
        ("net/http.ListenAndServe", ArgumentAt(1)),
        ("net/http.ListenAndServeTLS", ArgumentAt(3)),
        ("net/http.Serve", ArgumentAt(1)),
        ("net/http.ServeTLS", ArgumentAt(1)),
        ("net/http.Server", ArgumentAt(keyword="Handler")),
    ),
    contexts=frozenset({"ResponseWriter"}),
    answering="ServeHTTP",
    method_attribute="Method",
)
