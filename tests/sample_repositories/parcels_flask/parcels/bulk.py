"""One action on many parcels."""

from collections.abc import Iterator

from parcels.depot import Depot

STATES = {"dispatch": "on its way", "return": "returned"}


def process_parcel(depot: Depot, number: int, action: str) -> str:
    """Carry one action out on one parcel, and say what became of it."""
    if number not in depot.states:
        return "unknown"
    depot.states[number] = STATES[action]
    return STATES[action]


def process_all(depot: Depot, numbers: list[int], action: str) -> dict[int, str]:
    return {number: process_parcel(depot, number, action) for number in numbers}


def process_each(depot: Depot, numbers: list[int], action: str) -> Iterator[str]:
    for number in numbers:
        yield f"{number} {process_parcel(depot, number, action)}\n"
