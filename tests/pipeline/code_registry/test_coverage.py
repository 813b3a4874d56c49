"""What the registry says of its own gaps: which framework is imported where, and what gave no route."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.code_registry.store import IndexStore
from tests.pipeline.code_registry.registries import Built
from tests.pipeline.trusted_sources import build_registry


def unread(registry: Registry) -> list[str]:
    return [
        f"{item.place} {item.text}: {item.reason}"
        for framework in registry.coverage.frameworks
        for item in framework.unread
    ]


def test_a_framework_that_is_not_read_is_named_with_its_files_and_registrations(built: Built) -> None:
    registry = built(
        {
            "shop/orders.py": """
                from robyn import Robyn
                app = Robyn(__file__)
                @app.get("/orders")
                def orders(): ...
            """,
            "shop/goods.py": "from robyn import SubRouter\n",
            "tests/test_orders.py": "from robyn import Robyn\n",
        }
    )
    assert registry.coverage.sentences == (
        "Robyn is imported in 2 files and no route was read from them: the registry does not read Robyn.",
    )
    assert unread(registry) == ["shop/orders.py:4 app.get('/orders'): the registry does not read Robyn"]
    (framework,) = registry.coverage.frameworks
    assert [(file.path, file.routes, len(file.unread)) for file in framework.files] == [
        ("shop/goods.py", 0, 0),
        ("shop/orders.py", 0, 1),
    ]


def test_what_cannot_be_followed_is_listed_beside_what_was_read(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from fastapi import FastAPI
                from plugins import find_router
                app = FastAPI()
                hidden = find_router()
                @app.get("/orders")
                def orders(): ...
                @hidden.get("/goods")
                def goods(): ...
                @app.websocket("/live")
                async def live(socket): ...
            """
        }
    )
    assert [route.label for route in registry.routes] == ["GET /orders"]
    assert unread(registry) == snapshot(
        [
            "main.py:8 hidden.get('/goods'): `hidden` could not be followed to a router",
            "main.py:10 app.websocket('/live'): `websocket` is not known to register routes",
        ]
    )
    assert registry.coverage.sentences == (
        "fastapi is imported in 1 file: 1 route registration was read and 2 were not.",
    )


def test_clients_and_functions_of_the_repository_are_no_registrations(built: Built) -> None:
    registry = built(
        {
            "main.ts": """
                import express from "express"
                import axios from "axios"
                import { Cache } from "./cache"
                const app = express()
                const cache = new Cache()
                app.get("/orders", async (request, response) => {
                    await axios.get("/upstream", request.body)
                    cache.get("/orders", response)
                })
            """,
            "cache.ts": "export class Cache { get(key: string, fallback: unknown) { return fallback } }",
        }
    )
    assert ([route.label for route in registry.routes], unread(registry)) == (["GET /orders"], [])
    assert registry.coverage.sentences == ()


def test_a_framework_that_other_things_are_imported_from_is_not_missed_where_it_registers_nothing(
    built: Built,
) -> None:
    registry = built(
        {
            "main.go": 'package main\nimport "net/http"\nfunc load(url string) { http.Get(url) }\n',
            "views.py": "from django.urls import reverse\ndef link(): return reverse('orders')\n",
        }
    )
    assert [item.framework for item in registry.coverage.frameworks] == ["django", "net/http"]
    assert registry.coverage.sentences == ()


def test_a_framework_is_not_missed_where_its_application_answers_with_the_routes_of_another_one(
    built: Built,
) -> None:
    registry = built(
        {
            "shop/__init__.py": """
                from flask import Flask
                from shop.api import api
                def create_app():
                    app = Flask(__name__)
                    api.init_app(app)
                    return app
            """,
            "shop/api.py": """
                from flask_restx import Api, Resource
                api = Api()
                @api.route("/orders")
                class Orders(Resource):
                    def get(self): ...
            """,
            "shop/pages.py": "from flask import render_template\n",
        }
    )
    assert [route.label for route in registry.routes] == ["GET /orders"]
    assert registry.coverage.sentences == ()


