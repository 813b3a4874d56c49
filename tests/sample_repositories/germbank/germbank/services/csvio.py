"""Reads and writes spreadsheets."""

import csv
import io
from collections.abc import Iterator

from germbank.errors import BadRow
from germbank.schemas import AccessionIn

NEEDED = ("genus", "species", "seed_count")


def read_rows(text: str, delimiter: str = ",") -> Iterator[tuple[int, dict]]:
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    for line, row in enumerate(reader, start=2):
        yield line, {key.strip().lower(): value.strip() for key, value in row.items() if key and value}


def to_accession(row: dict) -> AccessionIn:
    missing = [name for name in NEEDED if not row.get(name)]
    if missing:
        raise BadRow("missing: " + ", ".join(missing))
    known = {key: value for key, value in row.items() if key in AccessionIn.model_fields}
    return AccessionIn(**known)


def write_rows(rows: list[dict], columns: list[str]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
