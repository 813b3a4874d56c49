"""What a language has to offer to be read: the contract between its room and the builder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.framework import Framework, WebPackage
from pipeline.code_registry.linking.fields import ReadModels, ReadOptions, ReadSettings
from pipeline.code_registry.linking.words import FindModule, TypeWords

Arrange = Callable[[Mapping[str, FileFacts]], Mapping[str, FileFacts]]
"""Leaves files out and adds such as stand for several: a package of many files."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `version` names extractor and grammar: facts of another version are not used.

    `apart`: no file adds to a class of another, and none stands for several, so that the files of a large program may be
    linked part by part. `unread_packages` are of frameworks that nobody has described yet. `configuration`: patterns of names of files that say what imports mean; they are extracted like sources.
    """

    name: str
    suffixes: tuple[str, ...]
    version: Callable[[], str]
    extract: Callable[[bytes], FileFacts]
    module_finder: Callable[[Mapping[str, FileFacts]], FindModule]
    words: TypeWords
    frameworks: tuple[Framework, ...]
    unread_packages: tuple[WebPackage, ...]
    read_models: ReadModels
    read_settings: ReadSettings
    read_options: ReadOptions
    configuration: tuple[str, ...] = ()
    arrange: Arrange = dict
    apart: bool = False

    @property
    def web_packages(self) -> tuple[WebPackage, ...]:
        """The packages by whose import a web framework of the language is known. Of two for one package the last counts."""
        packages = (package for framework in self.frameworks for package in framework.web_packages)
        return (*self.unread_packages, *packages)
