"""Rooms, as housekeeping and reception see them."""

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel
from sqlalchemy import select

from core.database import SessionDep
from core.journal import note
from core.models import Room

router = APIRouter(prefix="/rooms", tags=["rooms"])


class RoomChanges(BaseModel):
    clean: bool | None = None
    notes: str | None = None


@router.get("")
def list_rooms(session: SessionDep, floor: int | None = None, clean: bool | None = None) -> list[dict[str, object]]:
    """Rooms of the house; housekeeping asks for those that are not clean."""
    note(session, "desk: list rooms")
    query = select(Room).order_by(Room.number)
    if floor is not None:
        query = query.where(Room.floor == floor)
    if clean is not None:
        query = query.where(Room.clean.is_(clean))
    return [{"id": room.id, "number": room.number, "clean": room.clean} for room in session.scalars(query)]


@router.patch("/{room_id}")
def update_room(room_id: int, body: RoomChanges, session: SessionDep) -> dict[str, object]:
    """Mark a room clean, or leave a remark for housekeeping."""
    note(session, f"desk: update room {room_id}")
    room = session.get(Room, room_id)
    if room is None:
        raise HTTPException(404, f"there is no room {room_id}")
    for name, value in body.model_dump(exclude_unset=True).items():
        setattr(room, name, value)
    session.commit()
    return {"id": room.id, "clean": room.clean}
