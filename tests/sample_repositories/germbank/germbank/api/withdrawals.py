"""Seed that leaves the drawers."""

from fastapi import APIRouter

from germbank.schemas import WithdrawalIn
from germbank.services import stock

router = APIRouter(tags=["withdrawals"])


@router.post("/accessions/{number}/withdrawals", status_code=201)
def withdraw(number: str, body: WithdrawalIn):
    """A curator takes seed out of a drawer."""
    return stock.take_seed(
        number,
        body.seeds,
        body.purpose,
        body.taken_by,
        break_reserve=body.break_reserve,
    )
