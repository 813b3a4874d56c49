"""Rust, Java, C#, Ruby and PHP: symbols, callers and the tests that reach them, by a query file alone."""

from collections.abc import Callable, Mapping
from time import process_time
from typing import NamedTuple

import pytest

from pipeline.code_registry.all_languages import language_of
from pipeline.domain.collector import without_collector
from tests.pipeline.code_registry.registries import Built

RUST = {
    "src/store.rs": """
        pub struct Store { rows: Vec<u8> }
        impl Store {
            pub fn open(path: &str) -> Self { Store { rows: vec![] } }
            pub fn save(&mut self, row: u8) { self.check(row) }
            fn check(&self, row: u8) {}
        }
        pub fn path_of(name: &str) -> String { format!("{name}") }
    """,
    "src/orders.rs": """
        use crate::store::{path_of, Store};
        use std::path::Path;
        pub struct Orders { store: std::sync::Arc<Store> }
        impl Orders {
            pub fn add(&self, extra: &mut Store) {
                self.store.save(1);
                extra.save(2);
                let opened = Store::open(&path_of("x"));
                opened.save(3);
                Path::new("x").open();
                unknown().save(4);
            }
        }
        #[cfg(test)]
        mod tests {
            #[test]
            fn an_order_is_kept() { let orders: Orders = make(); orders.add(1); }
        }
    """,
}
JAVA = {
    "src/main/java/shop/store/Store.java": """
        package shop.store;
        public class Store extends Base {
            public Store(int size) { init(size); }
            public void save(int row) { this.check(row); log(row); }
            private void check(int row) {}
        }
    """,
    "src/main/java/shop/store/Base.java": "package shop.store; class Base { void init(int s) {} void log(int r) {} }",
    "src/main/java/shop/Orders.java": """
        package shop;
        import shop.store.Store;
        import org.elsewhere.Base;
        public record Orders(Store store, Base base) {
            void add(Store extra) {
                store.save(1);
                extra.save(2);
                var made = new Store(3);
                made.save(3);
                base.log(4);
                find().save(5);
            }
        }
    """,
    "src/test/java/shop/OrdersTests.java": """
        package shop;
        class OrdersTests {
            private Orders orders;
            @Test void anOrderIsKept() { orders.add(null); }
        }
    """,
}
C_SHARP = {
    "Shop/Store.cs": """
        namespace Shop {
            public class Base { protected void Log(int row) {} }
            public class Store : Base {
                public void Save(int row) { this.Check(row); Log(row); }
                void Check(int row) {}
            }
        }
    """,
    "Shop/Orders.cs": """
        namespace Shop;
        public class Orders {
            private readonly Store _store;
            public Store Extra { get; set; }
            public async Task Add() {
                _store.Save(1);
                Extra?.Save(2);
                var made = new Store();
                made.Save(3);
                Find().Save(4);
            }
        }
    """,
    "Shop.Tests/OrdersTests.cs": """
        public class OrdersTests {
            Orders orders = new();
            [Fact] public void An_order_is_kept() { orders.Add(); }
        }
    """,
}
RUBY = {
    "lib/store.rb": """
        class Store < Base
          def save(row)
            check(row)
            log(row)
          end
          def check(row)
          end
        end
    """,
    "lib/base.rb": "class Base\n  def log(row)\n  end\nend\n",
    "lib/orders.rb": """
        class Orders
          def initialize
            @store = Store.new
          end
          def add
            @store.save(1)
            made = Store.new
            made.save(2)
            find.save(3)
          end
        end
    """,
    "test/orders_test.rb": """
        class OrdersTest
          def test_an_order_is_kept
            orders = Orders.new
            orders.add
          end
        end
    """,
}
PHP = {
    "src/Store/Store.php": r"""<?php
        namespace Shop\Store;
        class Store extends Base {
            public function save(int $row): void { $this->check($row); $this->log($row); }
            private function check(int $row): void {}
        }
    """,
    "src/Store/Base.php": "<?php namespace Shop\\Store; class Base { function log($row) {} }",
    "src/Orders.php": r"""<?php
        namespace Shop;
        use Shop\Store\Store;
        class Orders {
            public function __construct(private Store $store) {}
            public function add(?Store $extra): void {
                $this->store->save(1);
                $extra->save(2);
                $made = new Store();
                $made->save(3);
                find()->save(4);
            }
        }
    """,
    "tests/OrdersTest.php": r"""<?php
        use Shop\Orders;
        class OrdersTest {
            private Orders $orders;
            #[Test] public function anOrderIsKept(): void { $this->orders->add(null); }
        }
    """,
}


