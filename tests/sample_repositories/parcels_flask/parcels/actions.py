"""Bulk actions."""

from flask import Blueprint, Response, current_app, request

from parcels.bulk import process_all, process_each

actions = Blueprint("actions", __name__, url_prefix="/actions")


@actions.post("")
def bulk_action() -> dict[str, dict[str, str]]:
    """Carry an action out on many parcels, and answer with the result of all."""
    body = request.get_json()
    done = process_all(current_app.config["DEPOT"], body["numbers"], body["action"])
    return {"parcels": {str(number): state for number, state in done.items()}}


@actions.post("/stream")
def stream_bulk_action() -> Response:
    """Carry an action out on many parcels, streaming a line for each."""
    body = request.get_json()
    lines = process_each(current_app.config["DEPOT"], body["numbers"], body["action"])
    return Response(lines, mimetype="text/plain")
