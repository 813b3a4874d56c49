"""What a handler takes from the request."""

from pipeline.code_registry.linking.fields import Reading, RequestFields
from pipeline.code_registry.linking.routes import FoundRoute


def read_request(reading: Reading, route: FoundRoute) -> RequestFields:
    """Fields of a route's request."""
    return RequestFields((), body_known=False)
