"""Jira or Linear refuses, is down, or loses an answer: each question is asked once, and its reply is taken."""

import pytest

from github_app.surfaces.linear import SAY
from tests.github_app.fakes.jira import JiraSite, written
from tests.github_app.fakes.linear import Workspace, bodies


@pytest.mark.parametrize(
    ("status", "waits"), [(503, True), (429, True), (401, True), (403, True), (404, False)]
)
def test_a_comment_waits_until_jira_takes_it_and_a_ticket_that_is_gone_does_not(
    status: int, waits: bool
) -> None:
    site = JiraSite()
    site.status = status
    site.world.says("2")
    site.surfaces.sends()
    assert bool(site.surfaces.waiting) is waits


def test_a_comment_whose_answer_was_lost_stands_once_and_takes_the_reply() -> None:
    site = JiraSite(body="No ticket yet.")
    site.loses_answers = 1
    site.world.unlabels_it()
    site.world.edits_the_issue("Wanted by OPS-12.")
    site.asks()
    assert len(site.surfaces.waiting) == 1
    assert len(site.told()) == 1
    site.writes(written("2"))
    assert len(site.world.dispatched) == 1
    assert [request.method for request in site.surfaces.attempts] == ["POST", "GET", "POST"]


def test_a_comment_that_was_refused_is_posted_at_the_next_attempt() -> None:
    site = JiraSite()
    site.status = 503
    site.world.says("2")
    site.surfaces.sends()
    site.status = 201
    assert len(site.told()) == 2


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
