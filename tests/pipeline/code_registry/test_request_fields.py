"""What a route takes from its request; unknown is None, never nothing."""

from pipeline.code_registry.entries import FieldKind, Route
from pipeline.code_registry.registry import Registry
from tests.pipeline.code_registry.registries import Built


def route(registry: Registry, label: str) -> Route:
    entry = registry.get(f"route:{label}")
    assert isinstance(entry, Route)
    return entry


FASTAPI = """
    from typing import Annotated, Any, ClassVar
    from fastapi import Body, Cookie, Depends, FastAPI, File, Form, Header, Query, Request, UploadFile
    from pydantic import BaseModel, Field
    from elsewhere import Foreign
    app = FastAPI()
    class Base(BaseModel):
        model_config = {"title": "Base"}
        registry: ClassVar[dict] = {}
        id: int
        _secret: str = "x"
    class Job(Base):
        name: str = Field(alias="jobName")
        tags: list[str] = []
    class Partly(Foreign):
        known: int
    class Page(BaseModel):
        limit: int = 10
        after: str | None = None
    def paging(page: int = 1): ...
    def whoever(token: Annotated[str, Header()], request: Request, also=Depends(paging)): ...
    @app.post("/one")
    def one(job: Job, request: Request, q: str = "", who=Depends(whoever)): ...
    @app.post("/two")
    def two(job: Job, page: Page): ...
    @app.post("/embedded")
    def embedded(job: Job = Body(embed=True)): ...
    @app.post("/optional")
    def optional(job: Job | None = None): ...
    @app.post("/anything")
    def anything(body: dict[str, Any]): ...
    @app.post("/foreign")
    def foreign(body: Foreign): ...
    @app.post("/partly")
    def partly(body: Partly): ...
    @app.post("/form")
    def form(user: Annotated[str, Form()], photo: UploadFile, note: str = Form("", alias="n")): ...
    @app.get("/page/{id:path}")
    def page(id: str, page: Page = Depends(), sort: str = Query("up", alias="order"), c: str = Cookie("")): ...
"""


def test_a_fastapi_body_is_its_model_with_what_it_inherits_and_its_aliases(built: Built) -> None:
    registry = built({"main.py": FASTAPI})
    assert route(registry, "POST /one").body_fields == ("id", "jobName", "tags")
    assert route(registry, "POST /optional").body_fields == ("id", "jobName", "tags")
    assert route(registry, "POST /two").body_fields == ("job", "page")
    assert route(registry, "POST /embedded").body_fields == ("job",)
    assert route(registry, "POST /form").body_fields == ("user", "photo", "n")


def test_dependencies_are_not_body_but_what_they_ask_for_counts(built: Built) -> None:
    registry = built({"main.py": FASTAPI})
    assert set(route(registry, "POST /one").query_fields) == {"q", "page"}
    assert [f.name for f in registry.fields_of("route:POST /one") if f.kind is FieldKind.HEADER] == ["token"]
    page = route(registry, "GET /page/{id:path}")
    assert (page.path_fields, set(page.query_fields), page.body_fields) == (
        ("id",),
        {"limit", "after", "order"},
        (),
    )


def test_a_body_that_nobody_declares_is_unknown(built: Built) -> None:
    registry = built({"main.py": FASTAPI})
    for label in ("POST /anything", "POST /foreign", "POST /partly"):
        assert route(registry, label).body_fields is None, label
        assert route(registry, label).body_field_count is None


def test_fields_of_classes_that_hold_data(built: Built) -> None:
    registry = built(
        {
            "models.py": """
                from dataclasses import dataclass, field
                from sqlalchemy import Column, Integer
                from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
                from sqlmodel import SQLModel
                class Base(DeclarativeBase): ...
                class Old(Base):
                    __tablename__ = "old"
                    id = Column(Integer)
                    others = relationship("Other")
                class New(Base):
                    name: Mapped[str] = mapped_column()
                class Hero(SQLModel, table=True):
                    power: int
                @dataclass
                class Point:
                    x: int
                    y: int = field(default=0)
                class Plain:
                    note: str = ""
            """
        }
    )
    found = {(f.id.partition("::")[2], f.kind.value, f.required) for f in registry.fields}
    assert found == {
        ("Old.id", "table", None),
        ("New.name", "table", None),
        ("Hero.power", "table", True),
        ("Point.x", "model", True),
        ("Point.y", "model", False),
    }


def test_declared_parsers_and_expected_models_say_what_a_restx_handler_takes(built: Built) -> None:
    registry = built(
        {
            "api.py": """
                from flask_restx import Namespace, Resource, fields, reqparse

                ns = Namespace("cases")
                listing = reqparse.RequestParser()
                listing.add_argument("overdue", type=bool, location="args")
                listing.add_argument("X-Team", location="headers")
                listing.add_argument("page", type=int)
                new_case = ns.model("NewCase", {"subject": fields.String(required=True), "body": fields.String})

                @ns.route("/")
                class Cases(Resource):
                    def get(self):
                        return listing.parse_args()

                    @ns.expect(new_case)
                    def post(self):
                        return ns.payload["subject"], 201

                @ns.route("/<int:case_id>")
                class Case(Resource):
                    def patch(self, case_id):
                        return ns.payload
            """
        }
    )
    found = {route.method: route for route in registry.routes}
    assert found["GET"].query_fields == ("overdue", "page")
    assert found["POST"].body_fields == ("subject", "body")
    assert found["PATCH"].body_fields is None
