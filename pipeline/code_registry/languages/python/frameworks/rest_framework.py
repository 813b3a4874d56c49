"""Django REST framework: routers at which sets of views are registered; their paths hang in Django's tables."""

from pipeline.code_registry.framework import ArgumentAt, Framework, RouteMethod, RouterClass, ViewsetStyle

_PACKAGES = frozenset({"rest_framework"})
_ALL = ("list", "create", "retrieve", "update", "partial_update", "destroy")

REST_FRAMEWORK = Framework(
    name="django-rest-framework",
    imported_as=("rest_framework.routers",),
    routers=(RouterClass("DefaultRouter", _PACKAGES), RouterClass("SimpleRouter", _PACKAGES)),
    mounts=(),
    routes=(
        RouteMethod("register", ArgumentAt(0, "prefix"), (), handler=ArgumentAt(1, "viewset"), regex=True),
    ),
    viewsets=ViewsetStyle(
        packages=_PACKAGES,
        collection_methods=(("list", "GET"), ("create", "POST")),
        item_methods=(
            ("retrieve", "GET"),
            ("update", "PUT"),
            ("partial_update", "PATCH"),
            ("destroy", "DELETE"),
        ),
        inherited_methods={
            "ModelViewSet": _ALL,
            "ReadOnlyModelViewSet": ("list", "retrieve"),
            "ListModelMixin": ("list",),
            "CreateModelMixin": ("create",),
            "RetrieveModelMixin": ("retrieve",),
            "UpdateModelMixin": ("update", "partial_update"),
            "DestroyModelMixin": ("destroy",),
        },
        actions={"action": None, "detail_route": True, "list_route": False},
        single_at=ArgumentAt(1, "detail"),
        verbs_at=ArgumentAt(0, "methods"),
        path_at=ArgumentAt(keyword="url_path"),
        mapping="mapping",
        key=("lookup_url_kwarg", "lookup_field"),
        default_key="pk",
        limits="http_method_names",
        root_routers=frozenset({"DefaultRouter"}),
        slash=ArgumentAt(keyword="trailing_slash"),
    ),
)
