"""Table ``accession``."""

from germbank.storage import db


def insert(record: dict) -> None:
    db.insert("accession", record)


def all_rows() -> list[dict]:
    return db.rows("select * from accession")


def by_number(number: str) -> dict | None:
    return next(iter(db.rows("select * from accession where number = ?", number)), None)


def by_donor_ref(ref: str) -> dict | None:
    return next(iter(db.rows("select * from accession where donor_ref = ?", ref)), None)


def highest() -> int:
    return db.rows("select coalesce(max(cast(substr(number, -6) as integer)), 0) as n from accession")[0]["n"]


def set_count(number: str, count: int) -> None:
    db.rows("update accession set seed_count = ?, changed_at = current_timestamp where number = ?", count, number)
    db.connection().commit()


def set_drawer(number: str, drawer: str) -> None:
    db.rows("update accession set drawer = ?, changed_at = current_timestamp where number = ?", drawer, number)
    db.connection().commit()
