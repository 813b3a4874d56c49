"""Mutated source files cost no crash and little time: a small run of `python -m tests.fuzz.registry`."""

import pytest

from pipeline.code_registry.all_languages import LANGUAGES
from pipeline.code_registry.language import Language
from tests.fuzz.registry import SAMPLES, fuzz, sources_of


@pytest.mark.parametrize(
    "language",
    [language for language in LANGUAGES if language.name != "prisma"],
    ids=lambda language: language.name,
)
def test_mutated_files_are_read_and_linked_without_a_failure(language: Language) -> None:
    report = fuzz(language, sources_of(language, [SAMPLES]), 3, range(40), lambda line: None)
    assert (report.files, report.failures) == (40, [])
