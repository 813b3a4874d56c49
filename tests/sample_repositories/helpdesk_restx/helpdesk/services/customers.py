"""Customers: finding, joining."""

from helpdesk import settings
from helpdesk.models import Case, Customer, db


def search(words: str | None, page: int) -> list[Customer]:
    """Customers whose name, address or company holds the words."""
    query = db.select(Customer).where(Customer.merged_into.is_(None)).order_by(Customer.name)
    if words:
        like = f"%{words}%"
        query = query.where(
            Customer.name.ilike(like) | Customer.email.ilike(like) | Customer.company.ilike(like)
        )
    query = query.offset((page - 1) * settings.PAGE_SIZE).limit(settings.PAGE_SIZE)
    return list(db.session.scalars(query))


def known_or_new(email: str, name: str) -> Customer:
    """The customer with this address, added where nobody has it."""
    customer = db.session.scalar(db.select(Customer).where(Customer.email == email))
    if customer is None:
        customer = Customer(email=email, name=name)
        db.session.add(customer)
        db.session.commit()
    return customer


def merge(kept: Customer, dropped: Customer) -> Customer:
    """Hand every case of one customer to another."""
    for case in db.session.scalars(db.select(Case).where(Case.customer_id == dropped.id)):
        case.customer_id = kept.id
    dropped.merged_into = kept.id
    db.session.commit()
    return kept
