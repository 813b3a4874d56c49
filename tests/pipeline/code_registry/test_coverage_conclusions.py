"""What `askfirst registry --coverage` concludes: it says that all was read only of what it reads."""

from tests.pipeline.code_registry.registries import Built

FLASK = """
from flask import Flask
app = Flask(__name__)
@app.get("/orders")
def orders(): ...
"""


def test_where_a_framework_is_imported_that_nobody_reads_not_everything_was_read(built: Built) -> None:
    registry = built({"main.py": FLASK, "graph.py": "import strawberry\n", "types.py": "import strawberry\n"})
    assert registry.coverage.sentences == ()
    assert registry.coverage.conclusions == (
        "Strawberry GraphQL is imported in 2 files: the registry does not read Strawberry GraphQL.",
        "Of flask, everything that looks like a registration was read.",
    )


def test_where_no_web_framework_is_imported_none_was_found(built: Built) -> None:
    for files in ({"library.py": "def join(parts): ...\n"}, {}):
        registry = built(files)
        (conclusion,) = registry.coverage.conclusions
        assert conclusion.startswith(
            "No web framework that the registry knows was found. It reads routes of Python, "
        )


def test_where_a_framework_is_imported_and_registers_nothing_no_registration_was_read(built: Built) -> None:
    registry = built(
        {"main.go": 'package main\nimport "net/http"\nfunc load(url string) { http.Get(url) }\n'}
    )
    assert registry.coverage.conclusions == ("Nothing looks like a registration of a route.",)


def test_where_all_frameworks_are_read_and_nothing_is_missing_everything_was_read(built: Built) -> None:
    registry = built({"main.py": FLASK})
    assert registry.coverage.conclusions == ("Everything that looks like a registration was read.",)


def test_a_framework_that_no_file_imports_was_found_where_it_gave_routes(built: Built) -> None:
    registry = built(
        {
            "package.json": '{"dependencies": {"next": "15"}}',
            "app/api/orders/route.ts": "export async function GET() { return Response.json([]) }\n",
        }
    )
    assert [route.label for route in registry.routes] == ["GET /api/orders"]
    assert registry.coverage.conclusions == ("Everything that looks like a registration was read.",)


def test_a_package_that_registers_routes_of_its_own_is_imported_and_not_read(built: Built) -> None:
    registry = built(
        {
            "main.py": f"""{FLASK}
from flask_admin import Admin
from views import OrderView
admin = Admin(app)
admin.add_view(OrderView())
""",
            "views.py": """
                from flask import redirect
                from flask_admin import BaseView, expose
                class OrderView(BaseView):
                    @expose("/refund")
                    def refund(self): return redirect("/orders")
            """,
            "queues.ts": 'import { createBullBoard } from "@bull-board/api"\ncreateBullBoard({ queues: [] })\n',
            "admin.go": 'package main\nimport "github.com/GoAdminGroup/go-admin/engine"\nvar e = engine.Default()\n',
        }
    )
    assert registry.coverage.conclusions == (
        "bull-board is imported in 1 file and no route was read from it: the registry does not read bull-board.",
        "Flask-Admin is imported in 2 files and no route was read from them: the registry does not read Flask-Admin.",
        "GoAdmin is imported in 1 file and no route was read from it: the registry does not read GoAdmin.",
        "Of flask, everything that looks like a registration was read.",
    )
    (admin,) = (item for item in registry.coverage.frameworks if item.framework == "Flask-Admin")
    assert [f"{item.place} {item.text}" for item in admin.unread] == ["views.py:5 expose('/refund')"]
