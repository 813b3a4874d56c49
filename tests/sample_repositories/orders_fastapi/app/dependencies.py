"""What every route needs: the session, and the account behind the API key."""

from typing import Annotated

from fastapi import Depends, Header, HTTPException
from sqlmodel import Session

from app.database import get_session
from app.settings import settings

SessionDep = Annotated[Session, Depends(get_session)]


def current_account(x_api_key: Annotated[str, Header()]) -> str:
    """The account that an API key belongs to; every route asks for it."""
    if x_api_key not in settings.api_keys:
        raise HTTPException(401, "unknown API key")
    return x_api_key[:8]


AccountDep = Annotated[str, Depends(current_account)]
