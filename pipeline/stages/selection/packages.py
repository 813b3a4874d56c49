"""The package of a monorepo in which a file stands: what a person means by "in the worker" or "only in the front desk"."""

from collections.abc import Sequence

from pipeline.code_registry.registry import Registry

_WORKSPACES = frozenset({"apps", "packages", "services", "libs", "modules", "plugins", "projects", "cmd"})
"""Folders of which each one below is a package of its own."""


def package_of(path: str, registry: Registry) -> str | None:
    """The folder of the application or package that holds a file; None where the repository is one package."""
    folders = path.split("/")[:-1]
    for depth, folder in enumerate(folders[:-1]):
        if folder in _WORKSPACES:
            return "/".join(folders[: depth + 2])
    apps = [app for app in registry.apps if app != "." and path.startswith(f"{app}/")]
    return max(apps, key=len, default=None)


def differ_in_package(paths: Sequence[str], registry: Registry) -> bool:
    """Whether several files stand in as many packages."""
    packages = [package_of(path, registry) for path in paths]
    return None not in packages and len(set(packages)) == len(packages)
