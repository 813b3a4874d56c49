"""Routes as Django services really write them, one way of writing per test."""

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.entries import Confidence
from pipeline.code_registry.linking.routes.found_route import plain_pattern
from tests.pipeline.code_registry.registries import Built, labels

SETTINGS = {"shop/__init__.py": "", "shop/settings.py": 'ROOT_URLCONF = "shop.urls"\n'}


def test_tables_of_files_are_followed_through_include_with_their_namespaces(built: Built) -> None:
    registry = built(
        {
            **SETTINGS,
            "shop/urls.py": """
                from django.contrib import admin
                from django.urls import include, path
                from carts import urls as cart_urls
                urlpatterns = [
                    path("admin/", admin.site.urls),
                    path("accounts/", include("django.contrib.auth.urls")),
                    path("orders/", include(("orders.urls", "orders"), namespace="o")),
                    path("carts/", include(cart_urls)),
                ]
            """,
            "orders/__init__.py": "",
            "orders/urls.py": """
                from django.urls import include, path, re_path
                from . import views
                app_name = "orders"
                one = [path("", views.show), path("cancel/", views.cancel)]
                urlpatterns = [
                    path("<int:id>/", include(one)),
                    re_path(r"^by-code/(?P<code>[A-Z]{3}-\\d+)/$", views.show),
                ]
            """,
            "orders/views.py": """
                from django.views.decorators.http import require_http_methods, require_POST
                @require_http_methods(["GET", "PUT"])
                def show(request, id): ...
                @require_POST
                def cancel(request, id): ...
            """,
            "carts/__init__.py": "",
            "carts/urls.py": """
                from django.urls import path
                from .views import Cart
                urlpatterns = []
                urlpatterns += [path("mine/", Cart.as_view())]
                urlpatterns.append(path("old/", Cart.as_view()))
            """,
            "carts/views.py": """
                from django.views import View
                class Cart(View):
                    http_method_names = ["get", "delete"]
                    def get(self, request): ...
                    def post(self, request): ...
                    def delete(self, request): ...
            """,
        }
    )
    assert labels(registry) == snapshot(
        [
            "DELETE /carts/mine/ -> Cart.delete",
            "DELETE /carts/old/ -> Cart.delete",
            "GET /carts/mine/ -> Cart.get",
            "GET /carts/old/ -> Cart.get",
            "GET /orders/<int:id>/ -> show",
            "GET /orders/by-code/<code>/ -> show",
            "POST /orders/<int:id>/cancel/ -> cancel",
            "PUT /orders/<int:id>/ -> show",
            "PUT /orders/by-code/<code>/ -> show",
        ]
    )
    assert {route.confidence for route in registry.routes} == {Confidence.MOUNTED}
    assert [str(place) for place in registry.routes[-1].mounts] == snapshot(["shop/urls.py:8"])


def test_sets_of_views_answer_below_the_prefix_they_are_registered_under(built: Built) -> None:
    registry = built(
        {
            **SETTINGS,
            "shop/urls.py": """
                from django.urls import include, path
                from rest_framework.routers import DefaultRouter, SimpleRouter
                from .api import Items, Tags
                router = DefaultRouter()
                router.register(r"items", Items)
                plain = SimpleRouter(trailing_slash=False)
                plain.register("tags", Tags, basename="tag")
                urlpatterns = [
                    path("api/", include((router.urls, "api"))),
                    path("v2/", include(plain.urls)),
                    path("latest/", Items.as_view({"get": "latest"})),
                ]
            """,
            "shop/api.py": """
                from rest_framework import mixins, viewsets
                from rest_framework.decorators import action
                class Items(viewsets.ModelViewSet):
                    http_method_names = ["get", "post", "delete"]
                    lookup_field = "sku"
                    def create(self, request): ...
                    @action(detail=True, methods=["post"], url_path="ship-now")
                    def ship(self, request, sku): ...
                    @ship.mapping.delete
                    def unship(self, request, sku): ...
                    @action(detail=False)
                    def latest(self, request): ...
                class Tags(mixins.ListModelMixin, mixins.UpdateModelMixin, viewsets.GenericViewSet): ...
            """,
        }
    )
    assert labels(registry) == snapshot(
        [
            "DELETE /api/items/<sku>/ -> Items.destroy",
            "DELETE /api/items/<sku>/ship-now/ -> Items.unship",
            "GET /api/ -> DefaultRouter root",
            "GET /api/items/ -> Items.list",
            "GET /api/items/<sku>/ -> Items.retrieve",
            "GET /api/items/latest/ -> Items.latest",
            "GET /latest/ -> Items.latest",
            "GET /v2/tags -> Tags.list",
            "PATCH /v2/tags/<pk> -> Tags.partial_update",
            "POST /api/items/ -> Items.create",
            "POST /api/items/<sku>/ship-now/ -> Items.ship",
            "PUT /v2/tags/<pk> -> Tags.update",
        ]
    )


