"""Cases: opening, finding, joining."""

import secrets
from datetime import datetime, timedelta

from helpdesk import settings
from helpdesk.models import Case, Customer, Reply, db
from helpdesk.services.notify import mail, publish


def due_from(now: datetime, priority: str) -> datetime:
    """When the first answer is due."""
    return now + timedelta(hours=settings.DUE_HOURS[priority])


def open_case(customer: Customer, subject: str, body: str, priority: str) -> Case:
    """Open a case with its first message and tell the customer its link."""
    case = Case(customer_id=customer.id, subject=subject, priority=priority, token=secrets.token_hex(20))
    case.due_at = due_from(datetime.utcnow(), priority)
    db.session.add(case)
    db.session.flush()
    db.session.add(Reply(case_id=case.id, author=customer.email, body=body))
    db.session.commit()
    mail(customer.email, f"[{case.id}] {subject}", f"We got your message. Your link: /portal/{case.token}")
    publish("case.opened", {"id": case.id, "subject": subject})
    return case


def find(status: str | None, assignee: int | None, overdue: bool, page: int) -> list[Case]:
    """A page of cases, the most pressing first."""
    query = db.select(Case).where(Case.merged_into.is_(None)).order_by(Case.due_at)
    if status is not None:
        query = query.where(Case.status == status)
    if assignee is not None:
        query = query.where(Case.assignee_id == assignee)
    if overdue:
        query = query.where(Case.due_at < datetime.utcnow(), Case.status == "open")
    query = query.offset((page - 1) * settings.PAGE_SIZE).limit(settings.PAGE_SIZE)
    return list(db.session.scalars(query))


def merge(kept: Case, dropped: Case) -> Case:
    """Move every reply of one case to another."""
    for reply in db.session.scalars(db.select(Reply).where(Reply.case_id == dropped.id)):
        reply.case_id = kept.id
    dropped.merged_into = kept.id
    dropped.status = "closed"
    db.session.commit()
    return kept
