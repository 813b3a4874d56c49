"""Bookings at the reception."""

from datetime import date, datetime

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.database import SessionDep
from core.journal import note
from core.models import Booking, Guest, Room
from core.reservations import RoomTaken, cancel_booking, reserve
from front_desk.letters import confirmation_text, farewell_text
from front_desk.settings import settings

router = APIRouter(prefix="/bookings", tags=["bookings"])


class DeskBooking(BaseModel):
    """What the reception types in."""

    room_id: int
    guest_id: int
    arrives: date
    departs: date


class RoomChange(BaseModel):
    room_id: int


def booking_or_404(session: Session, booking_id: int) -> Booking:
    booking = session.get(Booking, booking_id)
    if booking is None:
        raise HTTPException(404, f"there is no booking {booking_id}")
    return booking


@router.get("")
def list_bookings(
    session: SessionDep,
    status: str | None = None,
    guest: str | None = None,
    arriving_on: date | None = None,
    limit: int = settings.page_size,
) -> list[dict[str, object]]:
    """Bookings, the next arrivals first."""
    note(session, "desk: list bookings")
    query = select(Booking).join(Booking.guest).order_by(Booking.arrives).limit(limit)
    if status is not None:
        query = query.where(Booking.status == status)
    if guest is not None:
        query = query.where(Guest.name.ilike(f"%{guest}%"))
    if arriving_on is not None:
        query = query.where(Booking.arrives == arriving_on)
    return [{"id": one.id, "guest": one.guest.name, "room": one.room.number} for one in session.scalars(query)]


@router.post("", status_code=201)
def create_booking(body: DeskBooking, session: SessionDep) -> dict[str, str]:
    """Book a room for somebody at the counter or on the telephone."""
    note(session, "desk: create booking")
    room, guest = session.get(Room, body.room_id), session.get(Guest, body.guest_id)
    if room is None or guest is None:
        raise HTTPException(404, "unknown room or guest")
    try:
        booking = reserve(session, room, guest, body.arrives, body.departs)
    except RoomTaken as taken:
        raise HTTPException(409, f"room {taken} is taken") from taken
    return {"reference": booking.reference, "letter": confirmation_text(booking)}


@router.get("/{booking_id}")
def read_booking(booking_id: int, session: SessionDep) -> dict[str, object]:
    """One booking with its guest."""
    note(session, f"desk: read {booking_id}")
    booking = booking_or_404(session, booking_id)
    return {"id": booking.id, "reference": booking.reference, "guest": booking.guest.name}


@router.post("/{booking_id}/cancel")
def cancel(booking_id: int, session: SessionDep) -> dict[str, int]:
    """Give a booking up, as a guest asked."""
    note(session, f"desk: cancel {booking_id}")
    return {"fee_cents": cancel_booking(session, booking_or_404(session, booking_id), datetime.utcnow()).fee_cents}


@router.post("/{booking_id}/check-in")
def check_in(booking_id: int, session: SessionDep) -> dict[str, str]:
    """The guest is here."""
    note(session, f"desk: check in {booking_id}")
    booking = booking_or_404(session, booking_id)
    if not booking.room.clean:
        raise HTTPException(409, f"room {booking.room.number} is not clean")
    booking.status = "staying"
    session.commit()
    return {"status": booking.status}


@router.post("/{booking_id}/check-out")
def check_out(booking_id: int, session: SessionDep) -> dict[str, str]:
    """The guest leaves; the room waits for housekeeping."""
    note(session, f"desk: check out {booking_id}")
    booking = booking_or_404(session, booking_id)
    booking.status = "left"
    booking.room.clean = False
    session.commit()
    return {"letter": farewell_text(booking)}


@router.post("/{booking_id}/move")
def move(booking_id: int, body: RoomChange, session: SessionDep) -> dict[str, int]:
    """Give the guest another room for the same nights."""
    note(session, f"desk: move {booking_id}")
    booking = booking_or_404(session, booking_id)
    booking.room_id = body.room_id
    session.commit()
    return {"room_id": booking.room_id}
