"""What a stay costs."""

from datetime import date

from core.models import Room

WEEKEND_PERCENT = 20


def nights(arrives: date, departs: date) -> int:
    """How many nights there are between two days."""
    return (departs - arrives).days


def total_price(room: Room, arrives: date, departs: date) -> int:
    """Cents for a stay; nights that begin on Friday or Saturday cost more."""
    cents = 0
    for offset in range(nights(arrives, departs)):
        weekday = date.fromordinal(arrives.toordinal() + offset).weekday()
        percent = 100 + (WEEKEND_PERCENT if weekday in (4, 5) else 0)
        cents += room.night_cents * percent // 100
    return cents
