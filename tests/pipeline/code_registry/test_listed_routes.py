"""Routes of aiohttp and Starlette: registered one by one, and in lists."""

from inline_snapshot import snapshot

from tests.pipeline.code_registry.registries import Built, labels


def test_an_aiohttp_application_is_filled_by_tables_methods_and_applications_below(built: Built) -> None:
    registry = built(
        {
            "api/__init__.py": "",
            "api/orders.py": """
                from aiohttp import web
                routes = web.RouteTableDef()
                @routes.get("/orders/{id}")
                async def show(request): ...
                @routes.view("/orders")
                class Orders(web.View):
                    async def get(self): ...
                    async def post(self): ...
            """,
            "api/admin.py": """
                from aiohttp import web
                class Admin:
                    async def users(self, request): ...
                def setup(app, handler):
                    add = app.router.add_route
                    add("GET", "/users", handler.users)
                    users = app.router.add_resource("/users/{id}")
                    users.add_route("DELETE", handler.users)
                    app.router.add_route("*", "/any", handler.users)
            """,
            "api/main.py": """
                from aiohttp import web
                from . import admin, orders
                async def health(request): ...
                def create():
                    app = web.Application()
                    app.add_routes(orders.routes)
                    app.add_routes([web.get("/health", health), web.route("PUT", "/health", health)])
                    below = web.Application()
                    admin.setup(below, admin.Admin())
                    app.add_subapp("/admin/", below)
                    return app
            """,
        }
    )
    assert labels(registry) == snapshot(
        [
            "ANY /admin/any -> Admin.users",
            "DELETE /admin/users/{id} -> Admin.users",
            "GET /admin/users -> Admin.users",
            "GET /health -> health",
            "GET /orders -> Orders.get",
            "GET /orders/{id} -> show",
            "POST /orders -> Orders.post",
            "PUT /health -> health",
        ]
    )


def test_a_table_that_no_aiohttp_application_takes_may_hang_anywhere(built: Built) -> None:
    registry = built(
        {
            "api.py": """
                from aiohttp import ClientSession, web
                routes = web.RouteTableDef()
                @routes.post("/x")
                async def x(request): ...
                async def ask(session: ClientSession):
                    session.get("/not-a-route")
            """
        }
    )
    assert labels(registry) == ["~POST /x -> x"]


def test_an_application_that_comes_out_of_a_mapping_may_hang_anywhere(built: Built) -> None:
    registry = built(
        {
            "api.py": """
                from aiohttp import web
                class Api:
                    def __init__(self):
                        self.one, self.two = web.Application(), web.Application()
                        self.one.add_subapp("/v2", self.two)
                    @property
                    def versions(self):
                        return {1: self.one, 2: self.two}
                    def load(self):
                        for version in (1, 2):
                            app = self.versions[version]
                            self.register(app)
                    def register(self, app: web.Application):
                        app.add_routes([web.get("/jobs", self.jobs)])
                    async def jobs(self, request): ...
            """
        }
    )
    assert labels(registry) == ["~GET /jobs -> Api.jobs"]


def test_starlette_has_routes_and_mounts_in_lists_and_adds_late_ones(built: Built) -> None:
    registry = built(
        {
            "app.py": """
                from starlette.applications import Starlette
                from starlette.endpoints import HTTPEndpoint
                from starlette.routing import Mount, Route, Router
                from starlette.staticfiles import StaticFiles
                async def home(request): ...
                class Users(HTTPEndpoint):
                    async def get(self, request): ...
                    async def delete(self, request): ...
                users = Router(routes=[Route("/{id}", Users)])
                pages = [Route("/", home), Route("/say", home, methods=["POST"])]
                app = Starlette(routes=[
                    *pages,
                    Mount("/users", app=users),
                    Mount("/v1/", routes=[Mount("/users", users), Route("/home", endpoint=home)]),
                    Mount("/static", app=StaticFiles(directory="static")),
                ])
                app.add_route("/late", home, methods=["PUT"])
                app.mount("/sub", Router([Route("/x", home)]))
            """
        }
    )
    assert labels(registry) == snapshot(
        [
            "DELETE /users/{id} -> Users.delete",
            "DELETE /v1/users/{id} -> Users.delete",
            "GET / -> home",
            "GET /sub/x -> home",
            "GET /users/{id} -> Users.get",
            "GET /v1/home -> home",
            "GET /v1/users/{id} -> Users.get",
            "POST /say -> home",
            "PUT /late -> home",
        ]
    )
