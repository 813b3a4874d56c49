"""Which agency is calling."""

from typing import Annotated

from fastapi import Depends, Header, HTTPException

AGENCIES = {"k-harbour": "Harbour Travel", "k-north": "North Tours"}


def calling_agency(x_agency_key: Annotated[str, Header()]) -> str:
    if x_agency_key not in AGENCIES:
        raise HTTPException(401, "unknown agency")
    return AGENCIES[x_agency_key]


AgencyDep = Annotated[str, Depends(calling_agency)]
