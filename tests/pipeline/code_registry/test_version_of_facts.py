"""Facts that are kept between runs are used again only while everything that made them is the same."""

import ast
from pathlib import Path

import pytest

from pipeline.code_registry.all_languages import LANGUAGES
from pipeline.code_registry.language import SHARED_EXTRACTION, Language

ROOM = Path(__file__).parents[3] / "pipeline" / "code_registry"
PACKAGE = "pipeline.code_registry."


def imported_files(start: Path) -> set[str]:
    """The files of the room that a file imports, and those that these import."""
    files, waiting = set[Path](), [start]
    while waiting:
        file = waiting.pop()
        if file not in files:
            files.add(file)
            nodes = ast.walk(ast.parse(file.read_text()))
            for node in nodes:
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                    module = ROOM / (node.module or "").removeprefix(PACKAGE).replace(".", "/")
                    parts = [module / name.name for name in node.names] if module.is_dir() else [module]
                    waiting += [part.with_suffix(".py") for part in parts]
    return {file.relative_to(ROOM).as_posix() for file in files}


@pytest.mark.parametrize("language", [item for item in LANGUAGES if item.grammar], ids=lambda item: item.name)
def test_every_file_that_an_extractor_imports_is_part_of_the_version_of_its_facts(language: Language) -> None:
    folder = f"languages/{language.folder or language.name}"
    imported = imported_files(ROOM / folder / "extractor.py")
    outside = {file for file in imported if not file.startswith(f"{folder}/")}
    assert outside <= {*SHARED_EXTRACTION}
