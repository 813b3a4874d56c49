"""Orders."""

from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query

from app.dependencies import AccountDep, SessionDep
from app.models import Order
from app.schemas import OrderCreate, OrderUpdate
from app.services.audit import record
from app.services.orders import OrderStore
from app.settings import settings

router = APIRouter(prefix="/orders", tags=["orders"])


def found(store: OrderStore, order_id: int) -> Order:
    order = store.get(order_id)
    if order is None:
        raise HTTPException(404, f"there is no order {order_id}")
    return order


@router.get("")
def list_orders(
    session: SessionDep,
    account: AccountDep,
    status: str | None = None,
    limit: Annotated[int, Query(le=500)] = settings.page_size,
    offset: int = 0,
) -> list[Order]:
    """Orders that are not archived, a page at a time."""
    record(session, account, "list orders")
    return list(OrderStore(session).find(status=status, limit=limit, offset=offset))


@router.post("", status_code=201)
def create_order(
    body: OrderCreate,
    session: SessionDep,
    account: AccountDep,
    idempotency_key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
) -> Order:
    """Place an order; the same key twice gives the same order."""
    record(session, account, "create order")
    return OrderStore(session).create(body, idempotency_key)


@router.get("/{order_id}")
def read_order(order_id: int, session: SessionDep, account: AccountDep) -> Order:
    """One order."""
    record(session, account, f"read order {order_id}")
    return found(OrderStore(session), order_id)


@router.patch("/{order_id}")
def update_order(order_id: int, body: OrderUpdate, session: SessionDep, account: AccountDep) -> Order:
    """Change an order."""
    record(session, account, f"update order {order_id}")
    store = OrderStore(session)
    return store.update(found(store, order_id), body)


@router.post("/{order_id}/archive")
def archive_order(order_id: int, session: SessionDep, account: AccountDep) -> Order:
    """Put an order away."""
    record(session, account, f"archive order {order_id}")
    store = OrderStore(session)
    order = found(store, order_id)
    order.archived = True
    return store.save(order)


@router.post("/{order_id}/restore")
def restore_order(order_id: int, session: SessionDep, account: AccountDep) -> Order:
    """Take an order out of the archive."""
    record(session, account, f"restore order {order_id}")
    store = OrderStore(session)
    order = found(store, order_id)
    order.archived = False
    return store.save(order)
