"""Routes that a function of the repository's own registers, because a router's method is handed to it."""

from collections.abc import Callable, Mapping

from pipeline.code_registry.registry import Registry

Built = Callable[[Mapping[str, str]], Registry]


def labels(registry: Registry) -> list[str]:
    return [
        f"{'~' if route.dynamic_prefix else ''}{route.label} -> {route.handler_name}"
        for route in registry.routes
    ]


def test_a_decorator_that_is_handed_a_method_and_a_path_registers_what_it_decorates(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from fastapi import APIRouter, Depends, FastAPI
                from elsewhere import guarded
                app = FastAPI()
                router = APIRouter(prefix="/v1")
                PATH = "/const"
                def protected_route(method, path, **options):
                    def decorator(function):
                        method(path, dependencies=[Depends(auth)], **options)(function)
                        return function
                    return decorator
                def prefixed(method, path):
                    return method("/p" + path)
                @protected_route(router.get, "/items")
                def items(): ...
                @protected_route(router.post, PATH)
                def add(): ...
                @guarded(router.put, "/guarded")
                def change(): ...
                @prefixed(router.delete, "/prefixed")
                def drop(): ...
                @protected_route(store.get, "/no-router")
                def nothing(): ...
                app.include_router(router)
            """
        }
    )
    assert labels(registry) == [
        "~DELETE /v1/prefixed -> drop",
        "GET /v1/items -> items",
        "POST /v1/const -> add",
        "~PUT /v1/guarded -> change",
    ]


def test_a_call_that_is_handed_method_path_and_handler_registers_the_handler(built: Built) -> None:
    registry = built(
        {
            "main.ts": """
                import express from "express"
                const app = express()
                const list = (request, response) => {}
                function on(method, path, handler) { method(path, handler) }
                on(app.get, "/orders", list)
                somewhere(app.post, "/orders", list)
                somewhere(app.post, "title")
            """
        }
    )
    assert labels(registry) == ["GET /orders -> list", "~POST /orders -> list"]


def test_a_path_is_read_through_a_function_that_another_function_made(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import ("github.com/go-chi/chi/v5"; "net/http")
                func base(prefix string) func(string) string {
                    return func(path string) string { return prefix + "/v1" + path }
                }
                func list(w http.ResponseWriter, r *http.Request) {}
                func main() {
                    r := chi.NewRouter()
                    v1 := base("/api")
                    r.Get(v1("/orders"), list)
                    http.ListenAndServe(":80", r)
                }
            """
        }
    )
    assert labels(registry) == ["GET /api/v1/orders -> list"]


def test_functions_that_hand_path_and_handler_on_register_for_each_of_their_callers(built: Built) -> None:
    names = [f"get{number}" for number in range(20)]
    calls = "\n".join(f'h(r, "{name}", list)' for name in names)
    registry = built(
        {
            "api.go": f"""
                package api
                import ("github.com/go-chi/chi/v5"; "net/http")
                type handler = func(*http.Request) error
                func add(r chi.Router, path string, handle http.HandlerFunc) {{
                    r.HandleFunc("/"+path, handle)
                    r.HandleFunc("/"+path+".view", handle)
                }}
                func h(r chi.Router, path string, f handler) {{
                    add(r, path, func(w http.ResponseWriter, q *http.Request) {{ f(q) }})
                }}
                func list(q *http.Request) error {{ return nil }}
                func routes() {{
                    r := chi.NewRouter()
                    {calls}
                    server := &http.Server{{}}
                    server.Handler = r
                }}
            """
        }
    )
    expected = {f"ANY /{name}{ending}" for name in names for ending in ("", ".view")}
    assert {route.label for route in registry.routes} == expected
    assert not any(route.dynamic_prefix for route in registry.routes)
