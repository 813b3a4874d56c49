"""The sample services and their tables: what the frameworks themselves say about them at run time."""

from pathlib import Path

import orjson
import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from tests.pipeline.trusted_sources import build_registry

SAMPLES = Path("tests/sample_repositories")
SERVICES = ["orders_django", "orders_fastapi", "orders_flask", "status_starlette", "stock_aiohttp"]


def registry_of(name: str) -> Registry:
    return build_registry(SAMPLES / name, cache=None)


@pytest.mark.parametrize("name", SERVICES)
def test_every_route_is_found_with_its_handler_and_its_fields(name: str) -> None:
    expected = orjson.loads((SAMPLES / f"{name}.routes.json").read_bytes())["routes"]
    found = [
        {
            "method": route.method,
            "path": route.path,
            "handler": route.handler_name,
            "at": str(route.place),
            "fields": None if route.body_fields is None else sorted(route.body_fields),
            "query": sorted(route.query_fields),
        }
        for route in registry_of(name).routes
    ]
    assert found == expected


def test_two_routes_reach_the_leaf_with_equal_bodies() -> None:
    entries = registry_of("orders_fastapi").entry_routes("symbol:app/services/items.py::process_item")
    assert [(entry.route.label, entry.route.body_field_count, entry.chain) for entry in entries] == snapshot(
        [
            (
                "POST /actions",
                3,
                (
                    "symbol:app/api/actions.py::bulk_action",
                    "symbol:app/services/bulk.py::run_actions",
                    "symbol:app/services/items.py::process_item",
                ),
            ),
            (
                "POST /actions/stream",
                3,
                (
                    "symbol:app/api/stream.py::stream_bulk_action",
                    "symbol:app/services/bulk.py::stream_actions",
                    "symbol:app/services/items.py::process_item",
                ),
            ),
        ]
    )


def test_methods_of_a_local_object_lead_to_the_leaf_too() -> None:
    entries = registry_of("orders_flask").entry_routes("symbol:orders/services/items.py::process_item")
    assert [entry.route.label for entry in entries] == ["POST /api/v1/actions", "POST /api/v1/actions/stream"]


def test_a_management_command_declares_its_options_and_settings_are_keys() -> None:
    registry = registry_of("orders_django")
    assert [option.id for option in registry.options] == snapshot(
        ["option:orders/management/commands/archive_orders.py::Command.add_arguments--older-than"]
    )
    assert registry.get("config:ORDERS_PAGE_SIZE") is not None
    assert registry.get("config:ORDERS_SECRET_KEY") is not None


def test_functions_and_sets_of_views_of_django_lead_to_the_leaf() -> None:
    registry = registry_of("orders_django")
    leaf = "symbol:orders/services/items.py::process_item"
    assert [entry.route.label for entry in registry.entry_routes(leaf)] == snapshot(
        ["POST /api/v1/actions", "POST /api/v1/actions/stream", "POST /api/v1/customers/<pk>/close-orders/"]
    )
    assert registry.tests_reaching(leaf) == (
        "symbol:tests/test_actions.py::test_the_bulk_action_closes_orders",
    )


def test_a_helper_of_every_route_is_a_hub_and_the_leaf_is_not() -> None:
    registry = registry_of("orders_fastapi")
    assert registry.is_hub("symbol:app/services/audit.py::record")
    assert registry.is_hub("symbol:app/database.py::get_session")
    assert not registry.is_hub("symbol:app/services/items.py::process_item")


def test_tests_reach_the_leaf_by_calls_and_by_requests() -> None:
    reaching = registry_of("orders_fastapi").tests_reaching("symbol:app/services/items.py::process_item")
    assert reaching == snapshot(
        (
            "symbol:tests/test_actions.py::test_archiving_an_item_keeps_its_status",
            "symbol:tests/test_actions.py::test_the_bulk_action_closes_orders",
            "symbol:tests/test_actions.py::test_the_stream_says_what_became_of_each_order",
        )
    )


def test_a_field_of_two_tables_is_found_in_both() -> None:
    fields = registry_of("orders_fastapi").fields_named("archived")
    assert [field.id for field in fields if field.kind.value == "table"] == snapshot(
        ["field:app/models.py::Customer.archived", "field:app/models.py::Order.archived"]
    )


def test_settings_options_and_headers_are_known() -> None:
    registry = registry_of("orders_fastapi")
    assert [option.id for option in registry.options] == ["option:app/archive.py::main--older-than"]
    assert registry.get("config:page_size") is not None
    assert [f.name for f in registry.fields_of("route:POST /orders") if f.kind.value == "header"] == snapshot(
        ["Idempotency-Key", "x-api-key"]
    )
    assert registry_of("orders_flask").get("config:ORDERS_DATABASE_URL") is not None


def test_the_tail_of_a_path_selects_a_route_word_for_word_before_parameters() -> None:
    registry = registry_of("orders_fastapi")
    assert [r.label for r in registry.routes_by_tail("GET", "/orders?status=open")] == ["GET /orders"]
    assert [r.label for r in registry.routes_by_tail("GET", "/revenue")] == ["GET /reports/revenue"]
    flask = registry_of("orders_flask")
    assert [r.label for r in flask.routes_by_tail("POST", "/actions")] == ["POST /api/v1/actions"]
    assert [r.label for r in registry.routes_at("GET", "/orders/17")] == ["GET /orders/{order_id}"]
    assert [r.label for r in registry.routes_by_tail(None, "/actions/stream")] == ["POST /actions/stream"]
    assert registry.routes_at("DELETE", "/orders") == ()


def test_a_tail_of_nothing_but_a_parameter_is_no_route_that_a_word_with_a_slash_names() -> None:
    registry = registry_of("parcels_flask")
    assert "GET /parcels/<int:number>" in [route.label for route in registry.routes]
    assert registry.routes_by_tail(None, "/approve") == ()
    assert [r.label for r in registry.routes_by_tail("GET", "/parcels/7")] == ["GET /parcels/<int:number>"]


def test_near_names_forgive_case_and_plural_and_keep_ties() -> None:
    registry = registry_of("orders_fastapi")
    assert [entry.id for entry in registry.near("processItems")] == [
        "symbol:app/services/items.py::process_item"
    ]
    assert {entry.id for entry in registry.near("archives")} >= {
        "field:app/models.py::Customer.archived",
        "field:app/models.py::Order.archived",
    }
    assert registry.near("zzzz") == ()
