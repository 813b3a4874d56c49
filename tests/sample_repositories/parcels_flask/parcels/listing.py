"""Looking at parcels."""

from flask import Blueprint, abort, current_app

listing = Blueprint("listing", __name__, url_prefix="/parcels")


@listing.get("/<int:number>")
def one_parcel(number: int) -> dict[str, object]:
    """Where a parcel is."""
    state = current_app.config["DEPOT"].states.get(number)
    if state is None:
        abort(404)
    return {"number": number, "state": state}
