"""What tests of stages share."""

import pytest

from pipeline.code_registry.registry import Registry
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import SHELVES
from tests.pipeline.stages.plan_world import SERVICE


@pytest.fixture
def shelves(built: Built) -> Registry:
    return built(SHELVES)


@pytest.fixture
def service(built: Built) -> Registry:
    return built(SERVICE)
