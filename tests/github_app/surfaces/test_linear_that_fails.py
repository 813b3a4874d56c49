"""Linear refuses, is down, or loses an answer: each question is asked once, and its reply is taken."""

import pytest

from github_app.surfaces.linear import SAY
from tests.github_app.fakes.linear import (
    Workspace,
    bodies,
)


@pytest.mark.parametrize("status", [500, 429, 401, 400])
def test_a_message_waits_until_linear_takes_it(status: int) -> None:
    workspace = Workspace()
    workspace.status = status
    workspace.world.says("2")
    workspace.surfaces.sends()
    assert len(workspace.surfaces.waiting) == 1
    workspace.status = 200
    assert bodies(workspace)[-1][1].startswith("Answered by octocat on GitHub: POST `/actions/stream`")


def test_an_activity_whose_answer_was_lost_comes_once_and_takes_the_reply() -> None:
    workspace = Workspace(asks=False)
    workspace.drops_answers_to = {SAY}
    workspace.asks()
    assert len(workspace.surfaces.waiting) == 1
    assert (len(workspace.told()), len(workspace.sessions)) == (1, 1)
    workspace.writes("2")
    assert len(workspace.world.dispatched) == 1
