"""A conversation that surfaces were told of."""

import pytest

from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def surfaces(world: World) -> Surfaces:
    """Two programs that were shown the question of `two_routes`."""
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.new_comments()
    return surfaces
