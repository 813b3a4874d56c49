"""What is done to orders while everybody sleeps."""

import smtplib
from datetime import datetime, timedelta
from email.message import EmailMessage

from orders import settings
from orders.models import Order, db


def days_ago(days: int, today: datetime) -> datetime:
    return today - timedelta(days=days)


def remind(order: Order) -> None:
    """Write to the customer of an order that is open for too long."""
    message = EmailMessage()
    message["From"], message["To"] = settings.MAIL_FROM, order.customer.email
    message["Subject"] = f"Your order {order.id}"
    message.set_content("Your order is still open. Is there anything we can do for you?")
    with smtplib.SMTP("localhost") as server:
        server.send_message(message)


def due_for_reminder(today: datetime, opened: dict[int, datetime]) -> list[Order]:
    """Open orders that are older than the installation allows."""
    limit = days_ago(settings.REMIND_AFTER_DAYS, today)
    query = db.select(Order).where(Order.status == "open", Order.archived.is_(False))
    return [order for order in db.session.scalars(query) if opened.get(order.id, today) < limit]


def put_away(today: datetime, closed: dict[int, datetime]) -> int:
    """Archive orders that have been closed for long."""
    limit = days_ago(settings.ARCHIVE_AFTER_DAYS, today)
    count = 0
    for order in db.session.scalars(db.select(Order).where(Order.status == "closed")):
        if closed.get(order.id, today) < limit:
            order.archived = True
            count += 1
    db.session.commit()
    return count
