"""Find the file that an import means: relative paths, `paths` and `baseUrl` of tsconfig, packages of the workspace."""

from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import NamedTuple

from pipeline.code_registry.facts import Expression, FileFacts, Items, Pairs, StringLiteral
from pipeline.code_registry.linking.names.words import FindModule

SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
CONFIGURATION = ("package.json", "tsconfig*.json", "jsconfig*.json")
_SOURCE_SUFFIXES = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_DEEPEST = 8


def module_finder(files: Mapping[str, FileFacts]) -> FindModule:
    """A finder for the files of one tree, configuration files included."""
    return _ModuleFinder(files).find


class _Config(NamedTuple):
    """What a tsconfig says of imports: patterns with the paths they stand for, and the folder of bare ones."""

    patterns: tuple[tuple[str, tuple[str, ...]], ...]
    base: str | None


# `import { pay } from "@shop/core/payments"` in apps/web/src/cart.ts is looked for, in this order, in
#
# 1. the tsconfig.json (or jsconfig.json) of the file's folder, then of each folder above it: `paths` first, the longest
#    pattern before the others, so that `"@shop/core/*": ["packages/core/src/*"]` gives packages/core/src/payments; then
#    `baseUrl`. What a configuration `extends` counts as its own, relative to the file that says it.
# 2. the packages of the tree by the `name` in their package.json: the one called `@shop/core`, and in it `payments` or
#    `src/payments`. Two packages of one name say nothing.
#
# Each resulting path is tried unchanged, with the source of a compiled suffix (`.js` may be `.ts`), with every suffix,
# and as a folder with an `index`. A path that names no file of the tree is a package from outside, and stays unknown.


class _ModuleFinder:
    """Looks for modules as the compiler would."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self._files = files
        self._packages: dict[str, list[tuple[str, Pairs]]] = {}
        self._configs: dict[str, _Config] = {}
        self._memo: dict[tuple[str, str], str | None] = {}
        for path in files:
            name = path.rpartition("/")[2]
            value = _configuration(files[path]) if name.endswith(".json") else None
            if value is not None and name == "package.json":
                package = _text(value, "name")
                if package:
                    self._packages.setdefault(package, []).append((dirname(path), value))

    def find(self, importing: str, module: str, level: int) -> str | None:
        """Path of the module's file, or None if it is not in the tree."""
        if level:
            return None
        folder = dirname(importing)
        key = (folder, module)
        if key not in self._memo:
            self._memo[key] = self._find(folder, module)
        return self._memo[key]

    def _find(self, folder: str, module: str) -> str | None:
        if module in {".", ".."} or module.startswith(("./", "../")):
            return self._at(normpath(join(folder, module)))
        at = folder
        while True:
            config = self._config(at)
            if config is not None:
                path = self._by_config(config, module)
                if path is not None:
                    return path
            if not at:
                break
            at = dirname(at)
        return self._in_workspace(module)

    def _by_config(self, config: _Config, module: str) -> str | None:
        for pattern, targets in config.patterns:
            front, star, back = pattern.partition("*")
            if module == pattern if not star else module.startswith(front) and module.endswith(back):
                middle = module[len(front) : len(module) - len(back)] if star else ""
                for target in targets:
                    path = self._at(normpath(target.replace("*", middle)))
                    if path is not None:
                        return path
        return self._at(normpath(join(config.base, module))) if config.base is not None else None

    def _config(self, folder: str) -> _Config | None:
        if folder not in self._configs:
            patterns: list[tuple[str, tuple[str, ...]]] = []
            base: str | None = None
            for name in ("tsconfig.json", "jsconfig.json", "tsconfig.base.json"):
                for content, config_folder in self._chain(join(folder, name) if folder else name):
                    options = _key(content, "compilerOptions")
                    base_url = _text(options, "baseUrl")
                    if base_url is not None and base is None:
                        base = normpath(join(config_folder, base_url))
                    root = normpath(join(config_folder, base_url or "."))
                    if not patterns:
                        patterns += _patterns(_key(options, "paths"), root)
            patterns.sort(key=lambda item: -len(item[0].partition("*")[0]))
            self._configs[folder] = _Config(tuple(patterns), base)
        return self._configs[folder]

    def _chain(self, path: str) -> Iterator[tuple[Expression, str]]:
        """A configuration file and those it extends, with their folders."""
        for _ in range(_DEEPEST):
            facts = self._files.get(path)
            value = _configuration(facts) if facts is not None else None
            if value is None:
                return
            yield value, dirname(path)
            parent = _text(value, "extends")
            if parent is None or not parent.startswith("."):
                return
            path = normpath(join(dirname(path), parent))
            if not path.endswith(".json"):
                path = f"{path}.json"

    def _in_workspace(self, module: str) -> str | None:
        parts = module.split("/")
        count = 2 if module.startswith("@") else 1
        package, inner = "/".join(parts[:count]), "/".join(parts[count:])
        packages = self._packages.get(package, [])
        if len(packages) != 1:
            return None
        folder, value = packages[0]
        if inner:
            return self._at(normpath(join(folder, inner))) or self._at(normpath(join(folder, "src", inner)))
        entries = [_text(value, key) for key in ("source", "types", "module", "main")]
        for entry in (*entries, "src/index", "index", "src/main", "lib/index"):
            if entry:
                for place in (entry, _source_of(entry)):
                    at = self._at(normpath(join(folder, place)))
                    if at is not None:
                        return at
        return None

    def _at(self, base: str) -> str | None:
        base = "" if base == "." else base
        for candidate in _candidates(base):
            if candidate in self._files and not candidate.endswith(".json"):
                return candidate
        return None


def _candidates(base: str) -> Iterator[str]:
    yield base
    for suffix, sources in _SOURCE_SUFFIXES.items():
        if base.endswith(suffix):
            yield from (base.removesuffix(suffix) + source for source in sources)
    for suffix in SUFFIXES:
        yield f"{base}{suffix}"
    for suffix in SUFFIXES:
        yield f"{base}/index{suffix}" if base else f"index{suffix}"
    yield f"{base}.d.ts"


def _source_of(entry: str) -> str:
    """`dist/index.d.ts` is made from `src/index.ts`."""
    stem = entry.removeprefix("./")
    for suffix in (".d.ts", ".d.mts", ".js", ".mjs", ".cjs", ".ts"):
        if stem.endswith(suffix):
            stem = stem.removesuffix(suffix)
            break
    _, slash, rest = stem.partition("/")
    return f"src/{rest}" if slash and not stem.startswith("src/") else stem


def _patterns(paths: Expression | None, root: str) -> list[tuple[str, tuple[str, ...]]]:
    if not isinstance(paths, Pairs):
        return []
    return [
        (key.value, tuple(join(root, item.value) for item in value.items if isinstance(item, StringLiteral)))
        for key, value in paths.items
        if isinstance(key, StringLiteral) and isinstance(value, Items)
    ]


def _configuration(facts: FileFacts) -> Pairs | None:
    for assignment in facts.assignments:
        if assignment.mode == "configuration" and isinstance(assignment.value, Pairs):
            return assignment.value
    return None


def _key(value: Expression | None, name: str) -> Expression | None:
    if not isinstance(value, Pairs):
        return None
    return next((inner for key, inner in value.items if key == StringLiteral(name)), None)


def _text(value: Expression | None, name: str) -> str | None:
    entry = _key(value, name)
    return entry.value if isinstance(entry, StringLiteral) else None
