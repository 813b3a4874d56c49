"""Sanic: applications, blueprints and groups of them, with versions at the beginning of paths."""

from pipeline.code_registry.framework import ArgumentAt, Framework, MountMethod, RouteMethod, RouterClass

_PACKAGES = frozenset({"sanic"})
_PATH = ArgumentAt(0, "uri")
_PREFIX = ArgumentAt(keyword="url_prefix")
_VERSION = ArgumentAt(keyword="version")
_METHODS = ArgumentAt(keyword="methods")
_VERBS = ("get", "post", "put", "patch", "delete", "head", "options")

SANIC = Framework(
    name="Sanic",
    imported_as=("sanic",),
    routers=(
        RouterClass("Sanic", _PACKAGES, is_application=True),
        RouterClass("Blueprint", _PACKAGES, prefix=_PREFIX, version=_VERSION),
        RouterClass(
            "group", _PACKAGES, prefix=_PREFIX, version=_VERSION, children=ArgumentAt(0, spread=True)
        ),
    ),
    mounts=(MountMethod("blueprint", ArgumentAt(0, "blueprint"), _PREFIX, replaces=True),),
    routes=(
        *(RouteMethod(verb, _PATH, (verb.upper(),)) for verb in _VERBS),
        RouteMethod("route", _PATH, ("GET",), _METHODS),
        RouteMethod("add_route", ArgumentAt(1, "uri"), ("GET",), _METHODS, ArgumentAt(0, "handler")),
    ),
    view_factory="as_view",
    parameter_words=frozenset({"app"}),
)
