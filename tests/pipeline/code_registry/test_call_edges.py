"""Call edges: only where import and type say so."""

from tests.pipeline.code_registry.registries import Built, callees


def test_imports_aliases_and_re_exports_are_followed(built: Built) -> None:
    registry = built(
        {
            "shop/__init__.py": "from .pay import charge as take_money\nfrom .ship import *\n",
            "shop/pay.py": "def charge(): ...\n",
            "shop/ship.py": "def send(): ...\n",
            "main.py": """
                import shop
                from shop import take_money as now, send
                def a(): now(); send()
                def b(): shop.pay.charge()
                def c():
                    from shop import ship
                    ship.send()
            """,
        }
    )
    assert callees(registry, "main.py::a") == ["shop/pay.py::charge", "shop/ship.py::send"]
    assert callees(registry, "main.py::b") == ["shop/pay.py::charge"]
    assert callees(registry, "main.py::c") == ["shop/ship.py::send"]


def test_methods_are_followed_by_the_type_of_their_receiver(built: Built) -> None:
    registry = built(
        {
            "stock.py": """
                from typing import Annotated, Optional
                from fastapi import Depends
                class Base:
                    def save(self): self.check()
                    def check(self): ...
                class Shelf(Base):
                    def __init__(self, other: "Base"):
                        self.other = other
                    def check(self): super().save()
                    def move(self): self.other.save()
                    @property
                    def twin(self) -> Base: ...
                    def copy(self): self.twin.check()
                def shelf() -> Shelf: ...
                ShelfDep = Annotated[Shelf, Depends(shelf)]
                def by_annotation(s: Optional[Shelf]): s.move()
                def by_constructor():
                    s = Shelf(None)
                    s.move()
                def by_result(): shelf().move()
                def by_dependency(s: ShelfDep, t: Shelf = Depends(shelf)): s.move(); t.copy()
                def by_loop(all: list[Shelf]):
                    for s in all: s.move()
                class Opened:
                    def __enter__(self) -> Shelf: ...
                def by_context():
                    with Opened() as s: s.move()
            """
        }
    )
    here = "stock.py::"
    assert callees(registry, f"{here}Base.save") == [f"{here}Base.check"]
    assert callees(registry, f"{here}Shelf.check") == [f"{here}Base.save"]
    assert callees(registry, f"{here}Shelf.move") == [f"{here}Base.save"]
    assert f"{here}Base.check" in callees(registry, f"{here}Shelf.copy")
    for name in ("by_annotation", "by_constructor", "by_result", "by_dependency", "by_loop", "by_context"):
        assert f"{here}Shelf.move" in callees(registry, f"{here}{name}"), name
    assert f"{here}shelf" in callees(registry, f"{here}by_dependency")


def test_a_name_that_only_one_function_has_is_no_evidence(built: Built) -> None:
    registry = built(
        {
            "wallet.py": "def pay_invoice(): ...\n",
            "main.py": """
                def a(wallet): wallet.pay_invoice()
                def b():
                    try: pay_invoice()
                    except NameError: ...
            """,
        }
    )
    assert registry.callers("symbol:wallet.py::pay_invoice") == ()


def test_two_types_of_one_name_are_unknown(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                class A:
                    def go(self): ...
                class B:
                    def go(self): ...
                def run(flag):
                    thing = A()
                    if flag: thing = B()
                    thing.go()
            """
        }
    )
    assert not {"main.py::A.go", "main.py::B.go"} & set(callees(registry, "main.py::run"))


def test_definitions_that_lead_to_themselves_end(built: Built) -> None:
    registry = built(
        {
            "a.py": "from b import x\ny = x\ndef f(): return f()\nclass A(A): ...\ndef g(): A().h()\n",
            "b.py": "from a import y\nx = y\nz = z2 = z\ndef k(): x.go(); z.go()\n",
        }
    )
    assert {edge.callee for edge in registry.callers("symbol:a.py::f")} == {"symbol:a.py::f"}


def test_functions_that_are_handed_over_count_for_reachability(built: Built) -> None:
    registry = built(
        {
            "main.py": """
                from fastapi import Depends, FastAPI
                app = FastAPI()
                def check(): leaf()
                def leaf(): ...
                def later(): ...
                @app.get("/a", dependencies=[Depends(check)])
                def a(tasks): tasks.add_task(later)
            """
        }
    )
    assert [e.route.label for e in registry.entry_routes("symbol:main.py::leaf")] == ["GET /a"]
    assert [e.route.label for e in registry.entry_routes("symbol:main.py::later")] == ["GET /a"]
