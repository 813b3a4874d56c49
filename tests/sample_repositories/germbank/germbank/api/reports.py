"""Reports for the curators."""

from fastapi import APIRouter

from germbank.services import viability

router = APIRouter(tags=["reports"])


@router.get("/reports/viability")
def viability_report(below: float = 85.0, untested_for_days: int | None = None):
    """What ought to be grown out again soon."""
    return viability.report(below, untested_for_days)


@router.get("/health")
def health():
    return {"ok": True}
