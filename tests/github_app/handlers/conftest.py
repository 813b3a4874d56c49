"""A world of its own for each test, and one whose pull request is open."""

import pytest

from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.world import WRITER, World, a_change, a_ticket


@pytest.fixture
def world():
    return World()


@pytest.fixture
def published(world):
    """A world whose pull request is open, after one question."""
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says("2")
    world.says("/decide", WRITER)
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    world.new_comments()
    return world
