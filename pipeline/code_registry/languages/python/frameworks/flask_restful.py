"""Flask-RESTful: an `Api` on an application or blueprint, with resource classes added to it."""

from pipeline.code_registry.framework import ArgumentAt, Framework, MountMethod, RouteMethod, RouterClass
from pipeline.code_registry.languages.python.flask_declared_fields import read_flask_request

_PACKAGES = frozenset({"flask_restful"})

FLASK_RESTFUL = Framework(
    name="flask-restful",
    imported_as=("flask_restful",),
    read_request=read_flask_request,
    hosts=frozenset({"flask"}),
    routers=(RouterClass("Api", _PACKAGES, prefix=ArgumentAt(1, "prefix"), parent=ArgumentAt(0, "app")),),
    mounts=(MountMethod("init_app", ArgumentAt(0, "app"), receiver_is_child=True),),
    routes=(
        RouteMethod(
            "add_resource", ArgumentAt(1, "urls", spread=True), (), handler=ArgumentAt(0, "resource")
        ),
    ),
)
