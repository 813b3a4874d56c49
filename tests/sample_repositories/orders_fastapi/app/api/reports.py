"""Numbers for the back office."""

from fastapi import APIRouter
from sqlmodel import func, select

from app.dependencies import AccountDep, SessionDep
from app.models import Order
from app.services.audit import record

router = APIRouter(tags=["reports"])


@router.get("/revenue")
def revenue(session: SessionDep, account: AccountDep) -> dict[str, int]:
    """Sum of all paid orders."""
    record(session, account, "report revenue")
    query = select(func.sum(Order.total_cents)).where(Order.status == "paid")
    return {"total_cents": session.exec(query).one() or 0}


@router.get("/open-orders")
def open_orders(session: SessionDep, account: AccountDep) -> dict[str, int]:
    """How many orders are open."""
    record(session, account, "report open orders")
    query = select(func.count()).select_from(Order).where(Order.status == "open")
    return {"count": session.exec(query).one()}
