"""The languages the registry reads, in one table."""

import re
from fnmatch import translate
from functools import cache

from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.go.language import GO
from pipeline.code_registry.languages.prisma.language import PRISMA
from pipeline.code_registry.languages.python.language import PYTHON
from pipeline.code_registry.languages.queried.language import QUERIED
from pipeline.code_registry.languages.typescript.language import TYPESCRIPT

LANGUAGES: tuple[Language, ...] = (GO, PYTHON, TYPESCRIPT, PRISMA, *QUERIED)


def language_of(path: str) -> Language | None:
    """The language of a file, by its suffix, or by its name for a file that configures imports."""
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    by_suffix, by_name = _tables()
    suffix_language = by_suffix.get(f"{dot}{ending}") if stem else None
    if suffix_language is not None:
        return suffix_language
    return next((language for names, language in by_name if names.match(name)), None)


def source_names() -> list[str]:
    """Patterns of the names of all files that have a language."""
    return [
        name
        for language in LANGUAGES
        for name in (*(f"*{suffix}" for suffix in language.suffixes), *language.configuration)
    ]


@cache
def _tables() -> tuple[dict[str, Language], list[tuple[re.Pattern[str], Language]]]:
    by_suffix = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
    by_name = [
        (re.compile("|".join(map(translate, language.configuration))), language)
        for language in LANGUAGES
        if language.configuration
    ]
    return by_suffix, by_name
