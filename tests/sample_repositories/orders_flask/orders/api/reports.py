"""Numbers for the back office."""

from flask.views import MethodView

from orders.models import Order, db


class Report(MethodView):
    """A report about some orders."""

    def orders_of(self, status: str) -> list[Order]:
        return list(db.session.scalars(db.select(Order).where(Order.status == status)))


class RevenueReport(Report):
    def get(self) -> dict[str, int]:
        """Sum of all paid orders."""
        return {"total_cents": sum(order.total_cents for order in self.orders_of("paid"))}


class StatusReport(Report):
    def get(self, status: str) -> dict[str, int]:
        """How many orders have a status."""
        return {"count": len(self.orders_of(status))}
