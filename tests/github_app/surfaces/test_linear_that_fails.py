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


def test_a_linear_that_is_down_for_an_hour_gets_the_question_once() -> None:
    workspace = Workspace(asks=False)
    workspace.surfaces.down = {"linear"}
    workspace.asks()
    for _ in range(6):
        workspace.surfaces.sends()
        workspace.world.clock.passes(600)
    assert workspace.activities == {}
    workspace.surfaces.down = set()
    assert len(workspace.told()) == 1


def test_a_question_that_was_answered_while_linear_was_down_is_not_asked_there() -> None:
    workspace = Workspace(asks=False)
    workspace.surfaces.down = {"linear"}
    workspace.asks()
    workspace.world.says("2")
    workspace.surfaces.down = set()
    assert [kind for kind, _ in bodies(workspace)] == ["response"]
