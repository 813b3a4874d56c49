"""From citations to files of the tree: paths by their longest tail, names by the files that define them."""

from collections.abc import Iterator, Mapping, Sequence

from pipeline.domain.issue import Citation, CitationKind
from pipeline.domain.places import CitedFile
from pipeline.domain.terms import WORD, TermTable

_PATHS = frozenset({CitationKind.FRAME, CitationKind.LINE, CitationKind.FILE})
_NAME_KINDS = frozenset({CitationKind.NAME, CitationKind.ENVIRONMENT, CitationKind.LOGGER})
_MOST_FILES = 8
_BUILD_FOLDERS = frozenset({"dist", "build", "out"})
"""Folders into which sources are compiled; below them the tree is as above."""

_JAVASCRIPT = frozenset({"js", "mjs", "cjs"})
_SOURCES = ("ts", "tsx", "mts", "cts", "jsx")


class FileNames:
    """The files of a tree by their names."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._by_name: dict[str, list[int]] = {}
        for number, path in enumerate(paths):
            self._by_name.setdefault(path.rsplit("/", 1)[-1], []).append(number)

    def by_tail(self, path: str) -> list[int]:
        """The files that share the longest tail with a cited path; absolute paths and paths of containers among them.

        A compiled file that the tree does not have (`dist/cart.js`) is its source (`src/cart.ts`).
        """
        parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", ".", ".."}]
        if not parts:
            return []
        stem, _, ending = parts[-1].rpartition(".")
        if ending in _JAVASCRIPT and parts[-1] not in self._by_name:
            folders = [part for part in parts[:-1] if part not in _BUILD_FOLDERS]
            sources = (f"{stem}.{source}" for source in _SOURCES)
            parts = next(([*folders, name] for name in sources if name in self._by_name), parts)
        best: list[int] = []
        longest = 0
        for number in self._by_name.get(parts[-1], ()):
            own_parts = self._paths[number].split("/")
            common = 0
            for left, right in zip(reversed(own_parts), reversed(parts), strict=False):
                if left != right:
                    break
                common += 1
            if common > longest:
                best, longest = [], common
            if common == longest:
                best.append(number)
        return best


def cited_files(
    citations: Sequence[Citation],
    names: FileNames,
    paths: Sequence[str],
    defining: Mapping[str, Sequence[int]],
) -> Iterator[tuple[int, CitedFile]]:
    """Citations that lead to files, with the numbers of the files.

    `defining` says for each term in which files it stands among the names defined.
    """
    table = TermTable()
    for citation in citations:
        if citation.kind in _PATHS:
            numbers = names.by_tail(citation.text)
        elif citation.kind is CitationKind.OPTION or (
            citation.kind is CitationKind.NAME and "-" in citation.text
        ):
            # Words with hyphens are one name: `--stop-on-error` is `stop_on_error`, and `no-cache` is no `cache`.
            numbers = _defining("_".join(WORD.findall(citation.text)), table, defining)
        elif citation.kind in _NAME_KINDS:
            numbers = _defining(citation.text, table, defining)
        else:
            continue
        is_only = len(numbers) == 1
        for number in numbers if len(numbers) <= _MOST_FILES else ():
            path = paths[number]
            yield number, CitedFile(path=path, citation=citation, line=citation.line, is_only=is_only)


def _defining(name: str, table: TermTable, defining: Mapping[str, Sequence[int]]) -> list[int]:
    """The files that define a name: `Item.save` is looked for as `save` where `Item` is defined, too."""
    words = WORD.findall(name)
    file_sets: list[set[int]] = []
    for word in words[-2:]:
        terms = table[word.encode()]
        if terms:
            # The last term of a compound is the whole of it.
            file_sets.append(set(defining.get(terms[-1], ())))
    if not file_sets:
        return []
    common_files = set.intersection(*file_sets)
    return sorted(common_files or file_sets[-1])
