"""chi: routers that nest in functions (`Route`, `Group`), inline (`With`) or by `Mount`."""

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

_PACKAGES = frozenset({"github.com/go-chi/chi"})
_VERBS = ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options", "Trace", "Connect")
_PATH, _HANDLER = ArgumentAt(0), ArgumentAt(1)

CHI = Framework(
    name="chi",
    imported_as=("github.com/go-chi/chi",),
    read_request=read_request,
    routers=(
        *(
            RouterClass(name, _PACKAGES, is_application=True, must_be_served=True, joining=Joining.SLASH)
            for name in ("NewRouter", "NewMux", "Mux")
        ),
        RouterClass("Router", _PACKAGES, joining=Joining.SLASH),
    ),
    mounts=(MountMethod("Mount", ArgumentAt(1), ArgumentAt(0)),),
    routes=(
        *(RouteMethod(verb, _PATH, (verb.upper(),), handler=_HANDLER) for verb in _VERBS),
        *(RouteMethod(word, _PATH, ("ANY",), handler=_HANDLER) for word in ("Handle", "HandleFunc")),
        *(
            RouteMethod(word, ArgumentAt(1), ("ANY",), ArgumentAt(0), ArgumentAt(2))
            for word in ("Method", "MethodFunc")
        ),
    ),
    subrouters=(
        SubrouterMethod("Route", prefix=ArgumentAt(0), block=ArgumentAt(1)),
        SubrouterMethod("Group", block=ArgumentAt(0)),
    ),
    identity_methods=frozenset({"With"}),
    contexts=frozenset({"ResponseWriter"}),
    answering="ServeHTTP",
    method_attribute="Method",
)