class Program(NamedTuple):
    """A small program: what calls the method `save` of its store and how often, what that calls, and the test that reaches it."""

    files: Mapping[str, str]
    save: str
    callers: Mapping[str, int]
    callees: frozenset[str]
    test: str


_BOTH = frozenset({"Store.check", "Base.log"})
PROGRAMS = {
    "rust": Program(RUST, "Store.save", {"Orders.add": 3}, frozenset({"Store.check"}), "an_order_is_kept"),
    "java": Program(JAVA, "Store.save", {"Orders.add": 3}, _BOTH, "OrdersTests.anOrderIsKept"),
    "c_sharp": Program(
        C_SHARP,
        "Store.Save",
        {"Orders.Add": 3},
        frozenset({"Store.Check", "Base.Log"}),
        "OrdersTests.An_order_is_kept",
    ),
    "ruby": Program(RUBY, "Store.save", {"Orders.add": 2}, _BOTH, "OrdersTest.test_an_order_is_kept"),
    "php": Program(PHP, "Store.save", {"Orders.add": 3}, _BOTH, "OrdersTest.anOrderIsKept"),
}


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_method_knows_its_callers_what_it_calls_and_the_tests_that_reach_it(
    language: str, built: Built
) -> None:
    files, name, callers, callees, test = PROGRAMS[language]
    registry = built(files)
    assert registry.failures == ()
    (symbol,) = registry.symbols_named(name)
    calls = [edge.caller.partition("::")[2] for edge in registry.callers(symbol.id)]
    assert {caller: calls.count(caller) for caller in calls} == callers
    assert {edge.callee.partition("::")[2] for edge in registry.callees(symbol.id)} == callees
    assert [id_.partition("::")[2] for id_ in registry.tests_reaching(symbol.id)] == [test]


def test_a_call_on_a_result_and_one_of_a_method_named_like_a_variable_are_read(built: Built) -> None:
    registry = built(
        {
            "Query.java": """
                class Query {
                    Query where(String field) { return this; }
                    Query limit(int rows) { return this; }
                    static Query query() { return new Query().where("a").limit(1); }
                    void run() { Query query = query().limit(2); }
                }
            """
        }
    )
    (limit,) = registry.symbols_named("limit")
    (query,) = registry.symbols_named("query")
    assert [edge.line for edge in registry.callers(limit.id)] == [5, 6]
    assert [edge.line for edge in registry.callers(query.id)] == [6]


def test_a_class_that_an_import_brings_from_outside_is_not_the_class_of_that_name_here(built: Built) -> None:
    registry = built(JAVA)
    (log,) = registry.symbols_named("Base.log")
    assert {edge.caller.partition("::")[2] for edge in registry.callers(log.id)} == {"Store.save"}


def test_a_name_that_two_files_define_is_unknown(built: Built) -> None:
    registry = built(
        {
            "a/Store.cs": "class Store { public void Save() {} }",
            "b/Store.cs": "class Store { public void Save() {} }",
            "c/Orders.cs": "class Orders { void Add(Store store) { store.Save(); } }",
        }
    )
    assert registry.edges == ()


@pytest.mark.parametrize("path", ["a.rs", "a.java", "a.cs", "a.rb", "a.php"])
def test_broken_sources_give_what_can_be_read(path: str) -> None:
    language = language_of(path)
    assert language is not None
    for source in (
        b"",
        b"<?php",
        b"}{ class",
        b"class A {",
        b"\xff\xfe class A { void f( { g(",
        b"impl for { fn",
    ):
        assert language.extract(source).definitions[0].kind == "module"


@pytest.mark.parametrize(
    ("hostile", "size"),
    [
        (lambda size: "#[test]\n" * size + "fn a() {}\n", 10_000),
        (lambda size: "use a::" + "{" * size + "}" * size + ";", 2_000),
        (lambda size: "fn f(" + "a: A, " * size + ") {}", 10_000),
        (lambda size: "fn f() { " + "a." * size + "b(); }", 10_000),
        (lambda size: "".join(f"fn f{n}() {{ g{n}(); A{n}::x(); }}\n" for n in range(size)), 2_000),
    ],
    ids=["attributes", "braces", "parameters", "chain", "functions"],
)
def test_a_hostile_file_of_twice_the_size_does_not_take_four_times_as_long(
    hostile: Callable[[int], str], size: int
) -> None:
    language = language_of("a.rs")
    assert language is not None
    times: list[float] = []
    with without_collector():  # as where files are extracted; it would walk what all other tests made
        for source in (hostile(size).encode(), hostile(2 * size).encode()):
            before = process_time()
            for _ in range(3):
                assert language.extract(source).definitions[0].kind == "module"
            times.append(process_time() - before)
    assert times[1] < 4 * max(times[0], 0.05)
