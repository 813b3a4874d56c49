"""The languages the registry reads, in one table."""

from pathlib import PurePosixPath

from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.python.language import PYTHON

LANGUAGES: tuple[Language, ...] = (PYTHON,)


def language_of(path: str) -> Language | None:
    """The language of a file, by its suffix."""
    suffix = PurePosixPath(path).suffix
    return next((language for language in LANGUAGES if suffix in language.suffixes), None)
