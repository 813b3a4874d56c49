"""Flask-RESTX (and Flask-RESTPlus before it): namespaces under an `Api`, routes on resource classes."""

from pipeline.code_registry.framework import ArgumentAt, Framework, MountMethod, RouteMethod, RouterClass
from pipeline.code_registry.languages.python.flask_declared_fields import read_flask_request

_PACKAGES = frozenset({"flask_restx", "flask_restplus"})
_URLS = ArgumentAt(0, "urls", spread=True)

FLASK_RESTX = Framework(
    name="flask-restx",
    imported_as=("flask_restx", "flask_restplus"),
    read_request=read_flask_request,
    hosts=frozenset({"flask"}),
    routers=(
        RouterClass("Api", _PACKAGES, prefix=ArgumentAt(keyword="prefix"), parent=ArgumentAt(0, "app")),
        RouterClass("Namespace", _PACKAGES, prefix=ArgumentAt(2, "path"), prefix_from_name=True),
    ),
    mounts=(
        MountMethod("add_namespace", ArgumentAt(0, "ns"), ArgumentAt(1, "path"), replaces=True),
        MountMethod("init_app", ArgumentAt(0, "app"), receiver_is_child=True),
    ),
    routes=(
        RouteMethod("route", _URLS, ()),
        RouteMethod(
            "add_resource", ArgumentAt(1, "urls", spread=True), (), handler=ArgumentAt(0, "resource")
        ),
    ),
)
