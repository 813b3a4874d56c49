"""`partner`: what runs by hand."""

import typer
from sqlalchemy import select

from core.database import sessions
from core.models import Booking
from partner_api.settings import settings

app = typer.Typer()


@app.command()
def commissions(agency: str, year: int) -> None:
    """Print what an agency has earned in a year."""
    with sessions() as session:
        sold = session.scalars(select(Booking).where(Booking.agency == agency, Booking.status == "left"))
        cents = sum(booking.price_cents for booking in sold if booking.departs.year == year)
        typer.echo(f"{agency}: {cents * settings.commission_percent / 10000:.2f}")
