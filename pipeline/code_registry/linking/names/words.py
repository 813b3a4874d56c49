"""The little that the linker has to be told about a language, and which web frameworks a file imports."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.framework import WebPackage

FindModule = Callable[[str, str, int], str | None]
"""`find(importing_path, module, level)`: path of the file that the import means, or None for what is not here."""


@dataclass(frozen=True, slots=True)
class TypeWords:
    """Names that mean something to the type reader.

    `transparent`: generic types that stand for their first argument (`Optional[X]` is X). `collections`: those whose
    elements are of their last plain argument. `class_of`: those that stand for the class itself. `properties`:
    decorators that make a method read like an attribute. `default`: the name under which a module exports one value
    for the whole of itself, where the language has that. `class_scope`: the code of a class sees the class's names bare.
    `texts` are constants of outside packages by their dotted name, `joins` functions that join parts of a path.
    `static_types`: a variable has one type, and a class satisfies an interface by having its methods. `versioned_paths`: paths of
    packages hold their major version, and everything here names them without it.
    """

    receivers: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    collections: frozenset[str] = frozenset()
    mappings: frozenset[str] = frozenset()
    class_of: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    constructor: str = ""
    entering: tuple[str, ...] = ()
    calling: str = ""
    none_names: frozenset[str] = frozenset()
    default: str | None = None
    class_scope: bool = True
    texts: Mapping[str, str] = field(default_factory=dict)
    joins: frozenset[str] = frozenset()
    static_types: bool = False
    versioned_paths: bool = False


_VERSION = re.compile(r"[/.]v\d+(?=/|$)")


def without_version(module: str) -> str:
    """A package's path without its major version: `example.org/router/v5/middleware` is `example.org/router/middleware`."""
    return _VERSION.sub("", module)


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
