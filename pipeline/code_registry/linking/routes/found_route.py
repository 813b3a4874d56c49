"""A route as it is found in the code."""

from typing import NamedTuple

from pipeline.code_registry.entries import Confidence, SourceRange
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.mounting import RouterNode
from pipeline.code_registry.linking.values.traced import ScopedValue


class FoundRoute(NamedTuple):
    """A route before its fields are read. `handler` is a function or the method of a view class.

    `registration`: the call that registers it, where there is one.
    """

    method: str
    path: str
    handler: DefinitionRef | None
    handler_name: str
    framework: str
    registered_at: SourceRange
    mounts: tuple[SourceRange, ...]
    top: RouterNode
    dynamic: bool
    confidence: Confidence
    registration: ScopedValue | None = None


def with_leading_slash(path: str) -> str:
    """The path with a slash before it."""
    return path if path.startswith("/") else f"/{path}"
