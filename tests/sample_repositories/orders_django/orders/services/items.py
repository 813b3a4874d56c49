"""What happens to one order."""

from orders.models import Order


def process_item(order: Order, action: str, reason: str) -> str:
    """Close or archive one order."""
    if action == "archive":
        order.archived = True
    else:
        order.status = "closed"
        order.note = reason
    order.save()
    return order.status
