"""Files for people who work with spreadsheets."""

import csv
from collections.abc import Iterable
from pathlib import Path


def write_rows(target: Path, rows: Iterable[list[object]]) -> int:
    """Write rows into a file and say how many there were."""
    count = 0
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        for row in rows:
            writer.writerow(row)
            count += 1
    return count
