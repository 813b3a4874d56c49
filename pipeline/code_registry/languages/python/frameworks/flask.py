"""Flask (and Quart, which has the same face): applications, blueprints, view functions and view classes."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
)
from pipeline.code_registry.languages.python.flask_declared_fields import read_flask_request

_PACKAGES = frozenset({"flask", "quart", "flask_openapi3", "apiflask"})
_RULE = ArgumentAt(0, "rule")
_METHODS = ArgumentAt(keyword="methods")

FLASK = Framework(
    name="flask",
    imported_as=("flask", "quart", "apiflask", "flask_openapi3"),
    read_request=read_flask_request,
    routers=(
        RouterClass("Flask", _PACKAGES, is_application=True, joining=Joining.SLASH),
        RouterClass("Quart", _PACKAGES, is_application=True, joining=Joining.SLASH),
        RouterClass("Blueprint", _PACKAGES, prefix=ArgumentAt(keyword="url_prefix"), joining=Joining.SLASH),
    ),
    mounts=(
        MountMethod(
            "register_blueprint", ArgumentAt(0, "blueprint"), ArgumentAt(keyword="url_prefix"), replaces=True
        ),
    ),
    routes=(
        RouteMethod("route", _RULE, ("GET",), _METHODS),
        *(RouteMethod(verb, _RULE, (verb.upper(),)) for verb in ("get", "post", "put", "patch", "delete")),
        RouteMethod("add_url_rule", _RULE, ("GET",), _METHODS, ArgumentAt(2, "view_func")),
    ),
    view_factory="as_view",
    parameter_words=frozenset({"app", "application"}),
)