def test_a_router_of_the_repository_adds_methods_for_many_at_once(built: Built) -> None:
    registry = built(
        {
            "shop/urls.py": """
                from copy import deepcopy
                from rest_framework.routers import SimpleRouter
                from rest_framework.viewsets import GenericViewSet
                class BulkRouter(SimpleRouter):
                    routes = deepcopy(SimpleRouter.routes)
                    routes[0].mapping.update({"put": "bulk_update", "delete": "bulk_destroy"})
                class Orders(GenericViewSet):
                    def list(self, request): ...
                    def bulk_update(self, request): ...
                router = BulkRouter()
                router.register("orders", Orders)
                plain = SimpleRouter()
                plain.register("old", Orders)
                urlpatterns = [*router.urls, *plain.urls]
            """,
            "shop/settings.py": 'ROOT_URLCONF = "shop.urls"',
        }
    )
    assert [route.label for route in registry.routes] == [
        "GET /old/",
        "GET /orders/",
        "PUT /orders/",
    ]


def test_routers_below_one_of_another_are_said_not_to_be_read(built: Built) -> None:
    registry = built(
        {
            **SETTINGS,
            "shop/urls.py": """
                from django.urls import include, path
                from rest_framework_nested import routers
                from rest_framework.viewsets import ViewSet
                class Orders(ViewSet):
                    def list(self, request): ...
                class Lines(ViewSet):
                    def retrieve(self, request, order_pk, pk): ...
                router = routers.SimpleRouter()
                router.register("orders", Orders)
                below = routers.NestedSimpleRouter(router, "orders", lookup="order")
                below.register("lines", Lines)
                urlpatterns = [path("", include(router.urls)), path("", include(below.urls))]
            """,
        }
    )
    assert registry.routes == ()
    assert registry.coverage.doubt == "the registry does not read drf-nested-routers"


def test_what_nobody_includes_may_hang_anywhere(built: Built) -> None:
    registry = built(
        {
            "reviews/urls.py": """
                from django.urls import path
                from .views import show
                urlpatterns = [path("reviews/", show)]
            """,
            "reviews/views.py": "def show(request): ...",
        }
    )
    assert labels(registry) == ["~ANY /reviews/ -> show"]
    assert registry.routes[0].confidence is Confidence.UNMOUNTED


def test_a_prefix_that_cannot_be_read_is_dynamic_and_a_path_that_cannot_is_left_out(built: Built) -> None:
    registry = built(
        {
            **SETTINGS,
            "shop/urls.py": """
                from django.conf import settings
                from django.conf.urls.i18n import i18n_patterns
                from django.urls import include, path
                from django.utils.translation import gettext_lazy as _
                from . import views
                prefix = ""
                if settings.SUB:
                    prefix = f"{settings.SUB}/"
                tail = f"{settings.SUB}/" if settings.SUB else ""
                inner = [path("a/", views.a)]
                urlpatterns = [
                    path(settings.BASE, include(inner)),
                    path(f"{prefix}b/", views.b),
                    path(tail, views.c),
                ]
                urlpatterns += i18n_patterns(path(_("kauf/"), views.d))
            """,
            "shop/views.py": "\n".join(f"def {name}(request): ..." for name in "abcd"),
        }
    )
    assert labels(registry) == ["~ANY /a/ -> a", "~ANY /b/ -> b", "~ANY /kauf/ -> d"]


