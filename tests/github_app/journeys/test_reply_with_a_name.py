"""An answer need not be a number: the name of a file, a route or a handler will do."""

from tests.github_app.journeys.dialogue import READY, Dialogue


def test_the_one_in_a_file_leads_to_the_ticket_of_that_choice(asked: Dialogue) -> None:
    asked.says("the one in stream.py")
    assert "**Answered by `octocat`:** 2, `POST /actions/stream`" in asked.hears()
    assert "Target: `POST /actions/stream` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert asked.labels == {READY}
