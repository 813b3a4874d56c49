"""Orders."""

from flask import Blueprint, abort, request

from orders.models import Order, db
from orders.requests import require_fields

orders = Blueprint("orders", __name__, url_prefix="/orders")


def order_or_404(order_id: int) -> Order:
    return db.session.get(Order, order_id) or abort(404)


@orders.route("")
def list_orders() -> list[dict[str, object]]:
    """Orders that are not archived, a page at a time."""
    query = db.select(Order).where(Order.archived.is_(False))
    status = request.args.get("status")
    if status is not None:
        query = query.where(Order.status == status)
    query = query.limit(request.args.get("limit", 50, type=int))
    return [order.as_json() for order in db.session.scalars(query)]


@orders.route("", methods=["POST"])
def create_order() -> tuple[dict[str, object], int]:
    """Place an order; `?draft` keeps it out of the books."""
    body = request.get_json()
    require_fields(body, ("customer_id", "total_cents"))
    order = Order(customer_id=body["customer_id"], total_cents=body["total_cents"], note=body.get("note"))
    if "draft" in request.args:
        order.status = "draft"
    db.session.add(order)
    db.session.commit()
    return order.as_json(), 201


@orders.route("/<int:order_id>", methods=["GET", "DELETE"])
def one_order(order_id: int) -> dict[str, object]:
    """One order, read or put away."""
    order = order_or_404(order_id)
    if request.method == "DELETE":
        order.archived = True
        db.session.commit()
    return order.as_json()
