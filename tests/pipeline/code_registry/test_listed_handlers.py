"""Frameworks whose routers take their children: Litestar's controllers, Sanic's groups, Django Ninja's routers."""

from tests.pipeline.code_registry.registries import Built, labels


def test_litestar_controllers_and_functions_hang_where_they_are_listed(built: Built) -> None:
    registry = built(
        {
            "app/__init__.py": "",
            "app/main.py": """
                from litestar import Litestar, Router, get, post, route
                from app.orders import OrderController, orders_router
                from app.plugin import health
                HANDLERS = [get]
                @route(["/a", "/b"], http_method=["GET", "POST"])
                async def both() -> str: ...
                @get()
                async def root() -> str: ...
                @post("/loose")
                async def loose() -> str: ...
                api = Router(path="/api", route_handlers=[orders_router, OrderController])
                app = Litestar(route_handlers=[root, both, api])
                app.register(health)
            """,
            "app/orders.py": """
                import litestar
                from litestar import Controller, Router, delete
                class OrderController(Controller):
                    path = "/orders"
                    @litestar.get("/{order_id:int}")
                    async def show(self, order_id: int) -> str: ...
                    @delete(path="/{order_id:int}", status_code=204)
                    async def drop(self, order_id: int) -> None: ...
                    def helper(self): ...
                @litestar.get("/list")
                async def listing() -> str: ...
                orders_router = Router("/v2", route_handlers=[listing])
            """,
            "app/plugin.py": """
                from litestar import get
                class Plugin:
                    def on_app_init(self, config):
                        config.route_handlers.extend([ready])
                @get("/ready")
                async def ready() -> str: ...
                @get("/health")
                async def health() -> str: ...
            """,
        }
    )
    assert labels(registry) == [
        "DELETE /api/orders/{order_id:int} -> OrderController.drop",
        "GET / -> root",
        "GET /a -> both",
        "GET /api/orders/{order_id:int} -> OrderController.show",
        "GET /api/v2/list -> listing",
        "GET /b -> both",
        "GET /health -> health",
        "GET /ready -> ready",
        "POST /a -> both",
        "POST /b -> both",
        "~POST /loose -> loose",
    ]
    assert registry.coverage.sentences == ()


def test_sanic_groups_take_blueprints_and_the_innermost_version_begins_the_path(built: Built) -> None:
    registry = built(
        {
            "app.py": """
                from sanic import Blueprint, Sanic
                from sanic.views import HTTPMethodView
                from api import group
                app = Sanic("orders")
                @app.route("/both", methods=["GET", "POST"])
                async def both(request): ...
                class Orders(HTTPMethodView):
                    async def get(self, request): ...
                    async def post(self, request): ...
                app.add_route(Orders.as_view(), "/orders")
                app.blueprint(group)
                extra = Blueprint("extra", url_prefix="/extra", version=2)
                @extra.delete("/x/<key:int>")
                async def drop(request, key): ...
                app.blueprint([extra])
            """,
            "api.py": """
                from sanic import Blueprint
                one = Blueprint("one", url_prefix="/one")
                two = Blueprint("two", url_prefix="/two", version=3)
                @one.get("/a")
                async def a(request): ...
                @two.get("/b")
                async def b(request): ...
                group = Blueprint.group(one, two, url_prefix="/api", version=1)
            """,
        }
    )
    assert labels(registry) == [
        "DELETE /v2/extra/x/<key:int> -> drop",
        "GET /both -> both",
        "GET /orders -> Orders.get",
        "GET /v1/api/one/a -> a",
        "GET /v3/api/two/b -> b",
        "POST /both -> both",
        "POST /orders -> Orders.post",
    ]


def test_an_api_of_django_ninja_hangs_in_the_table_of_paths_with_routers_by_dotted_name(built: Built) -> None:
    registry = built(
        {
            "shop/__init__.py": "",
            "shop/settings.py": "ROOT_URLCONF = 'shop.urls'\n",
            "shop/urls.py": """
                from django.urls import path
                from ninja import NinjaAPI
                api = NinjaAPI()
                @api.get("/ping")
                def ping(request): ...
                api.add_router("/orders", "shop.orders.router")
                urlpatterns = [path("api/", api.urls)]
            """,
            "shop/orders.py": """
                from ninja import Router
                router = Router()
                @router.post("/{order_id}/cancel")
                def cancel(request, order_id: int): ...
            """,
        }
    )
    assert labels(registry) == ["GET /api/ping -> ping", "POST /api/orders/{order_id}/cancel -> cancel"]
