"""One action on many orders, at once or one after the other."""

from collections.abc import Iterator

from orders.models import db
from orders.services import items


class BulkAction:
    """An action and the orders it is meant for."""

    def __init__(self, action: str, order_ids: list[int], reason: str) -> None:
        self.action = action
        self.order_ids = order_ids
        self.reason = reason

    def run(self) -> dict[str, list[int]]:
        done, refused = [], []
        for order_id in self.order_ids:
            try:
                done.append(self._one(order_id))
            except items.ItemRefused:
                refused.append(order_id)
        db.session.commit()
        return {"done": done, "refused": refused}

    def stream(self) -> Iterator[str]:
        for order_id in self.order_ids:
            try:
                yield f"{self._one(order_id)} done\n"
            except items.ItemRefused as refusal:
                yield f"{order_id} refused: {refusal}\n"
        db.session.commit()

    def _one(self, order_id: int) -> int:
        return items.process_item(order_id, self.action, self.reason).id
