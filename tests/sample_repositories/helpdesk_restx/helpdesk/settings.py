"""What an installation sets, with the values that suit most."""

import os

DATABASE_URL = os.environ.get("HELPDESK_DATABASE_URL", "sqlite:///helpdesk.db")

# Seconds to wait for the mail server before a message goes back to the outbox.
MAIL_TIMEOUT = int(os.environ.get("HELPDESK_MAIL_TIMEOUT", "10"))
# Seconds to wait for a subscriber of our webhooks.
WEBHOOK_TIMEOUT = int(os.environ.get("HELPDESK_WEBHOOK_TIMEOUT", "10"))

WEBHOOK_URLS = [url for url in os.environ.get("HELPDESK_WEBHOOK_URLS", "").split(",") if url]
PAGE_SIZE = 50

# Hours until the first answer is due, by priority.
DUE_HOURS = {"urgent": 2, "high": 8, "normal": 24, "low": 72}
