"""Customers."""

from flask import Blueprint, abort, request

from orders.models import Customer, db

customers = Blueprint("customers", __name__)


@customers.get("")
def list_customers() -> list[dict[str, object]]:
    """Customers that are not archived."""
    query = db.select(Customer).where(Customer.archived.is_(False))
    return [customer.as_json() for customer in db.session.scalars(query)]


@customers.patch("/<int:customer_id>")
def update_customer(customer_id: int) -> dict[str, object]:
    """Change a customer: whatever the body names."""
    customer = db.session.get(Customer, customer_id) or abort(404)
    changes = request.get_json()
    for name, value in changes.items():
        setattr(customer, name, value)
    db.session.commit()
    return customer.as_json()
