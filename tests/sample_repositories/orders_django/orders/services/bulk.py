"""Actions on many orders at once."""

from collections.abc import Iterator

from orders.models import Order
from orders.services.items import process_item


class BulkAction:
    """One action on many orders."""

    def __init__(self, action: str, order_ids: list[int], reason: str = "") -> None:
        self.action = action
        self.order_ids = order_ids
        self.reason = reason

    def run(self) -> dict[int, str]:
        """Carry it out; the result of each."""
        return {order.pk: process_item(order, self.action, self.reason) for order in self._orders()}

    def stream(self) -> Iterator[str]:
        """Carry it out; a line for each."""
        for order in self._orders():
            yield f"{order.pk} {process_item(order, self.action, self.reason)}\n"

    def _orders(self) -> list[Order]:
        return list(Order.objects.filter(pk__in=self.order_ids))


def close_all(customer_id: str, reason: str) -> int:
    """Close every order of a customer; how many there were."""
    orders = Order.objects.filter(customer_id=customer_id)
    for order in orders:
        process_item(order, "close", reason)
    return len(orders)
