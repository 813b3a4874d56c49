"""One action on many orders, at once or one after the other."""

from collections.abc import Iterator

from sqlmodel import Session

from app.schemas import BulkAction
from app.services.items import ItemRefused, process_item
from app.settings import settings


def chosen(body: BulkAction) -> list[int]:
    """The orders of a bulk action, each once, up to the limit."""
    return list(dict.fromkeys(body.order_ids))[: settings.bulk_limit]


def run_actions(session: Session, body: BulkAction) -> dict[str, list[int]]:
    done: list[int] = []
    refused: list[int] = []
    for order_id in chosen(body):
        try:
            process_item(session, order_id, body.action, body.reason)
            done.append(order_id)
        except ItemRefused:
            refused.append(order_id)
    session.commit()
    return {"done": done, "refused": refused}


def stream_actions(session: Session, body: BulkAction) -> Iterator[str]:
    for order_id in chosen(body):
        try:
            order = process_item(session, order_id, body.action, body.reason)
            session.commit()
            yield f"{order_id} {order.status}\n"
        except ItemRefused as refusal:
            yield f"{order_id} refused: {refusal}\n"
