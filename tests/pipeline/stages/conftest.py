from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from pipeline.code_registry.builder import build_registry
from pipeline.code_registry.registry import Registry

Built = Callable[[Mapping[str, str]], Registry]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """Write files and build their registry, without a cache."""

    def build(files: Mapping[str, str]) -> Registry:
        for name, text in files.items():
            file = tmp_path / "tree" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(dedent(text))
        return build_registry(tmp_path / "tree", cache=None)

    return build
