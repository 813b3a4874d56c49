"""The lines of a symbol: read from the tree when somebody asks, and never through a link."""

from pathlib import Path
from textwrap import dedent

import pytest

from pipeline.code_registry.builder import build_registry
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.store import IndexStore

SOURCE = """
import shelf

def put(volume):
    shelf.add(volume)

def take(volume):
    return shelf.remove(volume)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "loans.py").write_text(dedent(SOURCE))
    return folder


def source_of(registry: Registry, name: str) -> str:
    (symbol,) = registry.symbols_named(name)
    return registry.source_of(symbol)


def test_a_symbol_has_the_lines_of_its_file(tree: Path) -> None:
    registry = build_registry(tree, cache=None)
    assert source_of(registry, "put") == "def put(volume):\n    shelf.add(volume)"
    assert source_of(registry, "take") == "def take(volume):\n    return shelf.remove(volume)"


def test_a_registry_from_the_cache_reads_them_too(tree: Path, tmp_path: Path) -> None:
    cache = IndexStore(tmp_path / "cache")
    build_registry(tree, cache=cache)
    assert source_of(build_registry(tree, cache=cache), "put").startswith("def put")


def test_a_file_that_became_a_link_is_not_read(tree: Path, tmp_path: Path) -> None:
    registry = build_registry(tree, cache=None)
    (tree / "loans.py").rename(tmp_path / "elsewhere.py")
    (tree / "loans.py").symlink_to(tmp_path / "elsewhere.py")
    assert source_of(registry, "put") == ""
