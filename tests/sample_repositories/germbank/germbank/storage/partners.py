"""Table ``partner``."""

from germbank.storage import db


def by_key(key: str) -> str | None:
    found = db.rows("select name from partner where key = ?", key)
    return found[0]["name"] if found else None
