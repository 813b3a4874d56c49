import pytest
from flask.testing import FlaskClient

from orders import create_app
from orders.models import Customer, Order, db


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ORDERS_DATABASE_URL", "sqlite://")
    app = create_app()
    with app.app_context():
        db.create_all()
        db.session.add(Customer(id=1, name="octocat", email="octocat@example.com"))
        db.session.add(Order(id=7, customer_id=1, total_cents=1200))
        db.session.commit()
        yield app.test_client()


def test_the_bulk_action_closes_orders(client: FlaskClient) -> None:
    body = {"action": "close", "order_ids": [7, 8], "reason": "done"}
    assert client.post("/api/v1/actions", json=body).json == {"done": [7], "refused": [8]}


def test_the_stream_says_what_became_of_each_order(client: FlaskClient) -> None:
    body = {"action": "refund", "order_ids": [7], "reason": "broken"}
    assert client.post("/api/v1/actions/stream", json=body).text == "7 done\n"


def test_a_draft_is_not_open(client: FlaskClient) -> None:
    client.post("/api/v1/orders?draft", json={"customer_id": 1, "total_cents": 5})
    assert [order["id"] for order in client.get("/api/v1/orders?status=open").json] == [7]
