"""Looking for seed."""

from dataclasses import dataclass
from datetime import date, datetime

from germbank.storage import accessions


@dataclass
class Criteria:
    q: str | None = None
    genus: str | None = None
    storage: str | None = None
    available: bool = False
    changed_since: datetime | None = None


def search(criteria: Criteria, sort: str = "number") -> list[dict]:
    """All accessions that meet the criteria."""
    found = [row for row in accessions.all_rows() if _matches(row, criteria)]
    key = sort.lstrip("-")
    found.sort(key=lambda row: (row[key] is None, row[key]), reverse=sort.startswith("-"))
    return found


def _matches(row: dict, criteria: Criteria) -> bool:
    if criteria.genus and row["genus"] != criteria.genus:
        return False
    if criteria.storage and row["storage"] != criteria.storage:
        return False
    if criteria.q and criteria.q.lower() not in f"{row['genus']} {row['species']} {row['site'] or ''}".lower():
        return False
    if criteria.changed_since and row["changed_at"] < criteria.changed_since.isoformat():
        return False
    return not criteria.available or may_leave(row)


def may_leave(row: dict) -> bool:
    """Neither sealed, nor under embargo, nor empty."""
    if row["sealed"] or row["seed_count"] == 0:
        return False
    until = row["embargo_until"]
    return until is None or date.fromisoformat(str(until)) <= date.today()
