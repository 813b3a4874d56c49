"""What guests get in writing."""

from core.models import Booking
from front_desk.settings import settings


def confirmation_text(booking: Booking) -> str:
    """The letter a guest gets after booking at the reception or by telephone."""
    return (
        f"Dear {booking.guest.name}, {settings.hotel_name} expects you on {booking.arrives}.\n"
        f"Your reference: {booking.reference}"
    )


def farewell_text(booking: Booking) -> str:
    """What is printed at check-out."""
    return f"Thank you, {booking.guest.name}. You paid {booking.price_cents / 100:.2f}."
