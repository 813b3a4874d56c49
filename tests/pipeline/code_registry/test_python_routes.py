"""Routes as Python services really write them, one way of writing per test."""

from inline_snapshot import snapshot

from pipeline.code_registry.entries import Confidence
from tests.pipeline.code_registry.registries import Built, labels


def test_a_router_is_followed_through_a_function_parameter_and_a_prefix_through_settings(
    built: Built,
) -> None:
    registry = built(
        {
            "app/__init__.py": "",
            "app/settings.py": """
                from pydantic_settings import BaseSettings
                class Settings(BaseSettings):
                    API: str = "/api"
                    VERSION: str = f"{'v'}1"
                settings = Settings()
            """,
            "app/users.py": """
                from fastapi import APIRouter
                router = APIRouter(prefix="/users")
                @router.get("/{id}")
                def read(id: int): ...
            """,
            "app/main.py": """
                from fastapi import FastAPI
                from . import users
                from .settings import settings
                def install(app: FastAPI, router):
                    app.include_router(router, prefix=settings.API + "/v1")
                def create():
                    app = FastAPI()
                    install(app, users.router)
                    return app
            """,
        }
    )
    assert labels(registry) == ["GET /api/v1/users/{id} -> read"]
    assert registry.routes[0].confidence is Confidence.MOUNTED
    assert [str(place) for place in registry.routes[0].mounts] == ["app/main.py:6"]


def test_a_router_that_nobody_mounts_has_a_dynamic_prefix(built: Built) -> None:
    registry = built(
        {
            "plugin.py": """
                from flask import Blueprint
                pages = Blueprint("pages", __name__, url_prefix="/pages")
                @pages.route("/<slug>", methods=["GET", "POST"])
                def page(slug): ...
            """
        }
    )
    assert labels(registry) == ["~GET /pages/<slug> -> page", "~POST /pages/<slug> -> page"]
    assert {route.confidence for route in registry.routes} == {Confidence.UNMOUNTED}


def test_a_prefix_from_the_environment_is_dynamic(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                import os
                from fastapi import APIRouter, FastAPI
                app = FastAPI()
                router = APIRouter()
                @router.delete("/jobs/{id}")
                def stop(id): ...
                app.include_router(router, prefix=os.environ["PREFIX"])
            """
        }
    )
    assert labels(registry) == ["~DELETE /jobs/{id} -> stop"]


def test_a_blueprint_prefix_is_replaced_where_it_is_registered_and_kept_where_not(built: Built) -> None:
    registry = built(
        {
            "web.py": """
                from flask import Blueprint, Flask
                a = Blueprint("a", __name__, url_prefix="/old")
                b = Blueprint("b", __name__, url_prefix="/b/")
                parent = Blueprint("parent", __name__)
                @a.get("/x")
                def in_a(): ...
                @b.route("y")
                def in_b(): ...
                parent.register_blueprint(b)
                def create_app():
                    app = Flask(__name__)
                    app.register_blueprint(a, url_prefix="/new")
                    app.register_blueprint(parent, url_prefix="/p")
                    return app
            """
        }
    )
    assert labels(registry) == ["GET /new/x -> in_a", "GET /p/b/y -> in_b"]


def test_one_router_mounted_twice_gives_two_routes_of_one_handler(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from fastapi import APIRouter, FastAPI
                app = FastAPI()
                router = APIRouter()
                @router.post("/run")
                def run(): ...
                app.include_router(router, prefix="/v1")
                app.include_router(router, prefix="/v2")
            """
        }
    )
    assert labels(registry) == ["POST /v1/run -> run", "POST /v2/run -> run"]
    assert [route.label for route in registry.handler_group(registry.routes[0])] == [
        "POST /v1/run",
        "POST /v2/run",
    ]


def test_namespaces_and_resource_classes_inherit_their_methods(built: Built) -> None:
    registry = built(
        {
            "api.py": """
                from flask import Blueprint, Flask
                from flask_restx import Api, Namespace, Resource
                teams = Namespace("teams")
                class Base(Resource):
                    def get(self, id): ...
                @teams.route("/<int:id>", "/by-id/<int:id>")
                class Team(Base):
                    def patch(self, id): ...
                blueprint = Blueprint("api", __name__, url_prefix="/api")
                api = Api(blueprint)
                api.add_namespace(teams)
                app = Flask(__name__)
                app.register_blueprint(blueprint)
            """
        }
    )
    assert labels(registry) == snapshot(
        [
            "GET /api/teams/<int:id> -> Base.get",
            "GET /api/teams/by-id/<int:id> -> Base.get",
            "PATCH /api/teams/<int:id> -> Team.patch",
            "PATCH /api/teams/by-id/<int:id> -> Team.patch",
        ]
    )


