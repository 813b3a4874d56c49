"""Tables."""

from datetime import date, datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Room(Base):
    """A room that can be booked."""

    __tablename__ = "rooms"

    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[str] = mapped_column(unique=True)
    floor: Mapped[int]
    beds: Mapped[int] = mapped_column(default=2)
    balcony: Mapped[bool] = mapped_column(default=False)
    clean: Mapped[bool] = mapped_column(default=True)
    night_cents: Mapped[int]
    notes: Mapped[str | None]


class Guest(Base):
    """Somebody who stays with us."""

    __tablename__ = "guests"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    email: Mapped[str | None]
    phone: Mapped[str | None]
    vip: Mapped[bool] = mapped_column(default=False)
    notes: Mapped[str | None]


class Booking(Base):
    """A room for some nights."""

    __tablename__ = "bookings"

    id: Mapped[int] = mapped_column(primary_key=True)
    reference: Mapped[str] = mapped_column(unique=True)
    room_id: Mapped[int] = mapped_column(ForeignKey("rooms.id"))
    guest_id: Mapped[int] = mapped_column(ForeignKey("guests.id"))
    group_id: Mapped[int | None]
    agency: Mapped[str | None]
    arrives: Mapped[date]
    departs: Mapped[date]
    status: Mapped[str] = mapped_column(default="confirmed")
    price_cents: Mapped[int]
    fee_cents: Mapped[int] = mapped_column(default=0)
    room: Mapped[Room] = relationship()
    guest: Mapped[Guest] = relationship()


class JournalLine(Base):
    """Who did what, for the accountant."""

    __tablename__ = "journal"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(default=datetime.utcnow)
    text: Mapped[str]
