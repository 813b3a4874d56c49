"""Handlers that test the method of a request themselves: each method they answer is a route."""

import pytest

from tests.pipeline.code_registry.registries import Built, labels


def test_go_handlers_answer_the_methods_of_their_switch_refusal_or_several_tests(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import "net/http"
                func items(w http.ResponseWriter, r *http.Request) {
                    switch r.Method { case http.MethodPost: return; case "PUT", "PATCH": return }
                }
                func drop(w http.ResponseWriter, r *http.Request) { if r.Method != http.MethodDelete { return } }
                func both(w http.ResponseWriter, r *http.Request) {
                    if r.Method == "GET" { return }
                    if "POST" == r.Method { return }
                }
                func cached(w http.ResponseWriter, r *http.Request) { if r.Method == http.MethodGet { w.Header() } }
                func cors(w http.ResponseWriter, r *http.Request) { if r.Method != http.MethodOptions { return } }
                func main() {
                    http.HandleFunc("/items", items)
                    http.HandleFunc("/drop", drop)
                    http.HandleFunc("/both", both)
                    http.HandleFunc("/cached", cached)
                    http.HandleFunc("/cors", cors)
                    http.ListenAndServe(":80", nil)
                }
            """
        }
    )
    assert labels(registry) == [
        "ANY /cached -> cached",
        "ANY /cors -> cors",
        "DELETE /drop -> drop",
        "GET /both -> both",
        "PATCH /items -> items",
        "POST /both -> both",
        "POST /items -> items",
        "PUT /items -> items",
    ]


def test_handlers_of_next_answer_the_methods_they_name(built: Built) -> None:
    registry = built(
        {
            "package.json": "{}",
            "pages/api/one.ts": """
                export default async function handler(req, res) {
                    if (req.method === "PUT") { return res.json({}) }
                    res.status(405).end()
                }
            """,
            "pages/api/two.ts": """
                export default withAuth(async (req, res) => {
                    switch (req.method) { case "GET": return list(); case "POST": { return add() } }
                })
            """,
            "pages/api/any.ts": "export default function handler(req, res) { res.json({}) }",
        }
    )
    assert labels(registry) == [
        "ANY /api/any -> handler",
        "GET /api/two -> inline function",
        "POST /api/two -> inline function",
        "PUT /api/one -> handler",
    ]


@pytest.mark.parametrize(
    ("version", "maker"), [("", "New()"), ("/v4", "NewWithConfig(echo.Config{})"), ("/v9", "New()")]
)
def test_neither_the_major_version_of_an_import_path_matters_nor_how_a_server_is_made(
    built: Built, version: str, maker: str
) -> None:
    registry = built(
        {
            "main.go": f"""
                package main
                import "github.com/labstack/echo{version}"
                func list(c *echo.Context) error {{ return nil }}
                func main() {{ e := echo.{maker}; e.Group("/api").GET("/orders", list) }}
            """
        }
    )
    assert labels(registry) == ["GET /api/orders -> list"]
