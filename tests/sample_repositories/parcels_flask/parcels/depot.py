"""Parcels and where they are."""

from dataclasses import dataclass, field


@dataclass
class Depot:
    """The state of each parcel, by its number."""

    states: dict[int, str] = field(default_factory=dict)
