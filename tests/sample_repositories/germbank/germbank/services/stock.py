"""How much seed there is, and where."""

from datetime import date

from germbank.config import settings
from germbank.errors import NotEnoughSeed, UnderEmbargo, UnknownAccession
from germbank.services import catalogue, notify
from germbank.storage import accessions, movements


def get(number: str) -> dict:
    row = accessions.by_number(number)
    if row is None:
        raise UnknownAccession(number)
    return row


def take_seed(number: str, seeds: int, purpose: str, who: str, break_reserve: bool = False) -> dict:
    """Takes seed out of the drawer and writes down who has it."""
    row = get(number)
    if not catalogue.may_leave(row):
        raise UnderEmbargo(number)
    left = row["seed_count"] - seeds
    if left < 0 or (left < settings.reserve and not break_reserve):
        raise NotEnoughSeed(f"{number} has {row['seed_count']} seeds")
    accessions.set_count(number, left)
    movement = {"accession": number, "seeds": -seeds, "purpose": purpose, "who": who, "on": date.today()}
    movements.insert(movement)
    if left < 2 * settings.reserve:
        notify.curators(f"{number} runs low: {left} seeds")
    return {**movement, "left": left}


def used_up(number: str, seeds: int) -> None:
    """Seeds that were sown for a test don't come back."""
    row = get(number)
    accessions.set_count(number, max(0, row["seed_count"] - seeds))


def relocate(number: str, drawer: str, who: str, moved_on: date | None) -> dict:
    """Writes down the new drawer."""
    row = get(number)
    accessions.set_drawer(number, drawer)
    movements.insert({"accession": number, "seeds": 0, "purpose": f"to {drawer}", "who": who, "on": moved_on or date.today()})
    return {**row, "drawer": drawer}
