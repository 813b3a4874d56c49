"""What agencies can sell."""

from datetime import date

from fastapi import APIRouter
from sqlalchemy import select

from core.database import SessionDep
from core.journal import note
from core.models import Room
from core.pricing import total_price
from core.reservations import free_rooms
from partner_api.auth import AgencyDep

router = APIRouter(tags=["catalogue"])


@router.get("/rooms")
def list_rooms(session: SessionDep, agency: AgencyDep, beds: int = 1) -> list[dict[str, object]]:
    """Every room an agency may offer, without prices."""
    note(session, f"{agency}: list rooms")
    rooms = session.scalars(select(Room).where(Room.beds >= beds).order_by(Room.number))
    return [{"number": room.number, "beds": room.beds} for room in rooms]


@router.get("/availability")
def availability(
    session: SessionDep, agency: AgencyDep, arrives: date, departs: date, beds: int = 1
) -> list[dict[str, object]]:
    """Rooms that are free in these nights, with their price."""
    note(session, f"{agency}: availability")
    rooms = free_rooms(session, arrives, departs, beds)
    return [{"number": room.number, "price_cents": total_price(room, arrives, departs)} for room in rooms]
