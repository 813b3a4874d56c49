from fastapi.testclient import TestClient
from sqlmodel import Session

from app.models import Customer, Order
from app.services import process_item


def an_order(session: Session) -> Order:
    customer = Customer(name="octocat", email="octocat@example.com")
    session.add(customer)
    session.commit()
    order = Order(customer_id=customer.id, total_cents=1200)
    session.add(order)
    session.commit()
    return order


def test_the_bulk_action_closes_orders(client: TestClient, session: Session) -> None:
    order = an_order(session)
    reply = client.post("/actions", json={"action": "close", "order_ids": [order.id], "reason": "done"})
    assert reply.json() == {"done": [order.id], "refused": []}


def test_the_stream_says_what_became_of_each_order(client: TestClient, session: Session) -> None:
    order = an_order(session)
    body = {"action": "refund", "order_ids": [order.id, 999], "reason": "broken"}
    reply = client.post("/actions/stream", json=body)
    assert reply.text.splitlines() == [f"{order.id} refunded", "999 refused: there is no order 999"]


def test_archiving_an_item_keeps_its_status(session: Session) -> None:
    order = an_order(session)
    assert process_item(session, order.id, "archive", "old").status == "open"
