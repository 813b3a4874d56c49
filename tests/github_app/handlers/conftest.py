"""A world of its own for each test, one whose question is open, and one whose pull request is."""

import pytest

from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.endings import a_change, a_ticket
from tests.github_app.fakes.people import WRITER
from tests.github_app.fakes.world import World


@pytest.fixture
def world():
    return World()


@pytest.fixture
def open_question(world):
    """A world in which the question of `two_routes` is open."""
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.new_comments()
    return world


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
