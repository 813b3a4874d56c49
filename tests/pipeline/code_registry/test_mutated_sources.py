"""Mutated source files cost no crash and little time: a small run of `python -m tests.fuzz.registry`."""

from pathlib import Path

import pytest

from pipeline.code_registry.all_languages import LANGUAGES
from pipeline.code_registry.language import Language
from tests.fuzz.registry import SAMPLES, fuzz, sources_of
from tests.pipeline.code_registry.test_queried_languages import PROGRAMS


@pytest.mark.parametrize(
    "language",
    [language for language in LANGUAGES if language.name != "prisma"],
    ids=lambda language: language.name,
)
def test_mutated_files_are_read_and_linked_without_a_failure(language: Language, tmp_path: Path) -> None:
    for path, source in PROGRAMS[language.name].files.items() if language.name in PROGRAMS else ():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(source)
    report = fuzz(language, sources_of(language, [SAMPLES, tmp_path]), 3, range(40), lambda line: None)
    assert (report.files, report.failures) == (40, [])