def test_the_cache_keeps_the_coverage(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("from falcon import App\napp = App()\napp.add_route('/orders', Orders())\n")
    cache = IndexStore(tmp_path / "cache.sqlite")
    first = build_registry(tree, cache=cache)
    again = build_registry(tree, cache=cache)
    assert again.report.files_reused == 1
    assert again.coverage == first.coverage
    assert [item.framework for item in again.coverage.frameworks] == ["Falcon"]


@pytest.mark.process
def test_the_command_prints_the_coverage_for_people_and_machines(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("from falcon import App\napp = App()\napp.add_route('/orders', Orders())\n")
    arguments = [
        str(Path(sys.executable).parent / "askfirst"),
        "registry",
        "--repository",
        str(tree),
        "--coverage",
    ]
    environment = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment)
    assert done.stdout == snapshot(
        """\
Falcon                   1 files import it, 0 registrations read, 1 not  (not read)
  a.py:3  app.add_route('/orders', Orders()): the registry does not read Falcon
Falcon is imported in 1 file and no route was read from it: the registry does not read Falcon.
"""
    )
    assert "note: Falcon is imported in 1 file" in done.stderr
    printed = subprocess.run([*arguments, "--json"], capture_output=True, text=True, env=environment).stdout
    (document,) = json.loads(printed)["frameworks"]
    assert (document["framework"], document["is_read"], document["routes"]) == ("Falcon", False, 0)
    assert document["files"][0]["unread"][0]["place"] == {"path": "a.py", "start_line": 3, "end_line": 3}


def test_a_function_of_the_repository_that_is_handed_path_and_method_is_listed_where_it_gives_no_route(
    built: Built,
) -> None:
    registry = built(
        {
            "controller.ts": """
                import { router } from "elsewhere"
                export class Controller {
                    app = router()
                    route(options) { this.app[options.method](options.path, options.handler) }
                }
            """,
            "orders.ts": """
                import type { Request } from "express"
                import { Controller } from "./controller"
                export class Orders extends Controller {
                    constructor() {
                        super()
                        this.route({ method: "get", path: "", handler: this.list })
                    }
                    list(request: Request) {}
                }
            """,
        }
    )
    assert unread(registry) == snapshot(
        ["orders.ts:7 this.route(…): `this` could not be followed to a router"]
    )


def test_what_a_table_includes_and_nobody_can_read_is_listed(built: Built) -> None:
    registry = built(
        {
            "shop/__init__.py": "",
            "shop/settings.py": "ROOT_URLCONF = 'shop.urls'\n",
            "shop/urls.py": """
                from django.contrib import admin
                from django.urls import include, path
                from shop.registry import urls_of
                from shop.views import index
                urlpatterns = [
                    path("", index),
                    path("admin/", admin.site.urls),
                    path("accounts/", include("django.contrib.auth.urls")),
                    path("books/", include(urls_of("books", "author"))),
                    path("billing/", include("billing_package.urls")),
                ]
            """,
            "shop/views.py": "def index(request): ...\n",
            "shop/registry.py": "def urls_of(app, model): return REGISTRY[app][model]\n",
        }
    )
    assert unread(registry) == snapshot(
        [
            "shop/urls.py:10 include(urls_of('books', 'author')): what is included could not be read",
            "shop/urls.py:11 include('billing_package.urls'): what is included stands outside of the repository",
        ]
    )


def test_a_call_of_an_own_method_that_registers_for_others_is_listed_where_it_gives_no_route(
    built: Built,
) -> None:
    registry = built(
        {
            "main.ts": """
                import express from "express"
                export class Api {
                    app = express()
                    on(path, handler) { this.app.get(path, handler) }
                    get(path, handler) { this.on(path, handler) }
                }
                const list = (request, response) => {}
                new Api().get("/orders", list)
            """,
            "late.ts": """
                import express from "express"
                import { list } from "elsewhere"
                class Late { get(path, handler) { this.later.push([path, handler]) } }
                new Late().get("/orders/late", list)
            """,
        }
    )
    assert [route.label for route in registry.routes] == ["GET /orders"]
    assert unread(registry) == snapshot(
        ["late.ts:5 Late().get('/orders/late', list): `Late()` could not be followed to a router"]
    )


def test_a_registration_whose_answers_cannot_be_read_is_listed(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from flask import Flask
                from flask.views import MethodView
                app = Flask(__name__)
                class Orders(MethodView):
                    def get(self): ...
                app.add_url_rule("/orders", view_func=Orders.as_view("orders"), methods=["POST"])
            """
        }
    )
    assert unread(registry) == snapshot(
        [
            "main.py:7 app.add_url_rule('/orders', view_func=Orders.as_view('orders'), methods=['POST']: its path or what answers could not be read"
        ]
    )


def test_a_decorator_with_its_method_as_a_text_is_no_request(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from flask import Flask
                app = Flask(__name__)
                @app.later.route("POST", "/orders")
                def create(): ...
            """
        }
    )
    assert unread(registry) == snapshot(
        ["main.py:4 app.later.route('POST', '/orders'): `app.later` could not be followed to a router"]
    )


def test_registrations_by_a_constant_an_empty_path_or_a_method_in_the_pattern_are_listed(
    built: Built,
) -> None:
    registry = built(
        {
            "go.mod": "module example.org/shop\n",
            "main.go": """
                package main
                import ("net/http"; "github.com/go-chi/chi/v5")
                const all = "/orders"
                type Keys interface { Get(name string, fallback string) string }
                func list(w http.ResponseWriter, r *http.Request) {}
                func add(server Hidden, keys Keys) {
                    server.HandleFunc(all, list)
                    server.Handle("GET /orders/{id}", list)
                    keys.Get(all, "")
                }
            """,
            "main.py": """
                from fastapi import FastAPI
                from elsewhere import router
                @router.get("")
                def orders(): ...
            """,
        }
    )
    assert unread(registry) == snapshot(
        [
            "main.go:8 server.HandleFunc(all, list): `server` could not be followed to a router",
            "main.go:9 server.Handle('GET /orders/{id}', list): `server` could not be followed to a router",
            "main.py:4 router.get(''): `router` could not be followed to a router",
        ]
    )


def test_methods_whose_names_are_worked_out_are_listed_where_they_give_no_route(built: Built) -> None:
    registry = built(
        {
            "main.ts": """
                import fastify from "fastify"
                import { table } from "elsewhere"
                const app = fastify()
                for (const [method, path, handler] of table()) app[method](path, handler)
            """,
            "plugin.ts": """
                import fp from "fastify-plugin"
                export default fp(async (hidden) => { hidden.get("/metrics", answer) })
            """,
        }
    )
    assert unread(registry) == snapshot(
        [
            "main.ts:5 app[method](path, handler): the name of its method, or its path, could not be worked out",
            "plugin.ts:3 hidden.get('/metrics', answer): `hidden` could not be followed to a router",
        ]
    )


def test_what_is_included_from_outside_is_missing_of_the_framework_that_includes_it(built: Built) -> None:
    registry = built(
        {
            "shop/urls.py": """
                from rest_framework.routers import DefaultRouter
                from django.urls import include, path
                def orders(request): ...
                urlpatterns = [path("orders/", orders), path("account/", include("allauth.urls"))]
            """,
        }
    )
    assert [item.framework for item in registry.coverage.frameworks if item.unread] == ["django"]
