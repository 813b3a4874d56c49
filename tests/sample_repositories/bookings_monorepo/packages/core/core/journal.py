"""What happened, in order."""

from sqlalchemy.orm import Session

from core.models import JournalLine


def note(session: Session, text: str) -> None:
    """Keep a line in the journal; every route of both applications does."""
    session.add(JournalLine(text=text))
    session.commit()
