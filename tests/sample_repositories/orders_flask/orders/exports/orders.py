"""Orders, as accounting reads them."""

from pathlib import Path

from orders.exports import write_rows
from orders.models import Order, db


def as_row(order: Order) -> list[object]:
    """One line of the file: number, customer, status, money."""
    return [order.id, order.customer.name, order.status, f"{order.total_cents / 100:.2f}"]


def export(target: Path, status: str | None = None) -> int:
    """Write orders into a file, of one status if one is given."""
    query = db.select(Order).order_by(Order.id)
    if status is not None:
        query = query.where(Order.status == status)
    return write_rows(target, (as_row(order) for order in db.session.scalars(query)))
