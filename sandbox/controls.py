"""`/_sandbox/…`: turns the failure switches over HTTP, for whoever does not hold the Python object."""

from datetime import timedelta

from flask import Flask, Response, request

from sandbox.deliveries import DeliverySender
from sandbox.faults import DeliveryFault, Faults, Moment, RequestFault
from sandbox.world.clock import SandboxClock


def add_controls(app: Flask, faults: Faults, deliveries: DeliverySender, clock: SandboxClock) -> None:
    """Add the control routes. Their bodies are JSON with the names of the fields of the two kinds of faults."""

    @app.post("/_sandbox/faults/requests")
    def fail_requests() -> Response:
        wish = request.get_json()
        wish["moment"] = Moment(wish.get("moment", "before"))
        faults.add(RequestFault(**wish))
        return Response(status=204)

    @app.post("/_sandbox/faults/deliveries")
    def fail_deliveries() -> Response:
        faults.add(DeliveryFault(**request.get_json()))
        return Response(status=204)

    @app.delete("/_sandbox/faults")
    def clear() -> Response:
        faults.clear()
        return Response(status=204)

    @app.post("/_sandbox/deliveries/<int:delivery_id>/attempts")
    def redeliver(delivery_id: int) -> Response:
        deliveries.redeliver(delivery_id)
        return Response(status=202)

    @app.post("/_sandbox/clock")
    def advance() -> Response:
        clock.advance(timedelta(seconds=float(request.get_json()["seconds"])))
        return Response(status=204)
