"""Customers."""

from fastapi import APIRouter, HTTPException
from sqlmodel import Session, col, select

from app.dependencies import AccountDep, SessionDep
from app.models import Customer, Order
from app.schemas import CustomerCreate, CustomerUpdate
from app.services.audit import record

router = APIRouter(prefix="/customers", tags=["customers"])


def customer_or_404(session: Session, customer_id: int) -> Customer:
    customer = session.get(Customer, customer_id)
    if customer is None:
        raise HTTPException(404, f"there is no customer {customer_id}")
    return customer


@router.get("")
def list_customers(session: SessionDep, account: AccountDep, limit: int = 50) -> list[Customer]:
    """Customers that are not archived."""
    record(session, account, "list customers")
    query = select(Customer).where(col(Customer.archived).is_(False)).limit(limit)
    return list(session.exec(query))


@router.post("", status_code=201)
def create_customer(body: CustomerCreate, session: SessionDep, account: AccountDep) -> Customer:
    """Add a customer."""
    record(session, account, "create customer")
    customer = Customer(name=body.name, email=body.email)
    session.add(customer)
    session.commit()
    session.refresh(customer)
    return customer


@router.get("/{customer_id}")
def read_customer(customer_id: int, session: SessionDep, account: AccountDep) -> Customer:
    """One customer."""
    record(session, account, f"read customer {customer_id}")
    return customer_or_404(session, customer_id)


@router.patch("/{customer_id}")
def update_customer(customer_id: int, body: CustomerUpdate, session: SessionDep, account: AccountDep) -> Customer:
    """Change a customer."""
    record(session, account, f"update customer {customer_id}")
    customer = customer_or_404(session, customer_id)
    customer.sqlmodel_update(body.model_dump(exclude_unset=True))
    session.add(customer)
    session.commit()
    session.refresh(customer)
    return customer


@router.get("/{customer_id}/orders")
def list_customer_orders(customer_id: int, session: SessionDep, account: AccountDep) -> list[Order]:
    """Orders of one customer, the archived ones too."""
    record(session, account, f"list orders of customer {customer_id}")
    customer_or_404(session, customer_id)
    return list(session.exec(select(Order).where(Order.customer_id == customer_id)))
