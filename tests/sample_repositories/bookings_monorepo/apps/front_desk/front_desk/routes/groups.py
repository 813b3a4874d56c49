"""Parties that booked several rooms together."""

from datetime import datetime

from fastapi import APIRouter
from sqlalchemy import select

from core.database import SessionDep
from core.journal import note
from core.models import Booking
from core.reservations import cancel_booking

router = APIRouter(prefix="/groups", tags=["groups"])


@router.get("/{group_id}")
def read_group(group_id: int, session: SessionDep) -> list[int]:
    """The bookings of a group."""
    note(session, f"desk: read group {group_id}")
    return [booking.id for booking in session.scalars(select(Booking).where(Booking.group_id == group_id))]


@router.post("/{group_id}/cancel")
def cancel_group(group_id: int, session: SessionDep) -> dict[str, int]:
    """Give up every booking of a group, as when a wedding is called off."""
    note(session, f"desk: cancel group {group_id}")
    fees = 0
    for booking in session.scalars(select(Booking).where(Booking.group_id == group_id)):
        fees += cancel_booking(session, booking, datetime.utcnow()).fee_cents
    return {"fee_cents": fees}
