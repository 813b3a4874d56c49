from fastapi.testclient import TestClient


def a_customer(client: TestClient) -> int:
    reply = client.post("/customers", json={"name": "octocat", "email": "octocat@example.com"})
    return reply.json()["id"]


def test_an_order_is_placed_and_listed_by_status(client: TestClient) -> None:
    customer_id = a_customer(client)
    client.post("/orders", json={"customer_id": customer_id, "total_cents": 990})
    assert [order["total_cents"] for order in client.get("/orders?status=open").json()] == [990]
    assert client.get("/orders?status=closed").json() == []


def test_the_same_key_twice_gives_the_same_order(client: TestClient) -> None:
    body = {"customer_id": a_customer(client), "total_cents": 990}
    headers = {"Idempotency-Key": "one"}
    first = client.post("/orders", json=body, headers=headers).json()
    assert client.post("/orders", json=body, headers=headers).json()["id"] == first["id"]


def test_an_archived_order_leaves_the_list_and_comes_back(client: TestClient) -> None:
    order = client.post("/orders", json={"customer_id": a_customer(client), "total_cents": 5}).json()
    client.post(f"/orders/{order['id']}/archive")
    assert client.get("/orders").json() == []
    client.post(f"/orders/{order['id']}/restore")
    assert len(client.get("/orders").json()) == 1
