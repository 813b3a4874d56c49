"""What the partner banks may do (mounted at ``/partner/v1``)."""

from datetime import datetime

from fastapi import APIRouter, Depends

from germbank.deps import partner_bank
from germbank.schemas import AccessionOut, Deposit, SeedRequest
from germbank.services import catalogue, intake, stock

router = APIRouter(tags=["partner"])


@router.post("/deposits", status_code=201, response_model=AccessionOut)
def deposit(body: Deposit, bank: str = Depends(partner_bank)):
    """A partner bank sends us seed for keeping."""
    return intake.register_accession(body, source=bank, sealed=body.black_box)


@router.get("/catalogue")
def shared_catalogue(
    genus: str | None = None,
    changed_since: datetime | None = None,
    bank: str = Depends(partner_bank),
):
    """What partners may see: never black boxes, never what is under embargo."""
    criteria = catalogue.Criteria(genus=genus, available=True, changed_since=changed_since)
    return {"items": catalogue.search(criteria)}


@router.post("/requests", status_code=201)
def request_seed(body: SeedRequest, bank: str = Depends(partner_bank)):
    """A partner bank asks for seed, it is taken out at once."""
    taken = stock.take_seed(body.accession, body.seeds, body.purpose, f"{bank}/{body.recipient}")
    taken["phytosanitary"] = body.phytosanitary
    return taken
