"""`orders-admin`: exports, for the people in the office."""

from pathlib import Path

import click

from orders import create_app, settings
from orders.exports import customers, orders


@click.group()
def admin() -> None:
    """Look after the orders service."""


@admin.command("export-orders")
@click.option("--status", default=None, help="Only orders in this status.")
def export_orders(status: str | None) -> None:
    """Write the file for accounting."""
    with create_app().app_context():
        click.echo(orders.export(Path(settings.EXPORT_FOLDER) / "orders.csv", status))


@admin.command("export-customers")
def export_customers() -> None:
    """Write the file for marketing."""
    with create_app().app_context():
        click.echo(customers.export(Path(settings.EXPORT_FOLDER) / "customers.csv"))
