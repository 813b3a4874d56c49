"""Accessions: take in, look up, move."""

from fastapi import APIRouter, Query

from germbank.schemas import AccessionIn, AccessionOut, Relocation
from germbank.services import catalogue, intake, stock, viability

router = APIRouter(prefix="/accessions", tags=["accessions"])


@router.post("", status_code=201, response_model=AccessionOut)
def create_accession(body: AccessionIn):
    """Takes in one lot of seed from the front desk form."""
    return intake.register_accession(body, source="desk")


@router.get("")
def list_accessions(
    q: str | None = None,
    genus: str | None = None,
    storage: str | None = None,
    available: bool = Query(False, description="Only what may be handed out today"),
    sort: str = Query("number", pattern="^-?(number|genus|seed_count|collected_on)$"),
    limit: int = Query(50, le=500),
    offset: int = 0,
):
    """The catalogue, page by page."""
    criteria = catalogue.Criteria(q=q, genus=genus, storage=storage, available=available)
    found = catalogue.search(criteria, sort=sort)
    return {"total": len(found), "items": found[offset : offset + limit]}


@router.get("/{number}")
def get_accession(number: str, with_tests: bool = False):
    """One accession, on request with its germination tests."""
    record = stock.get(number)
    if with_tests:
        record["tests"] = viability.history(number)
    return record


@router.post("/{number}/relocate")
def relocate_accession(number: str, body: Relocation):
    """The packets went to another drawer."""
    return stock.relocate(number, body.drawer, body.moved_by, body.moved_on)
