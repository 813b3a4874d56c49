"""Go packages: files of one folder that share their names, found by the module paths of go.mod files."""

import re
from collections.abc import Iterable, Mapping
from posixpath import dirname

from msgspec.structs import replace

from pipeline.code_registry.facts import CodeDefinition, FileFacts, Import, StringLiteral
from pipeline.code_registry.languages.go.declarations import MODULE_PATH, default_name
from pipeline.code_registry.linking.names.words import FindModule

PACKAGE = "·go"
"""Name of the stand-in for a package, in its folder. It holds an import of each name that a file of the package has."""
_IMPORT_PATH = "import path"
_NOT_LINUX = re.compile(
    r"_(windows|darwin|freebsd|openbsd|netbsd|dragonfly|solaris|plan9|js|wasm|android|ios|aix)\b"
)
_FOREIGN = frozenset({"vendor", "node_modules"})


def arrange(files: Mapping[str, FileFacts]) -> Mapping[str, FileFacts]:
    """The files with a stand-in for each package; vendored code is left out."""
    modules = {
        dirname(path): module for path, facts in files.items() if (module := _module_path(facts)) is not None
    }
    own_files = {
        path: facts
        for path, facts in files.items()
        if path.endswith(".go") and not _FOREIGN & set(path.split("/")[:-1])
    }
    packages: dict[str, list[str]] = {}
    for path in sorted(own_files, key=_preference):
        packages.setdefault(_package(path, own_files[path]), []).append(path)
    stand_ins = {
        package: _stand_in(package, paths, own_files, modules) for package, paths in packages.items()
    }
    names = {
        _text(facts, _IMPORT_PATH): facts.definitions[0].name
        for package, facts in stand_ins.items()
        if package.endswith(PACKAGE)  # no external tests of a package: no code can import them
    }
    return {path: _rename_imports(facts, names) for path, facts in own_files.items()} | stand_ins


def _module_path(facts: FileFacts) -> str | None:
    return _text(facts, MODULE_PATH) or None


def _text(facts: FileFacts, key: str) -> str:
    for name, value in facts.definitions[0].keywords:
        if name == key and isinstance(value, StringLiteral):
            return value.value
    return ""


def _package(path: str, facts: FileFacts) -> str:
    folder = dirname(path)
    suffix = "_test" if facts.definitions[0].name.endswith("_test") else ""
    return f"{folder}/{PACKAGE}{suffix}" if folder else f"{PACKAGE}{suffix}"


def _preference(path: str) -> tuple[bool, bool, str]:
    """Of files that define the same name, the one that is built on Linux counts, and no test."""
    return path.endswith("_test.go"), _NOT_LINUX.search(path) is not None, path


def _stand_in(
    package: str, paths: list[str], files: Mapping[str, FileFacts], modules: Mapping[str, str]
) -> FileFacts:
    imports: dict[str, Import] = {}
    for path in sorted(paths, key=lambda path: (_is_excluded(files[path]), *_preference(path))):
        facts = files[path]
        package_names = [d.name for d in facts.definitions[1:] if d.parent == 0 and d.kind != "extension"]
        package_names += [a.target for a in facts.assignments if a.scope == 0 and a.mode == "assign"]
        for name in package_names:
            imports.setdefault(name, Import(0, name, path, 2, name))
    keywords = ((_IMPORT_PATH, StringLiteral(_import_path(dirname(package), modules))),)
    name = files[paths[0]].definitions[0].name
    definition = CodeDefinition("module", name, -1, 1, 1, (), (), None, (), keywords, None)
    return FileFacts((definition,), tuple(imports.values()), (), (), (), ())


def _is_excluded(facts: FileFacts) -> bool:
    """Whether a build constraint keeps a file out of an ordinary build for Linux."""
    constraint = _text(facts, "build")
    if not constraint:
        return False
    names_linux = re.search(r"(?<!!)\b(linux|unix|amd64|cgo)\b", constraint) is not None
    excludes_others = constraint.startswith("!") and not re.search(
        r"!\s*(linux|unix|amd64|cgo)\b", constraint
    )
    return not (names_linux or excludes_others)


def _import_path(folder: str, modules: Mapping[str, str]) -> str:
    """The path by which a folder is imported: that of the nearest go.mod above it, and the way down from there."""
    at = folder
    while at not in modules and at:
        at = dirname(at)
    if at not in modules:
        return folder
    below = folder[len(at) :].strip("/")
    return f"{modules[at]}/{below}" if below else modules[at]


def _rename_imports(facts: FileFacts, names: Mapping[str, str]) -> FileFacts:
    """Imports of the tree's packages under the name that the package gives itself."""
    if not any(_is_misnamed(import_, names) for import_ in facts.imports):
        return facts
    imports = tuple(
        replace(import_, local=names[import_.module]) if _is_misnamed(import_, names) else import_
        for import_ in facts.imports
    )
    return replace(facts, imports=imports)


def _is_misnamed(import_: Import, names: Mapping[str, str]) -> bool:
    plain = import_.name is None and import_.local == default_name(import_.module)
    return plain and names.get(import_.module, import_.local) != import_.local


def module_finder(files: Mapping[str, FileFacts]) -> FindModule:
    """A finder for the arranged files of one tree."""
    return _PackageFinder(files).find


class _PackageFinder:
    """Level 0 is an import path, 1 the importing file's own package, 2 a file."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self._files = files
        self._packages = {
            _text(facts, _IMPORT_PATH): path for path, facts in _stand_ins(files) if path.endswith(PACKAGE)
        }

    def find(self, importing: str, module: str, level: int) -> str | None:
        """Path of a package's stand-in or of a file, or None if it is not in the tree."""
        if level == 0:
            return self._packages.get(module)
        if level == 1 and importing in self._files:
            return _package(importing, self._files[importing])
        return module if module in self._files else None


def _stand_ins(files: Mapping[str, FileFacts]) -> Iterable[tuple[str, FileFacts]]:
    return ((path, facts) for path, facts in files.items() if PACKAGE in path.rpartition("/")[2])
