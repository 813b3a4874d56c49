"""Telling people and programs."""

import smtplib
from email.message import EmailMessage

import requests

from helpdesk import settings


def mail(to: str, subject: str, body: str) -> None:
    """Send a message to one person."""
    message = EmailMessage()
    message["To"], message["Subject"] = to, subject
    message.set_content(body)
    with smtplib.SMTP("localhost", timeout=settings.MAIL_TIMEOUT) as server:
        server.send_message(message)


def publish(event: str, payload: dict[str, object]) -> None:
    """Tell everybody who listens to our webhooks."""
    for url in settings.WEBHOOK_URLS:
        requests.post(url, json={"event": event, **payload}, timeout=settings.WEBHOOK_TIMEOUT)
