"""Routes, fields and calls as Go services really write them, one framework or way of writing per test."""

from pipeline.code_registry.entries import Confidence
from tests.pipeline.code_registry.registries import Built, labels

MODULE = "module example.org/orders\n\ngo 1.22\n"


def test_gin_groups_are_followed_into_functions_and_other_files_of_a_package(built: Built) -> None:
    registry = built(
        {
            "go.mod": MODULE,
            "main.go": """
                package main
                import ("github.com/gin-gonic/gin"; "example.org/orders/api")
                const prefix = "/api" + "/v1"
                func main() {
                    r := gin.Default()
                    g := r.Group(prefix)
                    orders := api.Orders{}
                    orders.Register(g)
                    g.Group("/jobs").Use(gin.Logger()).POST("", gin.Recovery(), orders.Run)
                }
            """,
            "api/orders.go": "package api\ntype Orders struct { name string }\n",
            "api/routes.go": """
                package api
                import "github.com/gin-gonic/gin"
                type Base struct { Note string `json:"note"` }
                type order struct {
                    Base
                    Total int `json:"total" binding:"required"`
                    Secret string `json:"-"`
                    hidden int
                }
                func (o *Orders) Register(r *gin.RouterGroup) {
                    r.PUT("/orders/:id", o.Change)
                    r.GET("/orders", o.List)
                }
                func bind(c *gin.Context, into any) error { return c.ShouldBind(into) }
                func (o *Orders) Change(c *gin.Context) {
                    order := &order{}
                    if bind(c, order) != nil { return }
                }
                func (o *Orders) List(c *gin.Context) { _ = c.Query("after") }
                func (o *Orders) Run(c *gin.Context) {}
            """,
        }
    )
    assert labels(registry) == [
        "GET /api/v1/orders -> Orders.List",
        "POST /api/v1/jobs -> Orders.Run",
        "PUT /api/v1/orders/:id -> Orders.Change",
    ]
    _, _, changed = registry.routes
    assert changed.body_fields == ("note", "total")
    assert str(changed.registered_at) == "api/routes.go:12"


def test_patterns_of_net_http_name_the_method_and_muxes_nest_behind_wrappers(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import "net/http"
                func logged(next http.Handler) http.Handler {
                    return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
                }
                func show(w http.ResponseWriter, r *http.Request) { _ = r.URL.Query().Get("full") }
                func admin() http.Handler {
                    mux := http.NewServeMux()
                    mux.HandleFunc("POST /reset", show)
                    return logged(mux)
                }
                func main() {
                    mux := http.NewServeMux()
                    mux.HandleFunc("GET /orders/{id}", show)
                    mux.Handle("GET /{$}", logged(http.HandlerFunc(show)))
                    mux.Handle("/admin/", http.StripPrefix("/admin", admin()))
                    http.ListenAndServe(":80", logged(mux))
                }
            """
        }
    )
    assert labels(registry) == ["GET / -> show", "GET /orders/{id} -> show", "POST /admin/reset -> show"]


def test_a_mux_that_is_served_nowhere_has_a_dynamic_prefix(built: Built) -> None:
    registry = built(
        {
            "part/part.go": """
                package part
                import "net/http"
                func init() {
                    mux := http.NewServeMux()
                    mux.HandleFunc("GET /lat", func(w http.ResponseWriter, r *http.Request) {})
                    register("part", mux)
                }
            """
        }
    )
    (route,) = registry.routes
    assert (route.dynamic_prefix, route.confidence) == (True, Confidence.UNMOUNTED)


def test_chi_routers_nest_in_functions_inline_and_by_mount(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import ("net/http"; "github.com/go-chi/chi/v5")
                func handle(w http.ResponseWriter, r *http.Request) {}
                func guard(next http.Handler) http.Handler { return next }
                func jobs() chi.Router {
                    r := chi.NewRouter()
                    r.Delete("/{id}", handle)
                    return r
                }
                func main() {
                    r := chi.NewRouter()
                    r.Route("/orders", func(r chi.Router) {
                        r.Get("/all", handle)
                        r.Group(func(r chi.Router) { r.With(guard).Post("/one", handle) })
                    })
                    r.Mount("/jobs", jobs())
                    http.ListenAndServe(":80", r)
                }
            """
        }
    )
    assert labels(registry) == [
        "DELETE /jobs/{id} -> handle",
        "GET /orders/all -> handle",
        "POST /orders/one -> handle",
    ]


