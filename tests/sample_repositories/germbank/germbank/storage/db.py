"""The connection and the tables."""

import sqlite3
from functools import lru_cache

from germbank.config import settings

SCHEMA = """
create table if not exists accession (
  number text primary key, genus text, species text, seed_count integer,
  collected_on text, collector text, site text, storage text, donor_ref text,
  embargo_until text, source text, sealed integer, drawer text,
  changed_at text default current_timestamp
);
create table if not exists germination (
  accession text, sown integer, germinated integer, percent integer, days integer,
  temperature_c real, pretreatment text, tested_on text, origin text
);
create table if not exists movement (accession text, seeds integer, purpose text, who text, "on" text);
create table if not exists partner (name text, key text);
"""


@lru_cache
def connection() -> sqlite3.Connection:
    con = sqlite3.connect(settings.database, check_same_thread=False)
    con.row_factory = sqlite3.Row
    con.executescript(SCHEMA)
    return con


def insert(table: str, row: dict) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join("?" for _ in row)
    connection().execute(f"insert into {table} ({names}) values ({marks})", list(row.values()))
    connection().commit()


def rows(sql: str, *args) -> list[dict]:
    return [dict(row) for row in connection().execute(sql, args)]
