"""Which web frameworks a file imports."""

from collections.abc import Sequence

from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.framework import WebPackage
from pipeline.code_registry.linking.words import unversioned


class WebImports:
    """Tells the web packages of a language by the modules of import statements."""

    def __init__(self, packages: Sequence[WebPackage]) -> None:
        self._packages = {item.package: item for item in packages}

    def of(self, facts: FileFacts) -> tuple[WebPackage, ...]:
        """The web packages that a file imports."""
        found: dict[WebPackage, None] = {}
        for imported in facts.imports:
            if imported.level == 0:
                package = self._package(imported.module)
                if package is None and imported.name is not None:
                    package = self._packages.get(f"{imported.module}.{imported.name}")
                if package is not None:
                    found[package] = None
        return tuple(found)

    def _package(self, module: str) -> WebPackage | None:
        """The web package that a module is or lies in."""
        path = unversioned(module)
        while path:
            package = self._packages.get(path)
            if package is not None:
                return package
            cut = max(path.rfind("/"), path.rfind("."))
            path = path[:cut] if cut > 0 else ""
        return None
