"""Routes in a table that a loop registers: one route for each row, with the row's own path, method and handler."""

from tests.pipeline.code_registry.registries import Built, labels

MODULE = "module example.org/orders\n\ngo 1.22\n"


def test_go_tables_of_structs_and_maps_are_read_row_by_row(built: Built) -> None:
    registry = built(
        {
            "go.mod": MODULE,
            "main.go": """
                package main
                import ("github.com/gorilla/mux"; "net/http")
                type Route struct { Name string; Method string; Pattern string; HandlerFunc http.HandlerFunc }
                var routes = []Route{
                    Route{"Index", "GET", "/", Index},
                    Route{"Show", "POST", "/show/{id}", Show},
                    Route{Name: "put", Method: http.MethodPut, Pattern: "/put", HandlerFunc: Show},
                }
                func Index(w http.ResponseWriter, r *http.Request) {}
                func Show(w http.ResponseWriter, r *http.Request) {}
                func logged(h http.Handler, name string) http.Handler { return h }
                func NewRouter() *mux.Router {
                    router := mux.NewRouter().StrictSlash(true)
                    for _, route := range routes {
                        handler := logged(route.HandlerFunc, route.Name)
                        router.Methods(route.Method).Path(route.Pattern).Name(route.Name).Handler(handler)
                    }
                    return router
                }
                func main() { http.ListenAndServe(":80", NewRouter()) }
            """,
            "admin/main.go": """
                package main
                import "net/http"
                func List(w http.ResponseWriter, r *http.Request) {}
                func Edit(w http.ResponseWriter, r *http.Request) {}
                func main() {
                    table := map[string]map[string]http.HandlerFunc{
                        "GET": {"/admin/users": List}, "PATCH": {"/admin/users/{id}": Edit},
                    }
                    mux := http.NewServeMux()
                    for method, rows := range table {
                        for path, handler := range rows { mux.HandleFunc(method + " " + path, handler) }
                    }
                    for _, path := range []string{"/healthz", "/readyz"} { mux.HandleFunc(path, List) }
                    http.ListenAndServe(":81", mux)
                }
            """,
        }
    )
    assert labels(registry) == [
        "ANY /healthz -> List",
        "ANY /readyz -> List",
        "GET / -> Index",
        "GET /admin/users -> List",
        "PATCH /admin/users/{id} -> Edit",
        "POST /show/{id} -> Show",
        "PUT /put -> Show",
    ]


def test_python_tables_are_read_through_tuples_mappings_and_parameters(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from flask import Flask
                app = Flask(__name__)
                def a(): ...
                def b(): ...
                ROUTES = [("/a", a, ["GET"]), ("/b", b, ["POST"])]
                for path, handler, methods in ROUTES:
                    app.add_url_rule(path, handler.__name__, handler, methods=methods)
                def register(application, prefix, table):
                    for path, view in table.items():
                        application.add_url_rule(prefix + path, view_func=view)
                register(app, "/x", {"/c": a, "/d": b})
                for number, row in enumerate([{"path": "/e", "view": a}, dict(path="/f", view=b)]):
                    app.add_url_rule(row["path"], view_func=row["view"])
            """
        }
    )
    assert labels(registry) == [
        "GET /a -> a",
        "GET /e -> a",
        "GET /f -> b",
        "GET /x/c -> a",
        "GET /x/d -> b",
        "POST /b -> b",
    ]


def test_typescript_tables_are_read_through_patterns_and_each(built: Built) -> None:
    registry = built(
        {
            "main.ts": """
                import express from "express"
                const app = express()
                const a = (req, res) => {}
                const b = (req, res) => {}
                const routes = [{path: "/a", handler: a}, {path: "/b", handler: b}]
                for (const {path, handler} of routes) app.get(path, handler)
                routes.forEach(({path, handler}) => { app.post(path, handler) })
                for (const [path, handler] of Object.entries({"/c": a, "/d": b})) { app.put(path, handler) }
                for (const route of routes) { const { path } = route; app.patch(path, route.handler) }
            """
        }
    )
    assert labels(registry) == [
        "GET /a -> a",
        "GET /b -> b",
        "PATCH /a -> a",
        "PATCH /b -> b",
        "POST /a -> a",
        "POST /b -> b",
        "PUT /c -> a",
        "PUT /d -> b",
    ]
