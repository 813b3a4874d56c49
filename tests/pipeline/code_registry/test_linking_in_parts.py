"""A large program is linked part by part, and says exactly what it says when it is linked as a whole."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pipeline.code_registry.assembly import link_whole
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.entries import BuildReport
from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.linking_parts import link_in_parts
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.rows import to_bytes
from pipeline.code_registry.stored_entries import Sections, join_sections, sections_of
from pipeline.code_registry.stored_facts import FactSpan
from tests.pipeline.trusted_sources import build_registry

SAMPLES = Path("tests/sample_repositories")
_T = TypeVar("_T")


class InThisProcess(Executor):
    """Does the work of other processes here."""

    def map(self, fn: Callable[..., _T], *iterables: Iterable[Any], **_: object) -> Iterator[_T]:
        return map(fn, *iterables)


def facts_of(sample: str) -> dict[str, FileFacts]:
    root = SAMPLES / sample
    return {
        str(file.relative_to(root)): PYTHON.extract(file.read_bytes()) for file in sorted(root.rglob("*.py"))
    }


INHERITED_ROUTERS = {
    "base.py": """
from fastapi import APIRouter
class Base:
    prefix = "/base"
    def __init__(self):
        self.router = APIRouter(prefix=self.prefix)
    def set_up(self):
        self.router.add_api_route("/", self.list)
    def list(self): ...
""",
    "items.py": """
from base import Base
class Items(Base):
    prefix = "/items"
    def list(self): ...
""",
    "main.py": """
from fastapi import FastAPI
from items import Items
from orders import Orders
app = FastAPI()
app.include_router(Orders().router)
app.include_router(Items().router, prefix="/v1")
""",
    "orders.py": """
from base import Base
class Orders(Base):
    prefix = "/orders"
    def list(self): ...
""",
}


def in_parts(facts: dict[str, FileFacts], size: int, folder: Path) -> Sections:
    file, where, data = folder / "facts", dict[str, FactSpan](), b""
    for path, found in facts.items():
        written = to_bytes(found)
        where[path] = FactSpan(0, len(data), len(written))
        data += written
    file.write_bytes(data)
    paths = sorted(facts)
    parts = [paths[start : start + size] for start in range(0, len(paths), size)]
    return join_sections(
        link_in_parts(PYTHON, [file], where, parts, frozenset(paths), folder, InThisProcess())
    )


def entries(sections: Sections) -> bytes:
    return Registry(lambda kind: sections.get(kind, ()), BuildReport(0, 0, (), 0.0)).to_bytes()


@pytest.mark.parametrize("sample", ["orders_flask", "orders_fastapi", "helpdesk_restx"])
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_parts_say_together_what_the_whole_says(sample: str, size: int, tmp_path: Path) -> None:
    facts = facts_of(sample)
    whole = join_sections(map(sections_of, link_whole(PYTHON, facts, facts.keys())))
    assert entries(in_parts(facts, size, tmp_path)) == entries(whole)
    assert whole["routes"]
    assert whole["edges"]


@pytest.mark.parametrize("size", [1, 3])
def test_a_router_of_a_base_class_is_known_in_every_part_that_inherits_it(size: int, tmp_path: Path) -> None:
    facts = {path: PYTHON.extract(source.encode()) for path, source in INHERITED_ROUTERS.items()}
    whole = join_sections(map(sections_of, link_whole(PYTHON, facts, facts.keys())))
    sections = in_parts(facts, size, tmp_path)
    assert entries(sections) == entries(whole)
    routes = Registry(lambda kind: sections.get(kind, ()), BuildReport(0, 0, (), 0.0)).routes
    assert [route.label for route in routes] == ["GET /orders/", "GET /v1/items/"]


def test_a_large_tree_that_was_indexed_before_is_read_again_only_where_it_changed(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(4):
        comment = "# a comment of a line\n" * 43_000
        (root / f"file{number}.py").write_text(f"{comment}def f{number}(): ...\n")
    (root / "calls.py").write_text("from file0 import f0\nfrom file3 import f3\ndef g(): f0(), f3()\n")
    cache = RegistryCache(tmp_path / "registry.sqlite")
    assert build_registry(root, cache=cache).report.files_reused == 0
    (root / "calls.py").write_text("from file3 import f3\ndef g(): f3()\n")
    changed = build_registry(root, cache=cache)
    assert changed.report.files_reused == 4
    assert [(edge.caller, edge.callee) for edge in changed.edges] == [
        ("symbol:calls.py::g", "symbol:file3.py::f3")
    ]
    assert build_registry(root, cache=cache).to_bytes() == changed.to_bytes()
