"""FastAPI dependencies."""

from fastapi import Header, HTTPException

from germbank.storage import partners


def partner_bank(x_partner_key: str = Header(...)) -> str:
    """The name of the partner bank that owns the key."""
    name = partners.by_key(x_partner_key)
    if name is None:
        raise HTTPException(401, "unknown partner key")
    return name
