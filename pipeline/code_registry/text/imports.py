"""From what a file imports, as it writes it, to the files of the tree, in any language: by the longest tail of a path."""

from collections.abc import Iterable, Sequence
from itertools import chain
from posixpath import dirname, normpath

_MOST_TARGETS = 4
_MOST_IN_A_FOLDER = 12
_MOST_NEIGHBOURS = 60
_INDEX_NAMES = frozenset({"index", "__init__", "mod", "main", "lib"})
_OPENINGS = ("@/", "~/", "$lib/", "/", "src/", "@", "#", "~")


class PathTails:
    """Files by the tails of their paths without ending: `items`, `app/items` and `src/app/items` for `src/app/items.py`."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._resolutions: dict[tuple[str, str], Sequence[int]] = {}
        self._exact: dict[str, list[int]] = {}
        self._tails: dict[str, list[int]] = {}
        self._folders: dict[str, list[int]] = {}
        self._folder_tails: dict[str, list[str]] = {}
        for number, path in enumerate(paths):
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(folder, []).append(number)
            stem = name.split(".", 1)[0] if not name.startswith(".") else name
            names = [path, f"{folder}/{stem}".lstrip("/")]
            if stem in _INDEX_NAMES and folder:
                names.append(folder)
            if stem.startswith("_") and len(stem) > 1:  # Sass and Rails write partials with an underscore
                names.append(f"{folder}/{stem[1:]}".lstrip("/"))
            for full in names:
                self._exact.setdefault(full, []).append(number)
                parts = full.split("/")
                for start in range(1, len(parts)):
                    self._tails.setdefault("/".join(parts[start:]), []).append(number)
        for folder in self._folders:
            parts = folder.split("/")
            for start in range(len(parts)):
                self._folder_tails.setdefault("/".join(parts[start:]), []).append(folder)

    def resolve(self, folder: str, target: str) -> Sequence[int]:
        """The files that an import by a file of a folder may mean; none where it is unclear or of another package."""
        is_relative = target.startswith(".")
        key = (folder if is_relative else "", target)
        hits = self._resolutions.get(key)
        if hits is None:
            hits = self._relative(folder, target) if is_relative else self._absolute(target)
            self._resolutions[key] = hits
        return hits

    def _absolute(self, target: str) -> Sequence[int]:
        plain = target.strip("/")
        if "/" not in plain:
            if "." in plain and plain in self._exact:
                return self._exact[plain]
            for opening in ("crate::", "super::", "self::"):
                plain = plain.removeprefix(opening)
            plain = plain.replace("::", "/").replace("\\", "/").replace(".", "/")
        else:
            for opening in _OPENINGS:
                plain = plain.removeprefix(opening)
        return self._by_tail(plain.strip("/"))

    def _relative(self, folder: str, target: str) -> Sequence[int]:
        if "/" in target or target in {".", ".."}:
            path = normpath(f"{folder}/{target}" if folder else target)
        else:  # Python: `.items`, `..app.items`
            dots = len(target) - len(target.lstrip("."))
            path = normpath("/".join([folder or ".", *[".."] * (dots - 1), *target[dots:].split(".")]))
        stem = path.rsplit("/", 1)[-1].split(".", 1)[0]
        without_ending = f"{dirname(path)}/{stem}".lstrip("/")
        return (self._exact.get(path) or self._exact.get(without_ending) or ())[:_MOST_TARGETS]

    def _by_tail(self, path: str) -> Sequence[int]:
        parts = path.split("/")
        # A name of a member may follow the module: `app.items.Item`. A host and owner may stand before it.
        for end in (len(parts), len(parts) - 1):
            for start in range(max(0, end)):
                tail = "/".join(parts[start:end])
                exact = self._exact.get(tail)
                if exact:
                    return exact[:_MOST_TARGETS]
                if end - start < 2 and (len(parts) > 1 or len(tail) < 4):
                    continue
                hits = self._tails.get(tail, ())
                if 0 < len(hits) <= _MOST_TARGETS:
                    return hits
                folders = self._folder_tails.get(tail, ())
                if len(folders) == 1 and end == len(parts):
                    return self._folders[folders[0]][:_MOST_IN_A_FOLDER]
        return ()


def link(paths: Sequence[str], imports: Iterable[tuple[int, Sequence[str]]]) -> list[list[int]]:
    """For each file the files that it imports, at most sixty, in the order of its text."""
    tails = PathTails(paths)
    edges: list[list[int]] = [[] for _ in paths]
    for number, targets in imports:
        folder = paths[number].rpartition("/")[0]
        neighbours = dict.fromkeys(chain.from_iterable(tails.resolve(folder, target) for target in targets))
        neighbours.pop(number, None)
        edges[number] = list(neighbours)[:_MOST_NEIGHBOURS]
    return edges
