"""One order at a time."""

from orders.models import Order, db


class ItemRefused(Exception):
    """The order is not in a state in which the action makes sense."""


def process_item(order_id: int, action: str, reason: str) -> Order:
    """Carry one action out on one order."""
    order = db.session.get(Order, order_id)
    if order is None:
        raise ItemRefused(f"there is no order {order_id}")
    if action == "archive":
        order.archived = True
    else:
        order.status = "closed" if action == "close" else "refunded"
    order.note = reason
    return order
