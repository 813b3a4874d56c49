"""A world of its own for each test of a worker."""

import pytest

from tests.github_app.serving.workers import WithholdingWorld


@pytest.fixture
def world() -> WithholdingWorld:
    return WithholdingWorld()
