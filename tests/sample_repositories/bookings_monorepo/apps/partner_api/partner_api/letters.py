"""What agencies get in writing."""

from core.models import Booking


def confirmation_text(booking: Booking) -> str:
    """The voucher an agency hands to its traveller."""
    return f"VOUCHER {booking.reference}\n{booking.guest.name}\n{booking.arrives} to {booking.departs}"
