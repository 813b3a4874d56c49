"""Mail to the curators."""

import smtplib
from email.message import EmailMessage

from germbank.config import settings


def curators(text: str) -> None:
    """Sends a line to the curators, if there is an address."""
    if not settings.curators:
        return
    mail = EmailMessage()
    mail["To"] = settings.curators
    mail["Subject"] = f"[germbank] {text}"
    mail.set_content(text)
    with smtplib.SMTP(settings.smtp_host) as smtp:
        smtp.send_message(mail)
