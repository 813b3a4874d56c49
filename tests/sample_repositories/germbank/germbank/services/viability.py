"""Germination tests and what follows from them."""

from datetime import date, timedelta

from germbank.errors import BankError
from germbank.schemas import TestIn
from germbank.services import notify, stock
from germbank.storage import germination

#: a drop of that many points since the last test rings the bell
ALARMING_DROP = 15.0


def record_test(number: str, test: TestIn, origin: str | None = None) -> dict:
    """Books a test and works out the percentage."""
    stock.get(number)
    if test.germinated > test.sown:
        raise BankError("more seedlings than seeds")
    percent = round(100 * test.germinated / test.sown)
    last = germination.latest(number)
    row = {
        "accession": number,
        "sown": test.sown,
        "germinated": test.germinated,
        "percent": percent,
        "days": test.days,
        "temperature_c": test.temperature_c,
        "pretreatment": test.pretreatment,
        "tested_on": test.tested_on or date.today(),
        "origin": origin,
    }
    germination.insert(row)
    stock.used_up(number, test.sown)
    if last and last["percent"] - percent >= ALARMING_DROP:
        notify.curators(f"{number} fell from {last['percent']} to {percent} %")
    return row


def history(number: str) -> list[dict]:
    """All tests of an accession, newest first."""
    return sorted(germination.of(number), key=lambda row: row["tested_on"], reverse=True)


def report(below: float, untested_for_days: int | None) -> list[dict]:
    """Accessions that germinate badly or were not tested for long."""
    limit = date.today() - timedelta(days=untested_for_days) if untested_for_days else None
    rows = []
    for row in germination.latest_of_all():
        stale = limit is not None and date.fromisoformat(str(row["tested_on"])) < limit
        if row["percent"] < below or stale:
            rows.append({**row, "stale": stale})
    return rows
