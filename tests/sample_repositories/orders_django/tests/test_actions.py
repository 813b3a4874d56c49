"""Bulk actions, asked for over HTTP."""

from django.test import Client


def test_the_bulk_action_closes_orders(client: Client) -> None:
    response = client.post("/api/v1/actions", {"action": "close", "order_ids": [1]})
    assert response.status_code == 200
