"""Find the file that a Python import means, without an interpreter: source roots are read off the tree."""

from collections.abc import Iterable
from posixpath import dirname

from pipeline.code_registry.linking.words import FindModule


def module_finder(paths: Iterable[str]) -> FindModule:
    """A finder for the files of one tree."""
    return _ModuleFinder(paths).find


class _ModuleFinder:
    """Looks for modules in the folders from which the importing file could see them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files = {path for path in paths if path.endswith((".py", ".pyi"))}
        self._packages = {dirname(path) for path in self._files if path.endswith("/__init__.py")}
        folders = {dirname(path) for path in self._files}
        self._heads = {path.rpartition("/")[2].partition(".")[0] for path in self._files}
        self._heads |= {part for folder in folders for part in folder.split("/")}
        self._roots = sorted({dirname(package) for package in self._packages} - self._packages)
        self._memo: dict[tuple[str, str, int], str | None] = {}

    def find(self, importing: str, module: str, level: int) -> str | None:
        """Path of the module's file, or None if it is not in the tree."""
        if not level and module.partition(".")[0] not in self._heads:
            return None
        folder = importing.rpartition("/")[0]
        key = (folder, module, level)
        known = self._memo.get(key, "")
        if known == "":
            known = self._relative(folder, module, level) if level else self._absolute(folder, module)
            self._memo[key] = known
        return known

    def _relative(self, folder: str, module: str, level: int) -> str | None:
        for _ in range(level - 1):
            folder = dirname(folder)
        return self._at(folder, module)

    def _absolute(self, folder: str, module: str) -> str | None:
        if not module:
            return None
        at = folder
        while True:
            if at not in self._packages:
                found = self._at(at, module) or self._at(_join(at, "src"), module)
                if found is not None:
                    return found
            if not at:
                break
            at = dirname(at)
        elsewhere = {found for root in self._roots if (found := self._at(root, module)) is not None}
        return elsewhere.pop() if len(elsewhere) == 1 else None

    def _at(self, folder: str, module: str) -> str | None:
        base = _join(folder, module.replace(".", "/")) if module else folder
        for candidate in (f"{base}.py", _join(base, "__init__.py"), f"{base}.pyi"):
            if candidate in self._files:
                return candidate
        return None


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