def test_handlers_of_echo_are_found_inside_their_wrappers(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import ("path"; "github.com/labstack/echo/v4")
                type App struct { auth *Auth }
                type Auth struct {}
                func (a *Auth) Perm(next echo.HandlerFunc, names ...string) echo.HandlerFunc { return next }
                func withID(next echo.HandlerFunc) echo.HandlerFunc {
                    return func(c echo.Context) error { return next(c) }
                }
                func (a *App) Show(c echo.Context) error { return nil }
                func (a *App) Create(c echo.Context) error {
                    var body struct { Name string `json:"name"` }
                    return c.Bind(&body)
                }
                func asset(name string) echo.HandlerFunc { return func(c echo.Context) error { return nil } }
                func register(e *echo.Echo, a *App) {
                    var (
                        pm = a.auth.Perm
                        g = e.Group("/api")
                    )
                    g.GET("/orders/:id", pm(withID(a.Show), "orders:get"))
                    g.POST(path.Join("/orders", "/new"), a.Create)
                    g.GET("/style.css", asset("style"))
                }
                func main() { register(echo.New(), &App{}) }
            """
        }
    )
    assert labels(registry) == [
        "GET /api/orders/:id -> App.Show",
        "GET /api/style.css -> asset",
        "POST /api/orders/new -> App.Create",
    ]
    assert registry.routes[2].body_fields == ("name",)


def test_gorilla_routes_are_built_up_by_chained_calls(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import ("net/http"; "github.com/gorilla/mux")
                func handle(w http.ResponseWriter, r *http.Request) {}
                func main() {
                    router := mux.NewRouter().StrictSlash(true)
                    api := router.PathPrefix("/api").Subrouter()
                    api.HandleFunc("/a", handle).Methods("GET", http.MethodPut).Name("a")
                    api.Methods("POST").Path("/b").HandlerFunc(handle)
                    srv := &http.Server{Handler: router}
                    srv.ListenAndServe()
                }
            """
        }
    )
    assert labels(registry) == ["GET /api/a -> handle", "POST /api/b -> handle", "PUT /api/a -> handle"]


def test_fiber_groups_and_blocks_are_followed(built: Built) -> None:
    registry = built(
        {
            "main.go": """
                package main
                import "github.com/gofiber/fiber/v2"
                type item struct { Name string `json:"name"` }
                func create(c *fiber.Ctx) error { i := new(item); return c.BodyParser(i) }
                func main() {
                    app := fiber.New()
                    api := app.Group("/api")
                    api.Post("/items", create)
                    app.Route("/v2", func(r fiber.Router) { r.Get("/items", create) })
                }
            """
        }
    )
    assert labels(registry) == ["GET /v2/items -> create", "POST /api/items -> create"]
    assert registry.routes[1].body_fields == ("name",)


def test_a_variable_that_shadows_a_package_or_a_type_is_not_taken_for_it(built: Built) -> None:
    registry = built(
        {
            "go.mod": MODULE,
            "store/store.go": """
                package store
                type Store struct {}
                func New() *Store { return &Store{} }
                func (s *Store) Save() {}
            """,
            "main.go": """
                package main
                import "example.org/orders/store"
                type job struct { store *store.Store }
                func (j *job) run() { j.store.Save() }
                func start(flag bool) {
                    store := store.New()
                    if flag { store := other(); store.Save() }
                    job := &job{store: store}
                    job.run()
                    store.Save()
                }
            """,
        }
    )
    found = {(e.callee, e.line) for e in registry.callees("symbol:main.go::start")}
    assert found == {
        ("symbol:store/store.go::New", 7),
        ("symbol:main.go::job", 9),
        ("symbol:main.go::job.run", 10),
        ("symbol:store/store.go::Store.Save", 11),
    }
    assert [e.callee for e in registry.callees("symbol:main.go::job.run")] == [
        "symbol:store/store.go::Store.Save"
    ]


