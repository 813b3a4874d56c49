"""Idioms that were met in repositories nobody had read before: each gives its routes, or is said not to be read."""

from pipeline.code_registry.entries import FrameworkCoverage
from pipeline.code_registry.registry import Registry
from tests.pipeline.code_registry.registries import Built, labels


def only_coverage(registry: Registry) -> FrameworkCoverage:
    (coverage,) = registry.coverage.frameworks
    return coverage


def test_the_last_handler_of_a_list_that_is_spread_into_a_call_answers(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import "github.com/gin-gonic/gin"
                func check(c *gin.Context) {}
                func show(c *gin.Context) {}
                func main() {
                    r, checks := gin.New(), []gin.HandlerFunc{check}
                    r.GET("/spread", append(checks, show)...)
                    both := append([]gin.HandlerFunc{check}, show)
                    r.GET("/variable", both...)
                    r.Run()
                }
            """,
            "app.js": """
                const express = require('express')
                const app = express()
                function check(req, res, next) {}
                function show(req, res) {}
                app.get('/list', ...[check, show])
            """,
        }
    )
    assert labels(registry) == ["GET /list -> show", "GET /spread -> show"]
    assert [item.place.start_line for item in registry.coverage.frameworks[1].unread] == [10]


def test_a_set_of_views_under_an_empty_prefix_has_no_double_slash(built: Built) -> None:
    registry = built(
        {
            "shop/__init__.py": "",
            "shop/settings.py": 'ROOT_URLCONF = "shop.urls"\n',
            "shop/urls.py": """
                from django.urls import include, path
                from rest_framework.routers import SimpleRouter
                from rest_framework.viewsets import ReadOnlyModelViewSet
                class Orders(ReadOnlyModelViewSet): ...
                router = SimpleRouter()
                router.register("", Orders)
                urlpatterns = [path("api/", include(router.urls))]
            """,
        }
    )
    assert labels(registry) == ["GET /api/ -> Orders.list", "GET /api/<pk>/ -> Orders.retrieve"]


def test_a_dependency_that_is_made_from_a_model_takes_its_fields_from_the_query(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from elsewhere import query_of
                from fastapi import Depends, FastAPI
                from pydantic import BaseModel
                app = FastAPI()
                class Page(BaseModel):
                    page: int = 1
                    size: int = 10
                @app.get("/orders")
                def orders(page: Page = Depends(query_of(Page))): ...
            """
        }
    )
    assert registry.routes[0].query_fields == ("page", "size")


def test_a_registration_whose_path_cannot_be_worked_out_is_said_to_be_unread(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import ("net/http"; "github.com/octocat/tables")
                func show(w http.ResponseWriter, r *http.Request) {}
                func main() {
                    mux := http.NewServeMux()
                    for _, path := range tables.Paths() { mux.HandleFunc(path, show) }
                    mux.HandleFunc("/known", show)
                    http.ListenAndServe(":80", mux)
                }
            """
        }
    )
    assert labels(registry) == ["ANY /known -> show"]
    assert only_coverage(registry).sentence == (
        "net/http is imported in 1 file: 1 route registration was read and 1 was not."
    )


def test_registrations_at_a_router_of_the_repository_are_counted_where_no_framework_is_imported(
    built: Built,
) -> None:
    registry = built(
        {
            "go.mod": "module example.org/shop\n",
            "web/router.go": """
                package web
                import "github.com/go-chi/chi/v5"
                type Router struct { routers map[string]chi.Router }
                func (r *Router) Get(pattern string, h ...any) { r.routers["x"].Get(pattern, wrap(h)) }
            """,
            "routes/routes.go": """
                package routes
                import "example.org/shop/web"
                func list(c *Context) {}
                func Register(m *web.Router) {
                    m.Get("/orders", list)
                    m.Get("/customers", list)
                    m.Get("/bills", list)
                }
            """,
        }
    )
    assert registry.routes == ()
    coverage = only_coverage(registry)
    assert [str(item.place) for item in coverage.elsewhere] == [
        "routes/routes.go:6",
        "routes/routes.go:7",
        "routes/routes.go:8",
    ]
    assert registry.coverage.doubt == "not every registration of chi could be read"