def test_a_wrapper_of_add_resource_gives_its_routes_and_says_what_it_does_not_know(built: Built) -> None:
    registry = built(
        {
            "api.py": """
                from flask import Flask
                from flask_restful import Api, Resource
                from settings import TENANTS
                def scoped(rule):
                    if TENANTS:
                        return "/<tenant>" + rule
                    return rule
                class TenantApi(Api):
                    def add_scoped(self, resource, *urls, **options):
                        urls = [scoped(url) for url in urls]
                        return self.add_resource(resource, *urls, **options)
                class Jobs(Resource):
                    def get(self): ...
                class Job(Resource):
                    def delete(self, id): ...
                api = TenantApi(Flask(__name__))
                api.add_scoped(Jobs, "/jobs", "/all-jobs", endpoint="jobs")
                api.add_scoped(Job, "/jobs/<id>")
            """
        }
    )
    assert labels(registry) == [
        "~DELETE /jobs/<id> -> Job.delete",
        "~GET /all-jobs -> Jobs.get",
        "~GET /jobs -> Jobs.get",
    ]
    assert {str(route.registered_at) for route in registry.routes} == {"api.py:18", "api.py:19"}


def test_a_rule_made_in_a_helper_is_read_once_per_call_of_the_helper(built: Built) -> None:
    registry = built(
        {
            "assets.py": """
                from flask import Flask
                def serve(app, base):
                    base = base.strip("/")
                    def files(path): ...
                    app.add_url_rule("/" + base + "/<path:path>", view_func=files)
                app = Flask(__name__)
                serve(app, "/css/")
                serve(app, base="js")
            """
        }
    )
    assert labels(registry) == ["GET /css/<path:path> -> serve.files", "GET /js/<path:path> -> serve.files"]


def test_routes_that_tests_register_are_not_the_products(built: Built) -> None:
    app = """
        from fastapi import FastAPI
        app = FastAPI()
        @app.get("/x")
        def x(): ...
    """
    registry = built({"main.py": app, "tests/fixtures/fake.py": app})
    assert [route.registered_at.path for route in registry.routes] == ["main.py"]
    assert [route.registered_at.path for route in registry.test_routes] == ["tests/fixtures/fake.py"]


def test_what_only_tests_hand_in_is_not_how_the_product_mounts(built: Built) -> None:
    registry = built(
        {
            "web.py": """
                from flask import Blueprint, Flask
                pages = Blueprint("pages", __name__)
                @pages.get("/p")
                def p(): ...
                def install(app: Flask, prefix="/pages"):
                    app.register_blueprint(pages, url_prefix=prefix)
            """,
            "tests/test_web.py": """
                from flask import Flask
                from web import install
                def test_it(): install(Flask(__name__), prefix="/test")
            """,
        }
    )
    assert labels(registry) == ["GET /pages/p -> p"]
    assert registry.routes[0].confidence is Confidence.ASSUMED


def test_values_that_could_come_from_everywhere_end(built: Built) -> None:
    calls = "\n".join(f"    f{n}(a, b); f{n}(b, a)" for n in range(1, 12))
    functions = "\n".join(
        f"def f{n}(a, b):\n    f{n + 1}(a, b); f{n + 1}(b, a); f{n + 1}(a + b, b + a)" for n in range(12)
    )
    registry = built(
        {
            "main.py": "from flask import Flask\napp = Flask(__name__)\ndef start(a, b):\n"
            + calls
            + f"\n{functions}\ndef f12(a, b):\n    app.add_url_rule(a + b, view_func=start)\nf0('/x', 'y')\n"
        }
    )
    assert registry.routes


def test_doubled_braces_of_an_interpolated_string_are_one_brace_each(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from fastapi import FastAPI
                app = FastAPI()
                kind = "orders"
                @app.get(f"/{kind}/{{id}}")
                def one(id): ...
            """
        }
    )
    assert labels(registry) == ["GET /orders/{id} -> one"]


def test_the_same_path_in_two_projects_is_told_apart_by_project(built: Built) -> None:
    app = """
        from fastapi import FastAPI
        app = FastAPI()
        @app.get("/health")
        def health(): ...
    """
    registry = built(
        {f"{name}/{file}": app for name in ("billing", "search") for file in ("main.py", "setup.py")}
    )
    assert sorted(
        {route.id for route in registry.routes if route.place.path.endswith("main.py")}
    ) == snapshot(["route:GET /health @billing", "route:GET /health @search"])


def test_objects_that_only_look_like_routers_give_no_routes(built: Built) -> None:
    registry = built(
        {
            "client.py": """
                import httpx
                client = httpx.Client()
                @client.get("/not-a-route")
                def x(): ...
                class Router:
                    def get(self, path): ...
                router = Router()
                @router.get("/neither")
                def y(): ...
            """
        }
    )
    assert registry.routes == ()


def test_a_router_class_that_a_function_makes_is_known_by_the_type_it_returns(built: Built) -> None:
    registry = built(
        {
            "shop/routing.py": """
                from fastapi import APIRouter as Base
                def router_class(route: type) -> type[Base]:
                    class Router(Base):
                        def __init__(self, **options): super().__init__(route_class=route, **options)
                    return Router
                Router = router_class(dict)
            """,
            "shop/main.py": """
                from fastapi import FastAPI
                from shop.routing import Router
                router = Router(prefix="/orders")
                @router.get("/{id}")
                def show(id: int): ...
                app = FastAPI()
                app.include_router(router)
            """,
        }
    )
    assert [route.label for route in registry.routes] == ["GET /orders/{id}"]
