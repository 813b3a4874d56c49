"""Bookings that agencies make."""

from datetime import date, datetime

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.database import SessionDep
from core.journal import note
from core.models import Booking, Guest, Room
from core.pricing import nights
from core.reservations import RoomTaken, cancel_booking, reserve
from partner_api.auth import AgencyDep
from partner_api.letters import confirmation_text
from partner_api.settings import settings

router = APIRouter(prefix="/bookings", tags=["bookings"])


class AgencyBooking(BaseModel):
    """What an agency sends."""

    room_number: str
    traveller: str
    arrives: date
    departs: date
    callback_url: str | None = None


def own_booking(session: Session, agency: str, reference: str) -> Booking:
    query = select(Booking).where(Booking.reference == reference, Booking.agency == agency)
    booking = session.scalar(query)
    if booking is None:
        raise HTTPException(404, f"you have no booking {reference}")
    return booking


@router.post("", status_code=201)
def create_booking(body: AgencyBooking, session: SessionDep, agency: AgencyDep) -> dict[str, object]:
    """Book a room for a traveller."""
    note(session, f"{agency}: create booking")
    if nights(body.arrives, body.departs) > settings.max_nights:
        raise HTTPException(422, f"at most {settings.max_nights} nights")
    room = session.scalar(select(Room).where(Room.number == body.room_number))
    if room is None:
        raise HTTPException(404, f"there is no room {body.room_number}")
    guest = Guest(name=body.traveller)
    session.add(guest)
    session.flush()
    try:
        booking = reserve(session, room, guest, body.arrives, body.departs)
    except RoomTaken as taken:
        raise HTTPException(409, f"room {taken} is taken") from taken
    booking.agency = agency
    session.commit()
    commission = booking.price_cents * settings.commission_percent // 100
    return {"reference": booking.reference, "commission_cents": commission, "voucher": confirmation_text(booking)}


@router.get("/{reference}")
def read_booking(reference: str, session: SessionDep, agency: AgencyDep) -> dict[str, object]:
    """One of the agency's own bookings."""
    note(session, f"{agency}: read {reference}")
    booking = own_booking(session, agency, reference)
    return {"reference": booking.reference, "status": booking.status, "price_cents": booking.price_cents}


@router.delete("/{reference}")
def withdraw(reference: str, session: SessionDep, agency: AgencyDep) -> dict[str, int]:
    """Give up one of the agency's own bookings."""
    note(session, f"{agency}: cancel {reference}")
    booking = own_booking(session, agency, reference)
    return {"fee_cents": cancel_booking(session, booking, datetime.utcnow()).fee_cents}
