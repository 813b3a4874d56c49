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
from pipeline.code_registry.linking_parts import KeptUnits, digest, link_in_parts
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.rows import Sections, join_sections, sections_of, to_bytes
from pipeline.code_registry.stored_facts import FactSpan
from tests.pipeline.trusted_sources import build_registry

SAMPLES = Path("tests/sample_repositories")
_T = TypeVar("_T")


class InThisProcess(Executor):
    """Does the work of other processes here. `done`: what each piece of it was."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def map(self, fn: Callable[..., _T], *iterables: Iterable[Any], **_: object) -> Iterator[_T]:
        pieces = list(zip(*iterables, strict=True))
        self.done += [" ".join(getattr(piece[0], "paths", ("routes",))) for piece in pieces]
        return (fn(*piece) for piece in pieces)


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


def in_parts(
    facts: dict[str, FileFacts],
    size: int,
    folder: Path,
    cache: RegistryCache | None = None,
    pool: InThisProcess | None = None,
) -> Sections:
    file, where, data = folder / "facts", dict[str, FactSpan](), b""
    keys: dict[str, str] = {}
    for path, found in facts.items():
        written = to_bytes(found)
        where[path] = FactSpan(0, len(data), len(written))
        keys[path] = digest([written])
        data += written
    file.write_bytes(data)
    paths = sorted(facts)
    parts = [paths[start : start + size] for start in range(0, len(paths), size)]
    kept = KeptUnits(cache, keys, paths)
    pool = pool or InThisProcess()
    # Another folder for each program: a process keeps the facts that it has opened.
    inside = folder / digest(key.encode() for key in keys.values())
    inside.mkdir(exist_ok=True)
    units = list(link_in_parts(PYTHON, [file], where, parts, frozenset(paths), inside, pool, kept))
    if cache is not None:
        cache.store_registry("the tree", b"", units)
    return join_sections(unit.sections for unit in units)


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


PARTS = {
    "app.py": "from base import save\nfrom flask import Flask\napp = Flask(__name__)\n@app.get('/a')\ndef a(): save()\n",
    "base.py": "def save(): ...\n",
    "other.py": "def other(): ...\n",
}


def test_only_parts_that_looked_at_a_changed_file_are_linked_again(tmp_path: Path) -> None:
    cache, pool = RegistryCache(tmp_path / "registry.sqlite"), InThisProcess()
    sources = dict(PARTS)

    def linked() -> list[str]:
        facts = {path: PYTHON.extract(source.encode()) for path, source in sources.items()}
        pool.done.clear()
        with_cache = entries(in_parts(facts, 1, tmp_path, cache, pool))
        done = list(pool.done)
        assert with_cache == entries(in_parts(facts, 1, tmp_path))
        return done

    assert linked() == ["app.py", "base.py", "other.py", "routes"]
    assert linked() == []
    sources["other.py"] += "def further(): ...\n"
    assert linked() == ["other.py"]
    sources["base.py"] = f"# one line further down\n{sources['base.py']}"
    assert linked() == ["app.py", "base.py", "routes"]
    sources["app.py"] += "def further(): save()\n"
    assert linked() == ["app.py", "routes"]
    sources["further.py"] = ""
    assert linked() == ["app.py", "base.py", "further.py", "other.py", "routes"]
    sources["base.py"] = "def save(): ...\n"
    assert linked() == ["app.py", "base.py", "routes"]


@pytest.mark.parametrize("sample", ["orders_flask", "stock_aiohttp"])
def test_whatever_file_changes_kept_parts_say_what_linking_all_says(sample: str, tmp_path: Path) -> None:
    facts = facts_of(sample)
    cache = RegistryCache(tmp_path / "registry.sqlite")
    in_parts(facts, 1, tmp_path, cache)
    for path in facts:
        source = (SAMPLES / sample / path).read_text()
        changed = {**facts, path: PYTHON.extract(f"import os\n{source}\ndef added(): ...\n".encode())}
        assert entries(in_parts(changed, 1, tmp_path, cache)) == entries(in_parts(changed, 1, tmp_path))


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
