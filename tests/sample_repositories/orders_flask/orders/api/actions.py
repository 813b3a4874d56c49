"""Bulk actions."""

from flask import Blueprint, Response, request

from orders.requests import require_fields
from orders.services.bulk import BulkAction

actions = Blueprint("actions", __name__, url_prefix="/actions")


@actions.post("")
def bulk_action() -> dict[str, list[int]]:
    """Carry a bulk action out on many orders, and answer with the result of all."""
    body = request.get_json()
    require_fields(body, ("action", "order_ids", "reason"))
    return BulkAction(body["action"], body["order_ids"], body["reason"]).run()


@actions.route("/stream", methods=["POST"])
def stream_bulk_action() -> Response:
    """Carry a bulk action out on many orders, streaming a line for each."""
    body = request.get_json()
    require_fields(body, ("action", "order_ids", "reason"))
    bulk = BulkAction(body["action"], body["order_ids"], body["reason"])
    return Response(bulk.stream(), mimetype="text/plain")
