"""The Messages API server that tests of the real SDK share."""

from collections.abc import Iterator

import pytest

from tests.pipeline.llm.aimock_server import HOW_TO_GET, PROGRAM, Aimock, aimock


@pytest.fixture(scope="session")
def messages_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aimock]:
    """One server for all tests of a process; skips with the reason where its package is not installed."""
    if not PROGRAM.exists():
        pytest.skip(HOW_TO_GET)
    with aimock(tmp_path_factory.mktemp("aimock")) as server:
        yield server
