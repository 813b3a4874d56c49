"""Replies, from either side."""

from helpdesk.models import Agent, Case, Customer, Reply, db
from helpdesk.services.lookup import one_or_404
from helpdesk.services.notify import mail, publish


def add_reply(case: Case, author: str, body: str, internal: bool = False) -> Reply:
    """Store a reply and mail it to the other side, unless it is internal."""
    reply = Reply(case_id=case.id, author=author, body=body, internal=internal)
    if case.status == "closed":
        case.status = "open"
    db.session.add(reply)
    db.session.commit()
    if not internal:
        mail(other_side(case, author), f"Re: [{case.id}] {case.subject}", body)
    publish("case.replied", {"id": case.id, "author": author})
    return reply


def other_side(case: Case, author: str) -> str:
    """Who has to read what the author wrote."""
    customer = one_or_404(Customer, case.customer_id)
    if author != customer.email or case.assignee_id is None:
        return customer.email
    return one_or_404(Agent, case.assignee_id).email


def thread(case: Case, with_internal: bool) -> list[Reply]:
    """The replies of a case, oldest first."""
    query = db.select(Reply).where(Reply.case_id == case.id).order_by(Reply.created_at)
    if not with_internal:
        query = query.where(Reply.internal.is_(False))
    return list(db.session.scalars(query))
