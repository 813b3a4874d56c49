"""Customers, as marketing reads them."""

from pathlib import Path

from orders.exports import write_rows
from orders.models import Customer, db


def as_row(customer: Customer) -> list[object]:
    """One line of the file: name and address."""
    return [customer.name, customer.email]


def export(target: Path) -> int:
    """Write customers who are not archived into a file."""
    query = db.select(Customer).where(Customer.archived.is_(False)).order_by(Customer.name)
    return write_rows(target, (as_row(customer) for customer in db.session.scalars(query)))
