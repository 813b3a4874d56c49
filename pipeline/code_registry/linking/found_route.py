"""A route as it is found in the code."""

from typing import NamedTuple

from pipeline.code_registry.entries import Confidence, Place
from pipeline.code_registry.linking.mounting import Node
from pipeline.code_registry.linking.program import Defined
from pipeline.code_registry.linking.traced import Traced


class FoundRoute(NamedTuple):
    """A route before its fields are read. `handler` is a function or the method of a view class.

    `registration`: the call that registers it, where there is one.
    """

    method: str
    path: str
    handler: Defined | None
    handler_name: str
    framework: str
    registered_at: Place
    mounts: tuple[Place, ...]
    top: Node
    dynamic: bool
    confidence: Confidence
    registration: Traced | None = None


def rooted(path: str) -> str:
    """The path with a slash before it."""
    return path if path.startswith("/") else f"/{path}"
