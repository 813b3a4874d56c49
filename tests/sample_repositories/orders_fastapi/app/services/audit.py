"""Who did what."""

from sqlmodel import Session

from app.models import AuditEntry


def record(session: Session, account: str, what: str) -> None:
    """Keep a line in the audit log; every route that changes or shows data calls it."""
    session.add(AuditEntry(account=account, what=what))
    session.commit()
