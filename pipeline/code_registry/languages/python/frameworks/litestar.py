"""Litestar: functions and controllers that carry their own path, listed by applications and routers."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    Joining,
    ListedHandlers,
    MountMethod,
    RouterClass,
)

_PACKAGES = frozenset({"litestar", "starlite"})
_PATH = ArgumentAt(keyword="path")
_CHILDREN = ArgumentAt(keyword="route_handlers")
_VERBS = ("get", "post", "put", "patch", "delete", "head")

LITESTAR = Framework(
    name="Litestar",
    imported_as=("litestar",),
    routers=(
        *(
            RouterClass(
                name,
                _PACKAGES,
                is_application=True,
                prefix=_PATH,
                joining=Joining.TRIMMED,
                children=ArgumentAt(0, "route_handlers"),
            )
            for name in ("Litestar", "Starlite")
        ),
        RouterClass(
            "Router", _PACKAGES, prefix=ArgumentAt(0, "path"), joining=Joining.TRIMMED, children=_CHILDREN
        ),
    ),
    mounts=(MountMethod("register", ArgumentAt(0, "value")),),
    routes=(),
    handler_lists=ListedHandlers(
        packages=_PACKAGES,
        decorators={**{verb: (verb.upper(),) for verb in _VERBS}, "route": ()},
        path=ArgumentAt(0, "path"),
        verbs_at=ArgumentAt(keyword="http_method"),
        controller="Controller",
        prefix="path",
        part=RouterClass("Controller", _PACKAGES, joining=Joining.TRIMMED),
        attribute="route_handlers",
    ),
)
