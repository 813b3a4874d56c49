"""What tests of stages share."""

import pytest

from pipeline.code_registry.registry import Registry
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import SHELVES


@pytest.fixture
def shelves(built: Built) -> Registry:
    return built(SHELVES)
