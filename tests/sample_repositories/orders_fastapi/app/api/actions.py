"""The bulk action that answers when all is done."""

from fastapi import APIRouter

from app.dependencies import AccountDep, SessionDep
from app.schemas import BulkAction
from app.services import run_actions
from app.services.audit import record

router = APIRouter(prefix="/actions", tags=["bulk actions"])


@router.post("")
def bulk_action(body: BulkAction, session: SessionDep, account: AccountDep) -> dict[str, list[int]]:
    """Carry a bulk action out on many orders, and answer with the result of all."""
    record(session, account, f"bulk {body.action}")
    return run_actions(session, body)
