"""Calls are linked when somebody asks: the callers of one function are exactly those that linking everything finds."""

import gc
from pathlib import Path

import pytest

from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.linker import Linker
from pipeline.code_registry.linking.names.types import Types
from pipeline.code_registry.registry import Registry
from tests.pipeline.code_registry.registries import Built
from tests.pipeline.trusted_sources import build_registry

SAMPLES = sorted(path for path in Path("tests/sample_repositories").iterdir() if path.is_dir())


def assert_callers_are_whole(registry: Registry) -> None:
    ids = {*(edge.callee for edge in registry.edges), *(symbol.id for symbol in registry.symbols)}
    for id_ in ids:
        assert registry.callers(id_) == tuple(edge for edge in registry.edges if edge.callee == id_)
        assert registry.callees(id_) == tuple(edge for edge in registry.edges if edge.caller == id_)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_callers_of_each_symbol_of_a_service_are_those_of_all_edges(sample: Path) -> None:
    assert_callers_are_whole(build_registry(sample, cache=None))


def test_callers_by_another_name_are_found(built: Built) -> None:
    registry = built(
        {
            "orders.py": """
                from typing import Annotated
                def save(): ...
                def make():
                    return save
                class Base:
                    def __init__(self): ...
                    def __call__(self): ...
                    @classmethod
                    def new(cls): return cls()
                class Order(Base): ...
                Session = Annotated[int, Depends(save)]
            """,
            "use.py": """
                from orders import Order as Purchase, Session, make, save as keep
                kept = keep
                made = make()
                def a(): kept()
                def b(): made()
                def c(session: Session): ...
                class Holder:
                    def __init__(self, order: Purchase):
                        self.run = order
                        self.run()
                def d(): Purchase()
                def e(call=1): call(keep)
            """,
        }
    )
    assert_callers_are_whole(registry)
    assert {edge.caller for edge in registry.callers("symbol:orders.py::save")} == {
        *(f"symbol:use.py::{name}" for name in "abce"),
        "symbol:orders.py",
        "symbol:orders.py::make",
    }
    assert {edge.caller for edge in registry.callers("symbol:orders.py::Base.__init__")} == {
        "symbol:orders.py::Base.new",
        "symbol:use.py::d",
    }
    assert [edge.caller for edge in registry.callers("symbol:orders.py::Base.__call__")] == [
        "symbol:use.py::Holder.__init__"
    ]


def test_a_large_tree_that_is_linked_in_parts_has_the_same_entries() -> None:
    sample = Path("tests/sample_repositories/orders_flask")
    files = {
        str(file.relative_to(sample)): PYTHON.extract(file.read_bytes())
        for file in sorted(sample.rglob("*.py"))
    }
    whole = list(Linker(PYTHON, files, files).link())
    in_parts = list(Linker(PYTHON, files, files, at_once=3).link())
    assert len(in_parts) > len(whole) == 2
    assert [symbol for part in in_parts for symbol in part.symbols] == list(whole[0].symbols)
    assert in_parts[-1] == whole[-1]


def test_what_was_worked_out_of_a_part_is_given_back_though_no_collector_runs() -> None:
    files = {f"file{number}.py": PYTHON.extract(b"def f(x: int): return g(x)\n") for number in range(8)}
    gc.collect()
    gc.disable()
    try:
        linker = Linker(PYTHON, files, files, at_once=1)
        assert sum(1 for _ in linker.link()) == 9
        assert sum(type(value) is Types for value in gc.get_objects()) == 1
    finally:
        gc.enable()
