"""How seed gets into the books."""

from germbank.config import settings
from germbank.errors import BankError
from germbank.schemas import AccessionIn
from germbank.services import notify
from germbank.storage import accessions

#: fewer seeds than that are not worth a drawer
SMALLEST_LOT = 50


def check(body: AccessionIn) -> None:
    """Raises if the lot can't be taken in."""
    if body.seed_count < SMALLEST_LOT:
        raise BankError(f"{body.seed_count} seeds are too few")
    if body.donor_ref and accessions.by_donor_ref(body.donor_ref):
        raise BankError(f"{body.donor_ref} is in the books already")


def register_accession(body: AccessionIn, source: str, sealed: bool = False) -> dict:
    """Gives the lot a number and writes it into the books."""
    check(body)
    record = {
        "number": next_number(),
        "genus": body.genus.strip().capitalize(),
        "species": body.species.strip().lower(),
        "seed_count": body.seed_count,
        "collected_on": body.collected_on,
        "collector": body.collector,
        "site": body.site,
        "storage": "base" if sealed else body.storage,
        "donor_ref": body.donor_ref,
        "embargo_until": body.embargo_until,
        "source": source,
        "sealed": sealed,
    }
    accessions.insert(record)
    if sealed:
        notify.curators(f"Black box {record['number']} from {source}")
    return record


def next_number() -> str:
    """GB-000123 and so on; numbers are never used twice."""
    return f"{settings.prefix}-{accessions.highest() + 1:06d}"
