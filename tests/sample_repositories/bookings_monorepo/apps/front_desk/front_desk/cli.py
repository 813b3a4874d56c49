"""`desk`: what the night porter runs."""

from datetime import date

import typer
from sqlalchemy import select

from core.database import sessions
from core.models import Booking, JournalLine

app = typer.Typer()


@app.command()
def night_audit(day: str = date.today().isoformat()) -> None:
    """Mark guests who did not come as no-shows, and print the takings of the day."""
    today = date.fromisoformat(day)
    with sessions() as session:
        due = select(Booking).where(Booking.arrives == today, Booking.status == "confirmed")
        for booking in session.scalars(due):
            booking.status = "no-show"
            booking.fee_cents = booking.price_cents
        left = session.scalars(select(Booking).where(Booking.departs == today))
        typer.echo(f"takings: {sum(booking.price_cents for booking in left) / 100:.2f}")
        session.commit()


@app.command()
def print_journal(lines: int = 100) -> None:
    """Print the last lines of the journal."""
    with sessions() as session:
        for line in session.scalars(select(JournalLine).order_by(JournalLine.id.desc()).limit(lines)):
            typer.echo(f"{line.at:%H:%M} {line.text}")
