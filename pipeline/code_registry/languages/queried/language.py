"""The languages that a query file reads, as the builder sees them, and where the names of one file lie in another."""

from collections.abc import Mapping
from functools import partial
from posixpath import dirname

from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.grammars import C_SHARP, JAVA, PHP, RUBY, RUST, QueriedGrammar
from pipeline.code_registry.languages.queried.extractor import extract
from pipeline.code_registry.linking.names.words import TypeWords

_FREE = frozenset({"crate", "self", "super"})


class _FileFinder:
    """Finds the file that defines a name. One that several files define is unknown, unless an import or the folder says which."""

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self._by_name: dict[str, dict[str, None]] = {}
        self._by_stem: dict[str, list[str]] = {}
        self._namespaces: dict[str, str] = {}
        for path, facts in files.items():
            for definition in facts.definitions[1:]:
                if definition.parent == 0 and definition.kind != "extension":
                    self._by_name.setdefault(definition.name, {})[path] = None
            self._by_stem.setdefault(_places(path)[-1], []).append(path)
            self._namespaces[path] = facts.definitions[0].name

    def find(self, importing: str, module: str, _level: int) -> str | None:
        """The path of the file, None where it is not here or cannot be told."""
        *above, name = module.split(".")
        paths = list(self._by_name.get(name, ())) or self._by_stem.get(name, [])
        if above and above[-1] not in _FREE:
            paths = [path for path in paths if self._is_in(path, above)]
        if len(paths) > 1:
            paths = [path for path in paths if dirname(path) == dirname(importing)]
        return paths[0] if len(paths) == 1 else None

    def _is_in(self, path: str, above: list[str]) -> bool:
        """Whether a file is where an import says: in that namespace, or where it has none, in such a folder or file."""
        namespace = self._namespaces[path]
        return namespace == ".".join(above) if namespace else above[-1] in _places(path)[-2:]


def _places(path: str) -> list[str]:
    """The folders of a file and its own name; a file `mod` or `lib` is called by its folder."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return folders if folders and stem in {"mod", "lib"} else [*folders, stem]


def _queried(grammar: QueriedGrammar, suffix: str, package: str, constructor: str) -> Language:
    return Language(
        name=grammar.name,
        suffixes=(suffix,),
        folder="queried",
        grammar=package,
        extract=partial(extract, grammar),
        module_finder=lambda files: _FileFinder(files).find,
        words=TypeWords(constructor=constructor),
    )


QUERIED = (
    _queried(C_SHARP, ".cs", "tree-sitter-c-sharp", "constructor"),
    _queried(JAVA, ".java", "tree-sitter-java", "constructor"),
    _queried(PHP, ".php", "tree-sitter-php", "__construct"),
    _queried(RUBY, ".rb", "tree-sitter-ruby", "initialize"),
    _queried(RUST, ".rs", "tree-sitter-rust", ""),
)
