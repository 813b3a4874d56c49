"""A run directory for each test."""

from pathlib import Path

import pytest

from tests.pipeline.engine.declared_stages import RunIn


@pytest.fixture
def run_in(tmp_path: Path) -> RunIn:
    return RunIn(tmp_path / "askfirst-run")
