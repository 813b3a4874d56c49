"""What may exist already by what a wish cites: said with its place, and never a stop."""

import pytest

from pipeline.code_registry.registry import Registry
from pipeline.stages.existing.stage import look
from tests.pipeline.conftest import Built
from tests.pipeline.stages.plan_world import issue

SHOP = {
    "shop/api.py": '''
        from fastapi import FastAPI, Header
        from pydantic import BaseModel

        app = FastAPI()

        class NewInvoice(BaseModel):
            memo: str
            customer: int

        class InvoicePatch(BaseModel):
            memo: str | None = None

        @app.get("/invoices")
        def list_invoices(unpaid: bool = False, page: int = 1):
            """The invoices, the newest first."""

        @app.get("/customers")
        def list_customers(page: int = 1):
            """The customers by name."""

        @app.get("/customers/{number}/invoices")
        def invoices_of_customer(number: int, page: int = 1):
            """What a customer has to pay."""

        @app.post("/invoices")
        def create_invoice(invoice: NewInvoice, page: int = 1, idempotency_key: str = Header()):
            """Write an invoice."""

        @app.patch("/invoices/{number}")
        def change_invoice(number: int, patch: InvoicePatch, page: int = 1):
            """Change an invoice."""

        @app.post("/invoices/{number}/cancel")
        def cancel_invoice(number: int, reason: str = "", page: int = 1):
            """Take an invoice back."""

        @app.get("/health")
        def health(page: int = 1):
            return {}
    ''',
    "shop/cli.py": '''
        import click

        @click.group()
        def cli():
            pass

        @cli.command()
        @click.option("--depot")
        def print_labels(depot):
            """Print the labels of all parcels."""

        @cli.command()
        @click.option("--skip-closed-shops", is_flag=True)
        def remind(skip_closed_shops):
            """Write to those who have not paid."""
    ''',
}


@pytest.fixture
def shop(built: Built) -> Registry:
    return built(SHOP)


def hint(registry: Registry, title: str, body: str = "", label: str = "enhancement") -> str | None:
    findings, sentence, stop = look(issue(title, body, label), registry)
    assert stop is None
    assert not findings
    return sentence


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Our load balancer", "It wants a `GET /health` that answers with 200."),
        ("Health", "Please add a route, e.g. `GET /health`, that answers with 200."),
        ("Health", "`GET /health`. Nothing more."),
        ("Only unpaid ones", "I would like to fetch the open ones: `GET /invoices?unpaid=true`."),
    ],
)
def test_a_cited_route_or_field_that_is_wished_for_may_exist(shop: Registry, title: str, body: str) -> None:
    assert hint(shop, title, body) is not None


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Customers", "Could the list of invoices be limited to unpaid ones?"),
        ("Customers", "Could `GET /customers` be limited to those with unpaid invoices?"),
        ("Late", "Could `GET /invoices` be limited to unpaid ones by `due_since`?"),
        ("Sort", "Unpaid invoices should be sorted, and `GET /invoices` must validate `unpaid`."),
        ("Rename it", "Could you rename `unpaid` of `GET /invoices`?"),
        ("Health", "`GET /health` should say which version runs."),
        ("Health", "There is a `GET /health`, and it would be nice to have it in the reference."),
        ("Health", "Change `GET /health`."),
    ],
)
def test_a_near_miss_is_not_said_to_exist(shop: Registry, title: str, body: str) -> None:
    assert hint(shop, title, body) is None


def test_a_bug_report_is_never_said_to_wish_for_what_exists(shop: Registry) -> None:
    body = "Please add a route, e.g. `GET /health`, that answers with 200."
    assert hint(shop, "Health", body, "bug") is None
    assert hint(shop, "Health", body) is not None


def test_a_symbol_that_a_title_mentions_is_no_finding(shop: Registry) -> None:
    assert hint(shop, "Add a margin to `print_labels` on the last page") is None


@pytest.mark.parametrize(
    ("title", "body", "label"),
    [
        ("Add a `print_labels` command", "", "print_labels"),
        ("Labels on paper", "Please add a function `print_labels`.", "print_labels"),
        ("Add an endpoint to cancel an invoice", "", "POST /invoices/{number}/cancel"),
        ("Add a /health endpoint", "", "GET /health"),
        ("Add a helper `print_labels` that knows A4", "", "print_labels"),
        ("Liveness", "Please add a route `/health`.", "GET /health"),
    ],
)
def test_a_thing_that_a_title_or_clause_asks_for_may_exist(
    shop: Registry, title: str, body: str, label: str
) -> None:
    inspection = look(issue(title, body, "enhancement"), shop)
    shown = [candidate.label for candidate in inspection.stop.ask.candidates] if inspection.stop else []
    assert label in (inspection.hint or "") or label in shown


@pytest.mark.parametrize(
    "title",
    [
        "Add caching to `print_labels`",
        "Add caching to /health",
        "Add a /health endpoint for the worker",
        "Add `print_labels` logging",
        "Add an endpoint to cancel an invoice by its customer",
        "Cancel an invoice",
    ],
)
def test_a_change_of_a_thing_is_not_said_to_exist(shop: Registry, title: str) -> None:
    assert hint(shop, title) is None
