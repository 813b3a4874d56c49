"""The bulk action that tells of each order as it goes."""

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from app import services
from app.dependencies import AccountDep, SessionDep
from app.schemas import BulkAction
from app.services.audit import record

router = APIRouter(tags=["bulk actions"])


@router.post("/actions/stream")
def stream_bulk_action(body: BulkAction, session: SessionDep, account: AccountDep) -> StreamingResponse:
    """Carry a bulk action out on many orders, streaming a line for each."""
    record(session, account, f"bulk {body.action}, streamed")
    return StreamingResponse(services.stream_actions(session, body), media_type="text/plain")
