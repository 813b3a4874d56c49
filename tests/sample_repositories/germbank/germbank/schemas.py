"""What the requests and the answers look like."""

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field


class AccessionIn(BaseModel):
    genus: str
    species: str
    seed_count: int = Field(gt=0)
    collected_on: date | None = None
    collector: str | None = None
    site: str | None = Field(None, description="Where it was collected, in words")
    storage: Literal["base", "active"] = "active"
    donor_ref: str | None = Field(None, description="The number the seed has at the giver's")
    embargo_until: date | None = Field(None, description="Nothing is handed out before this day")


class Deposit(AccessionIn):
    """Seed that a partner bank sends us for keeping."""

    donor_ref: str
    black_box: bool = Field(False, description="Sealed: we keep it and never open it")


class AccessionOut(BaseModel):
    number: str
    genus: str
    species: str
    seed_count: int
    storage: str
    drawer: str | None = None


class TestIn(BaseModel):
    sown: int = Field(gt=0)
    germinated: int = Field(ge=0)
    days: int = 21
    temperature_c: float | None = None
    pretreatment: str | None = None
    tested_on: date | None = Field(None, description="Day of the count; today if left out")


class TrayCell(TestIn):
    accession: str
    cell: str | None = None


class Tray(BaseModel):
    """All cells of a tray, as the counting camera sends them."""

    cells: list[TrayCell]
    stop_on_error: bool = False


class WithdrawalIn(BaseModel):
    seeds: int = Field(gt=0)
    purpose: Literal["regeneration", "research", "display"]
    taken_by: str
    break_reserve: bool = Field(False, description="May go below the reserve of the house")


class SeedRequest(BaseModel):
    """A partner bank asks for some of our seed."""

    accession: str
    seeds: int = Field(gt=0)
    purpose: Literal["regeneration", "research"] = "research"
    recipient: str
    phytosanitary: bool = Field(False, description="Certificate for the border is needed")


class Relocation(BaseModel):
    drawer: str
    moved_by: str
    moved_on: date | None = None


class LabelSheet(BaseModel):
    accessions: list[str]
    size: Literal["packet", "drawer"] = "packet"
    start_at: int = Field(1, ge=1, le=24, description="First free sticker on the sheet")
