"""Germination tests, by hand and from the counting camera."""

from fastapi import APIRouter

from germbank.errors import BankError
from germbank.schemas import TestIn, Tray
from germbank.services import viability

router = APIRouter(tags=["germination"])


@router.post("/accessions/{number}/germination-tests", status_code=201)
def add_test(number: str, body: TestIn):
    """A result that somebody in the lab typed in."""
    return viability.record_test(number, body)


@router.post("/germination-tests/tray")
def add_tray(body: Tray):
    """A whole tray at once, as the camera counted it."""
    results = []
    for cell in body.cells:
        try:
            results.append(viability.record_test(cell.accession, cell, origin=cell.cell))
        except BankError as exc:
            if body.stop_on_error:
                raise
            results.append({"accession": cell.accession, "error": exc.code})
    return {"results": results}
