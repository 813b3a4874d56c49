"""Routers that a base class of the repository makes: each class that inherits from it has its own."""

from tests.pipeline.code_registry.registries import Built, labels


def test_each_class_registers_at_the_router_that_it_inherits(built: Built) -> None:
    registry = built(
        {
            "controller.ts": """
                import { Router } from "express"
                export default class Controller {
                  constructor() { this.app = Router() }
                  route(options) { this.app[options.method](options.path, guard, options.handler.bind(this)) }
                  get(path, handler) { this.route({ method: "get", path, handler }) }
                  use(path, router) { this.app.use(path, router) }
                  get router() { return this.app }
                }
            """,
            "orders.ts": """
                import Controller from "./controller.js"
                export class Orders extends Controller {
                  constructor() {
                    super()
                    this.get("/", this.list)
                    this.route({ method: "post", path: "/bulk", handler: this.bulk })
                  }
                  list(request, response) {}
                  bulk(request, response) {}
                }
            """,
            "main.ts": """
                import express from "express"
                import Controller from "./controller.js"
                import { Orders } from "./orders.js"
                class Health extends Controller {
                  constructor() { super(); this.get("/health", this.check) }
                  check(request, response) {}
                }
                class Api extends Controller {
                  constructor() { super(); this.use("/orders", new Orders().router); this.app.use("/", new Health().router) }
                }
                const app = express()
                app.use("/api", new Api().router)
            """,
        }
    )
    assert labels(registry) == [
        "GET /api/health -> Health.check",
        "GET /api/orders/ -> Orders.list",
        "POST /api/orders/bulk -> Orders.bulk",
    ]


def test_a_base_class_registers_for_each_class_with_its_own_prefix_and_methods(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from fastapi import APIRouter, FastAPI
                class Base:
                    prefix = "/base"
                    def __init__(self):
                        self.router = APIRouter(prefix=self.prefix)
                        self.router.add_api_route("/", self.list)
                    def list(self): ...
                class Orders(Base):
                    prefix = "/orders"
                    def list(self): ...
                class Items(Base):
                    prefix = "/items"
                    def __init__(self):
                        super().__init__()
                        self.router.add_api_route("/extra", self.extra)
                    def extra(self): ...
                app = FastAPI()
                app.include_router(Orders().router)
                app.include_router(Items().router, prefix="/v1")
            """
        }
    )
    assert labels(registry) == [
        "GET /orders/ -> Orders.list",
        "GET /v1/items/ -> Base.list",
        "GET /v1/items/extra -> Items.extra",
    ]


def test_a_struct_registers_at_the_router_that_it_embeds(built: Built) -> None:
    registry = built(
        {
            "go.mod": "module example.org/shop\n",
            "main.go": """
                package main
                import ("net/http"; "github.com/go-chi/chi/v5")
                type Base struct { router chi.Router }
                func (b *Base) get(path string, h http.HandlerFunc) { b.router.Get(path, h) }
                type Orders struct { Base }
                func list(w http.ResponseWriter, r *http.Request) {}
                func (o *Orders) routes() { o.get("/orders", list); o.router.Post("/orders", list) }
                func main() {
                    router := chi.NewRouter()
                    orders := &Orders{Base: Base{router: router}}
                    orders.routes()
                    http.ListenAndServe(":80", router)
                }
            """,
        }
    )
    assert labels(registry) == ["GET /orders -> list", "POST /orders -> list"]


def test_a_method_that_overrides_a_registering_one_may_put_something_before_the_path(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from flask import Blueprint, Flask
                class Pages(Blueprint):
                    def add_url_rule(self, rule, endpoint=None, view_func=None, **options):
                        super().add_url_rule(self.before + rule, endpoint, wrapped(view_func), **options)
                class Answer:
                    def run(self): ...
                app = Flask(__name__)
                pages = Pages("pages", __name__, url_prefix="/pages")
                pages.add_url_rule("/a", "a", Answer, methods=("GET", "POST"))
                app.register_blueprint(pages)
            """
        }
    )
    assert labels(registry) == ["~GET /pages/a -> Answer", "~POST /pages/a -> Answer"]
