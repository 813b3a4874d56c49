"""Versions of the code that stages run: results of other code are never used again.

The version of a stage is a digest of the module that its body is in and of every module of the package that this one
imports, directly or over others, with the data files in the same folders. Nothing is imported to find that out: a line
`from pipeline.x.y import z` is found in the source wherever it stands, so an import inside a function counts, too.
For example, `stages/coder.py` leads over the workbench to `gate/rules_file.py`, and that to `gate/gate.yml` in the same folder.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple


class _Source(NamedTuple):
    """A file: its name from the package on with the digest of its bytes, and the files that it leads to."""

    line: str
    leads_to: tuple[Path, ...]


class CodeVersions:
    """The versions of the code in one package. Each file is read once: a process runs the code that it began with."""

    def __init__(self, package: Path) -> None:
        self._package = package
        name = re.escape(package.name.encode())
        self._import = re.compile(rb"from (" + name + rb"(?:\.\w+)*) import (\([^)]*\)|[^\n]*)")
        self._sources: dict[Path, _Source] = {}

    def of(self, files: Iterable[Path]) -> str:
        """The version of the code in some Python files, with all that they lead to. A file may lie outside of the package."""
        waiting = list(files)
        lines: dict[Path, str] = {}
        while waiting:
            file = waiting.pop()
            if file not in lines:
                source = self._source(file)
                lines[file] = source.line
                waiting.extend(source.leads_to)
        return hashlib.sha256("\n".join(sorted(lines.values())).encode()).hexdigest()[:16]

    def _source(self, file: Path) -> _Source:
        if file not in self._sources:
            content = file.read_bytes()
            leads_to = tuple(dict.fromkeys(self._led_to(file, content))) if file.suffix == ".py" else ()
            name = os.path.relpath(file, self._package)
            self._sources[file] = _Source(f"{name} {hashlib.sha256(content).hexdigest()}", leads_to)
        return self._sources[file]

    def _led_to(self, file: Path, content: bytes) -> Iterator[Path]:
        """The files that a module leads to: its package, the data in its folder, and what it imports."""
        yield from self._beside.get(file.parent, ())
        for match in self._import.finditer(content):
            module = match[1].decode()
            names = re.findall(r"\w+", match[2].decode())
            for name in (module, *(f"{module}.{name}" for name in names)):
                if name in self._modules:
                    yield self._modules[name]

    @cached_property
    def _modules(self) -> dict[str, Path]:
        """The modules of the package by their dotted names; a folder's own is its `__init__.py`."""
        modules: dict[str, Path] = {}
        for file in self._package.rglob("*.py"):
            place = file.parent if file.name == "__init__.py" else file.with_suffix("")
            modules[".".join((self._package.name, *place.relative_to(self._package).parts))] = file
        return modules

    @cached_property
    def _beside(self) -> dict[Path, list[Path]]:
        """By folder what every module in it leads to: the packages around it, and the data in it."""
        beside: dict[Path, list[Path]] = {}
        packages = {file.parent: file for file in self._modules.values() if file.name == "__init__.py"}
        for folder in {file.parent for file in self._modules.values()}:
            data = [file for file in folder.iterdir() if file.suffix != ".py" and file.is_file()]
            beside[folder] = [*(packages[up] for up in (folder, *folder.parents) if up in packages), *data]
        return beside
