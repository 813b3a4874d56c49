"""The import paths that a Go package has had over its major versions."""


def versions(path: str, newest: int) -> frozenset[str]:
    """The path without a version and those with `/v2` up to `/v<newest>`."""
    return frozenset({path, *(f"{path}/v{number}" for number in range(2, newest + 1))})
