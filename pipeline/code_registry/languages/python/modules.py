"""Find the file that a Python import means, without an interpreter: source roots are read off the tree."""

from collections.abc import Iterable
from posixpath import dirname

from pipeline.code_registry.linking.names.words import FindModule


def module_finder(paths: Iterable[str]) -> FindModule:
    """A finder for the files of one tree."""
    return _ModuleFinder(paths).find


# `import shop.orders` in services/api/handlers/pay.py is looked for from the importing file upwards, as an interpreter would
# find it that was started there: in services/api/handlers, services/api, services and the root, and in `src` below each. A
# folder that is itself a package (it holds an `__init__.py`) is no such place, because its modules are imported by their
# longer name. A namespace package (a folder without `__init__.py`) needs no rule: its files are found by their path. What
# none of these has may be in another source root of the tree, the folder above a top-level package, if it is in one only:
# two roots with a module of one name leave the import unknown.


class _ModuleFinder:
    """Looks for modules in the folders from which the importing file could see them."""

    def __init__(self, paths: Iterable[str]) -> None:
        files = [path for path in paths if path.endswith((".py", ".pyi"))]
        self._modules: dict[str, str] = {}
        for ending in (".pyi", "/__init__.py", ".py"):  # of several files for one module the last counts
            ending_paths = [f"/{path}" for path in files if f"/{path}".endswith(ending)]
            self._modules |= {path.removesuffix(ending)[1:]: path[1:] for path in ending_paths}
        self._packages = {dirname(path) for path in files if path.endswith("/__init__.py")}
        folders = {dirname(path) for path in files}
        self._heads = {path.rpartition("/")[2].partition(".")[0] for path in files}
        self._heads |= {part for folder in folders for part in folder.split("/")}
        self._roots = sorted({dirname(package) for package in self._packages} - self._packages)
        self._memo: dict[tuple[str, str, int], str | None] = {}
        self._elsewhere: dict[str, str | None] = {}

    def find(self, importing: str, module: str, level: int) -> str | None:
        """Path of the module's file, or None if it is not in the tree."""
        if not level and module.partition(".")[0] not in self._heads:
            return None
        folder = importing.rpartition("/")[0]
        key = (folder, module, level)
        module_path = self._memo.get(key, "")
        if module_path == "":
            module_path = self._relative(folder, module, level) if level else self._absolute(folder, module)
            self._memo[key] = module_path
        return module_path

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
                module_path = self._at(at, module) or self._at(_join(at, "src"), module)
                if module_path is not None:
                    return module_path
            if not at:
                break
            at = at.rpartition("/")[0]
        if module not in self._elsewhere:
            paths = {path for root in self._roots if (path := self._at(root, module)) is not None}
            self._elsewhere[module] = paths.pop() if len(paths) == 1 else None
        return self._elsewhere[module]

    def _at(self, folder: str, module: str) -> str | None:
        return self._modules.get(_join(folder, module.replace(".", "/")) if module else folder)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
