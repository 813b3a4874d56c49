"""What tests of several rooms share: registries of written files, and the Messages API server of the real SDK."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from pipeline.code_registry.registry import Registry
from tests.pipeline.llm.aimock_server import HOW_TO_GET, PROGRAM, Aimock, aimock
from tests.pipeline.trusted_sources import build_registry

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


@pytest.fixture(scope="session")
def messages_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aimock]:
    """One server for all tests of a process; skips with the reason where its package is not installed."""
    if not PROGRAM.exists():
        pytest.skip(HOW_TO_GET)
    with aimock(tmp_path_factory.mktemp("aimock")) as server:
        yield server
