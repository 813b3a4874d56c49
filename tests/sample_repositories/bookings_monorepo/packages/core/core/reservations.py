"""Making bookings and giving them up."""

import secrets
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.models import Booking, Guest, Room
from core.pricing import total_price

FREE_CANCELLATION = timedelta(hours=48)


class RoomTaken(Exception):
    """Somebody else has the room on one of these nights."""


def free_rooms(session: Session, arrives: date, departs: date, beds: int) -> Sequence[Room]:
    """Rooms nobody has in these nights."""
    taken = select(Booking.room_id).where(
        Booking.status != "cancelled", Booking.arrives < departs, Booking.departs > arrives
    )
    return session.scalars(select(Room).where(Room.beds >= beds, Room.id.not_in(taken))).all()


def reserve(session: Session, room: Room, guest: Guest, arrives: date, departs: date) -> Booking:
    """Book a room for a guest, at today's price."""
    if room not in free_rooms(session, arrives, departs, 1):
        raise RoomTaken(room.number)
    booking = Booking(
        reference=secrets.token_hex(4).upper(),
        room_id=room.id,
        guest_id=guest.id,
        arrives=arrives,
        departs=departs,
        price_cents=total_price(room, arrives, departs),
    )
    session.add(booking)
    session.commit()
    return booking


def cancellation_fee(booking: Booking, now: datetime) -> int:
    """Nothing until two days before arrival, then the price of the stay."""
    arrival = datetime.combine(booking.arrives, datetime.min.time())
    return 0 if now < arrival - FREE_CANCELLATION else booking.price_cents


def cancel_booking(session: Session, booking: Booking, now: datetime) -> Booking:
    """Give a booking up and fix the fee."""
    booking.fee_cents = cancellation_fee(booking, now)
    booking.status = "cancelled"
    session.commit()
    return booking
