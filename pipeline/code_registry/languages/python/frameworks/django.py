"""Django: tables of paths in `urlpatterns`, each file's hung into another's by `include`."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    Framework,
    RouteMethod,
    RouterClass,
    RouteTables,
    ViewStyle,
)

PACKAGES = frozenset({"django", "rest_framework"})
_ROUTE = ArgumentAt(0, "route")
_REGEX = ArgumentAt(0, "regex")
_VIEW = ArgumentAt(1, "view")
_APPLICATION = RouterClass("urlpatterns", PACKAGES, is_application=True)
_PART = RouterClass("included urlpatterns", PACKAGES)
_FORM = ("GET", "POST")
_GENERIC_VIEWS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("TemplateView", "RedirectView", "ListView", "DetailView", "ListAPIView"), ("GET",)),
    **dict.fromkeys(("RetrieveAPIView", "JavaScriptCatalog", "PasswordResetDoneView"), ("GET",)),
    **dict.fromkeys(("ArchiveIndexView", "YearArchiveView", "MonthArchiveView", "WeekArchiveView"), ("GET",)),
    **dict.fromkeys(("DayArchiveView", "TodayArchiveView", "DateDetailView"), ("GET",)),
    **dict.fromkeys(("PasswordResetCompleteView", "PasswordChangeDoneView"), ("GET",)),
    **dict.fromkeys(("FormView", "CreateView", "UpdateView", "LoginView"), (*_FORM, "PUT")),
    **dict.fromkeys(("PasswordChangeView", "PasswordResetView", "PasswordResetConfirmView"), (*_FORM, "PUT")),
    "DeleteView": (*_FORM, "DELETE"),
    **dict.fromkeys(("CreateAPIView", "ObtainAuthToken"), ("POST",)),
    "ListCreateAPIView": _FORM,
    "DestroyAPIView": ("DELETE",),
    "UpdateAPIView": ("PUT", "PATCH"),
    "RetrieveUpdateAPIView": ("GET", "PUT", "PATCH"),
    "RetrieveDestroyAPIView": ("GET", "DELETE"),
    "RetrieveUpdateDestroyAPIView": ("GET", "PUT", "PATCH", "DELETE"),
}

DJANGO = Framework(
    name="django",
    imported_for_more=("django.urls", "django.conf.urls"),
    routers=(_APPLICATION, _PART),
    mounts=(),
    routes=(),
    view_factory="as_view",
    tables=RouteTables(
        packages=PACKAGES,
        rows=(
            RouteMethod("path", _ROUTE, ("ANY",), handler=_VIEW),
            RouteMethod("re_path", _ROUTE, ("ANY",), handler=_VIEW, regex=True),
            RouteMethod("url", _REGEX, ("ANY",), handler=_VIEW, regex=True),
        ),
        includes=frozenset({"include"}),
        unsure=frozenset({"i18n_patterns"}),
        identity_functions=frozenset({"format_suffix_patterns"}),
        list_attribute="urls",
        variable="urlpatterns",
        root="ROOT_URLCONF",
        application=_APPLICATION,
        part=_PART,
    ),
    views=ViewStyle(
        factory="as_view",
        packages=PACKAGES,
        inherited_verbs=_GENERIC_VIEWS,
        decorators={
            "require_http_methods": (),
            "api_view": (),
            "require_GET": ("GET",),
            "require_safe": ("GET",),
            "require_POST": ("POST",),
        },
        limits="http_method_names",
    ),
)
