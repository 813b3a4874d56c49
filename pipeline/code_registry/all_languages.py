"""The languages the registry reads, in one table."""

from pathlib import PurePosixPath

from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.go.language import GO
from pipeline.code_registry.languages.prisma.language import PRISMA
from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.languages.typescript.language import TYPESCRIPT

LANGUAGES: tuple[Language, ...] = (GO, PYTHON, TYPESCRIPT, PRISMA)


def language_of(path: str) -> Language | None:
    """The language of a file, by its suffix, or by its name for a file that configures imports."""
    pure = PurePosixPath(path)
    for language in LANGUAGES:
        if pure.suffix in language.suffixes or any(map(pure.match, language.configuration)):
            return language
    return None
