from datetime import date, datetime

from core.models import Booking, Room
from core.pricing import total_price
from core.reservations import cancellation_fee


def test_a_weekend_night_costs_a_fifth_more():
    room = Room(number="12", floor=1, night_cents=10000)
    assert total_price(room, date(2026, 5, 7), date(2026, 5, 9)) == 22000


def test_late_cancellation_costs_the_whole_stay():
    booking = Booking(arrives=date(2026, 5, 7), price_cents=22000)
    assert cancellation_fee(booking, datetime(2026, 5, 6, 12)) == 22000
    assert cancellation_fee(booking, datetime(2026, 5, 1)) == 0
