"""What a language has to offer to be read: the contract between its room and the builder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.framework import Framework, WebPackage
from pipeline.code_registry.linking.names.words import FindModule, TypeWords
from pipeline.code_registry.linking.values.fields import ReadModels, ReadOptions, ReadSettings
from pipeline.code_registry.rows import code_version

Arrange = Callable[[Mapping[str, FileFacts]], Mapping[str, FileFacts]]
"""Leaves files out and adds such as stand for several: a package of many files."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `folder` holds the files that make its facts, if it is not the language's own; `grammar` is the package that they parse with.

    `arrange`: what becomes of the files before they are linked, where some stand for several. `unread_packages` are of frameworks that have no reader yet. `configuration`: patterns of names of files that say what imports mean; they are extracted like sources.
    """

    name: str
    suffixes: tuple[str, ...]
    extract: Callable[[bytes], FileFacts]
    module_finder: Callable[[Mapping[str, FileFacts]], FindModule]
    words: TypeWords
    frameworks: tuple[Framework, ...] = ()
    unread_packages: tuple[WebPackage, ...] = ()
    read_models: ReadModels = lambda _reading, _class: ()
    read_settings: ReadSettings = lambda _reading, _path: ()
    read_options: ReadOptions = lambda _reading, _path: ()
    grammar: str | None = None
    folder: str = ""
    configuration: tuple[str, ...] = ()
    arrange: Arrange | None = None

    @property
    def web_packages(self) -> tuple[WebPackage, ...]:
        """The packages by whose import a web framework of the language is known. Of two for one package the last counts."""
        packages = (package for framework in self.frameworks for package in framework.web_packages)
        return (*self.unread_packages, *packages)

    def version(self) -> str:
        """Names extractor and grammar: facts of another version are not used."""
        return _version(self.name, self.folder or self.name, self.grammar)


@cache
def _version(language: str, folder: str, grammar: str | None) -> str:
    from importlib.metadata import version  # dear, and not needed by processes that only read

    files = code_version(f"languages/{folder}", *SHARED_EXTRACTION)
    return f"{language}-{files}-{version(grammar) if grammar is not None else ''}"


SHARED_EXTRACTION = (
    "facts.py",
    "languages/grammars.py",
    "languages/shapes.py",
    "languages/syntax_reader.py",
    "rows.py",
)
"""The files with which all languages make facts."""
