"""What tests of the registry ask of one that was built of a few written files."""

from collections.abc import Callable, Mapping

from pipeline.code_registry.registry import Registry

Built = Callable[[Mapping[str, str]], Registry]
"""Writes files and builds their registry."""


def labels(registry: Registry) -> list[str]:
    """Each route and its handler, with a `~` where something unknown may stand before the path."""
    return [
        f"{'~' if route.dynamic_prefix else ''}{route.label} -> {route.handler_name}"
        for route in registry.routes
    ]


def callees(registry: Registry, caller: str) -> list[str]:
    """What the definition `path::name` leads to."""
    return sorted({edge.callee.removeprefix("symbol:") for edge in registry.callees(f"symbol:{caller}")})
