"""Two replies in the same second: the first one counts, and starts one run."""

from tests.github_app.journeys.dialogue import READY, Dialogue, Stage


def test_two_people_reply_at_once_and_one_run_starts(asked: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        first, second = asked.says("2"), asked.says("1", by="maintainer")
        asked.starts_again()
        assert "**Answered by `octocat`:** 2" in asked.hears()
        assert "has an answer already, so “1” changes nothing" in asked.hears()
        assert (asked.receipts(first), asked.receipts(second)) == (["eyes", "rocket"], ["confused"])
    assert "Target: `POST /actions/stream` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert asked.labels == {READY}


def test_a_reply_that_was_sent_twice_starts_one_run(asked: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        asked.says("go")
        asked.says("go")
        asked.starts_again()
        assert "**Answered by `octocat`:** 1" in asked.hears()
    assert "Target: `POST /actions` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
