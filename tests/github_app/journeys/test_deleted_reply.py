"""A reply that is deleted: one that nobody has read says nothing; one that was taken stays taken."""

from tests.github_app.journeys.dialogue import ASKED, READY, Dialogue, Stage


def test_a_reply_that_is_gone_before_it_is_read_says_nothing(asked: Dialogue, stage: Stage) -> None:
    stage.github.faults.delay_delivery("issue_comment", seconds=1)
    reply = asked.says("2")
    stage.github.delete_comment(asked.issue, reply)
    asked.hears_nothing()
    assert asked.endings == [("issues", 2)]
    assert asked.labels == {ASKED}


def test_a_reply_that_was_taken_may_be_deleted(asked: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        reply = asked.says("2")
        asked.starts_again()
        assert "**Answered by `octocat`:** 2" in asked.hears()
        stage.github.delete_comment(asked.issue, reply)
    assert "Target: `POST /actions/stream` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert asked.labels == {READY}
