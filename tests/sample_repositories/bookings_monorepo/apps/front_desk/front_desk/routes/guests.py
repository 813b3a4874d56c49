"""Guests."""

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel
from sqlalchemy import select

from core.database import SessionDep
from core.journal import note
from core.models import Guest

router = APIRouter(prefix="/guests", tags=["guests"])


class GuestChanges(BaseModel):
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    notes: str | None = None


@router.get("")
def list_guests(session: SessionDep, vip: bool | None = None) -> list[dict[str, object]]:
    """Everybody who ever stayed."""
    note(session, "desk: list guests")
    query = select(Guest).order_by(Guest.name)
    if vip is not None:
        query = query.where(Guest.vip.is_(vip))
    return [{"id": guest.id, "name": guest.name} for guest in session.scalars(query)]


@router.patch("/{guest_id}")
def update_guest(guest_id: int, body: GuestChanges, session: SessionDep) -> dict[str, int]:
    """Correct what we know of a guest."""
    note(session, f"desk: update guest {guest_id}")
    guest = session.get(Guest, guest_id)
    if guest is None:
        raise HTTPException(404, f"there is no guest {guest_id}")
    for name, value in body.model_dump(exclude_unset=True).items():
        setattr(guest, name, value)
    session.commit()
    return {"id": guest.id}
