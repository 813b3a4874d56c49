"""What the nightly work goes by."""

import os

# Days an order may stay open before its customer is reminded of it.
REMIND_AFTER_DAYS = int(os.environ.get("ORDERS_REMIND_AFTER_DAYS", "30"))
# Days a closed order stays in the lists before it is put away.
ARCHIVE_AFTER_DAYS = int(os.environ.get("ORDERS_ARCHIVE_AFTER_DAYS", "30"))

MAIL_FROM = os.environ.get("ORDERS_MAIL_FROM", "orders@example.com")
EXPORT_FOLDER = os.environ.get("ORDERS_EXPORT_FOLDER", "exports")
