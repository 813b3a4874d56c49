"""One order at a time."""

from sqlmodel import Session

from app.models import Order


class ItemRefused(Exception):
    """The order is not in a state in which the action makes sense."""


def process_item(session: Session, order_id: int, action: str, reason: str) -> Order:
    """Carry one action out on one order."""
    order = session.get(Order, order_id)
    if order is None:
        raise ItemRefused(f"there is no order {order_id}")
    if action == "archive":
        order.archived = True
    elif action == "close":
        order.status = "closed"
    else:
        order.status = "refunded"
    order.note = reason
    session.add(order)
    return order
