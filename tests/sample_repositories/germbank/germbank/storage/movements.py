"""Table ``movement``: what went where."""

from germbank.storage import db


def insert(row: dict) -> None:
    db.insert("movement", row)


def of(number: str) -> list[dict]:
    return db.rows('select * from movement where accession = ? order by "on"', number)
