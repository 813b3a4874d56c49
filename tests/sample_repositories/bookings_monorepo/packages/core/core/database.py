"""The session each request works in."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends
from sqlalchemy import create_engine
from sqlalchemy.orm import Session, sessionmaker

engine = create_engine("sqlite:///bookings.db")
sessions = sessionmaker(engine)


def get_session() -> Iterator[Session]:
    with sessions() as session:
        yield session


SessionDep = Annotated[Session, Depends(get_session)]