def test_views_are_seen_through_wrappers_and_rows_through_functions_and_loops(built: Built) -> None:
    registry = built(
        {
            **SETTINGS,
            "shop/urls.py": """
                from django.contrib.auth.decorators import login_required
                from django.urls import include, path
                from django.views.decorators.cache import cache_page
                from django.views.generic import ListView
                from rest_framework.decorators import api_view
                class Orders(ListView): ...
                @api_view(["POST", "PATCH"])
                def act(request): ...
                def rows():
                    return [path("act/", cache_page(60)(act))]
                orders = login_required(Orders.as_view())
                urlpatterns = [
                    *rows(),
                    path("orders/", orders),
                    *[path(f"{version}/", include(rows())) for version in ("v1", "v2")],
                ]
            """,
        }
    )
    assert labels(registry) == snapshot(
        [
            "GET /orders/ -> Orders.get",
            "PATCH /act/ -> act",
            "PATCH /v1/act/ -> act",
            "PATCH /v2/act/ -> act",
            "POST /act/ -> act",
            "POST /v1/act/ -> act",
            "POST /v2/act/ -> act",
        ]
    )


@pytest.mark.parametrize(
    ("regex", "path"),
    [
        (r"^orders/(?P<id>\d+)/$", "orders/<id>/"),
        (r"^(?:v1/)?orders/?$", "orders"),
        (r"^files/(?P<name>[^/)(]+\.(?:png|jpg))$", "files/<name>"),
        (r"^pages\.(json|xml)$", "pages.<>"),
        (r"^y/\d{4}/[a-z]+/\Z", "y/<>/<>/"),
        (r"^broken/(?P<x>[", "broken/<x>"),
        ("^favicon.ico$", "favicon.ico"),
        (r"^files/(?P<name>.+)\.zip$", "files/<name>.zip"),
        ("^a/.+/b$", "a/<>/b"),
        ("^a.*$", "a"),
        ("^x.{3}y", "x<>y"),
    ],
)
def test_a_regular_expression_reads_as_a_path(regex: str, path: str) -> None:
    assert plain_pattern(regex) == path


def test_tables_that_include_each_other_end(built: Built) -> None:
    files = {
        f"a{n}/urls.py": f"""
            from django.urls import include, path
            urlpatterns = [path("x{n}/", include("a{(n + 1) % 9}.urls")), path("y/", include("a{(n + 2) % 9}.urls"))]
            urlpatterns += urlpatterns + [path("z/", print)]
        """
        for n in range(9)
    }
    assert len(built({**files, "a0/settings.py": 'ROOT_URLCONF = "a0.urls"'}).routes) < 700


def test_a_test_that_borrows_the_table_does_not_mount_it(built: Built) -> None:
    registry = built(
        {
            **SETTINGS,
            "shop/urls.py": """
                from django.urls import path
                def view(request): ...
                urlpatterns = [path("a/", view)]
            """,
            "shop/tests/__init__.py": "",
            "shop/tests/test_urls.py": """
                from django.urls import include, path
                from shop.urls import urlpatterns
                more = [path("test/", include(urlpatterns))]
            """,
            "shop/tests/urls.py": """
                from django.urls import include, path
                urlpatterns = [path("test/", include("shop.urls"))]
            """,
        }
    )
    assert labels(registry) == ["ANY /a/ -> view"]
    assert registry.test_routes == ()


def test_functions_of_the_same_names_from_elsewhere_make_no_routes(built: Built) -> None:
    registry = built(
        {
            **SETTINGS,
            "shop/urls.py": """
                from os import path
                from plugins import register as router
                def view(request): ...
                urlpatterns = [path("a/", view)]
                router.register("items", view)
            """,
        }
    )
    assert registry.routes == ()