def test_tests_reach_what_they_call(built: Built) -> None:
    registry = built(
        {
            "sum.go": "package sum\nfunc Add() int { return 1 }\n",
            "sum_test.go": 'package sum\nimport "testing"\nfunc TestAdd(t *testing.T) { Add() }\n',
        }
    )
    assert registry.tests_reaching("symbol:sum.go::Add") == ("symbol:sum_test.go::TestAdd",)


def test_a_package_is_called_as_it_calls_itself_whatever_its_tests_from_outside_say(built: Built) -> None:
    registry = built(
        {
            "go.mod": MODULE,
            "main.go": """
                package main
                import ("github.com/gin-gonic/gin"; "example.org/orders/api")
                func main() { gin.Default().GET("/orders", api.List) }
            """,
            "api/api.go": """
                package api
                import "github.com/gin-gonic/gin"
                func List(c *gin.Context) {}
            """,
            "api/api_test.go": "package api_test\nfunc helper() {}\n",
        }
    )
    assert [route.handler for route in registry.routes] == ["symbol:api/api.go::List"]


def test_a_prefix_that_is_made_longer_by_itself_is_unknown_once(built: Built) -> None:
    registry = built(
        {
            "go.mod": MODULE,
            "main.go": """
                package main
                import ("net/url"; "strings"; "github.com/gin-gonic/gin")
                var config struct { Root string }
                func setUp(address *url.URL) {
                    root := strings.TrimSuffix(address.Path, "/")
                    if !strings.HasPrefix(root, "/") { root = "/" + root }
                    config.Root = root
                }
                func list(c *gin.Context) {}
                func main() { gin.Default().Group(config.Root).GET("/orders", list) }
            """,
        }
    )
    [route] = registry.routes
    assert (route.path.count("//"), route.path.endswith("}/orders"), route.dynamic_prefix) == (0, True, True)


def test_a_router_that_a_branch_makes_from_itself_gets_an_unknown_prefix_and_ends_the_walk(
    built: Built,
) -> None:
    registry = built(
        {
            "go.mod": MODULE,
            "main.go": """
                package main
                import ("github.com/gorilla/mux"; "net/http"; "os")
                func show(w http.ResponseWriter, r *http.Request) {}
                func main() {
                    router := mux.NewRouter()
                    if prefix := os.Getenv("PREFIX"); prefix != "" {
                        router = router.PathPrefix(prefix).Subrouter()
                    }
                    router.HandleFunc("/orders", show).Methods("GET")
                    router.PathPrefix("/api").Subrouter().HandleFunc("/items", show)
                    http.ListenAndServe(":80", router)
                }
            """,
            "shop/main.go": """
                package main
                import "github.com/labstack/echo/v4"
                func list(c echo.Context) error { return nil }
                func main() {
                    e := echo.New()
                    g := e.Group("/shop")
                    if len(os.Args) > 1 { g = g.Group("/one") }
                    if len(os.Args) > 2 { g = g.Group("/two") }
                    g.GET("/goods", list)
                    e.GET("/health", list)
                }
            """,
        }
    )
    assert [(route.label, route.dynamic_prefix, route.confidence) for route in registry.routes] == [
        ("ANY /api/items", True, Confidence.MOUNTED),
        ("GET /health", False, Confidence.MOUNTED),
        ("GET /orders", True, Confidence.MOUNTED),
        ("GET /shop/goods", True, Confidence.MOUNTED),
    ]
