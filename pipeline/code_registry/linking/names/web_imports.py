"""Which web frameworks a file imports."""

from collections.abc import Sequence
from functools import cache

from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.framework import WebPackage
from pipeline.code_registry.linking.names.words import without_version


class WebImports:
    """Tells the web packages of a language by the modules of import statements."""

    def __init__(self, packages: Sequence[WebPackage]) -> None:
        self._packages = {item.package: item for item in packages}
        self._package = cache(self._look_up)

    def of(self, facts: FileFacts) -> tuple[WebPackage, ...]:
        """The web packages that a file imports."""
        packages: dict[WebPackage, None] = {}
        for import_ in facts.imports:
            if import_.level == 0:
                package = self._package(import_.module)
                if package is None and import_.name is not None:
                    package = self._packages.get(f"{import_.module}.{import_.name}")
                if package is not None:
                    packages[package] = None
        return tuple(packages)

    def _look_up(self, module: str) -> WebPackage | None:
        """The web package that a module is or lies in."""
        path = without_version(module)
        while path:
            package = self._packages.get(path)
            if package is not None:
                return package
            cut = max(path.rfind("/"), path.rfind("."))
            path = path[:cut] if cut > 0 else ""
        return None
