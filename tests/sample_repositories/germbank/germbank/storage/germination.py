"""Table ``germination``."""

from germbank.storage import db


def insert(row: dict) -> None:
    db.insert("germination", row)


def of(number: str) -> list[dict]:
    return db.rows("select * from germination where accession = ?", number)


def latest(number: str) -> dict | None:
    return next(iter(db.rows("select * from germination where accession = ? order by tested_on desc", number)), None)


def latest_of_all() -> list[dict]:
    return db.rows("select *, max(tested_on) from germination group by accession")
