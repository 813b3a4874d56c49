"""A reply that comes when the question has its answer, or when all is over."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue, Stage


def test_a_second_answer_changes_nothing_and_is_told_so_once(asked: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        asked.says("2")
        asked.starts_again()
        assert "**Answered by `octocat`:** 2, `POST /actions/stream`" in asked.hears()
        late = asked.says("1", by="maintainer")
        assert asked.hears() == snapshot(
            "This question has an answer already, so “1” changes nothing. To change the answer while the run is going, reply `/answer` and the number. ([the question](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT))"
        )
        assert asked.receipts(late) == ["confused"]
        asked.receipts(asked.says("1", by="maintainer"))
    assert "Target: `POST /actions/stream` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]


def test_an_explicit_second_answer_stops_the_run_and_starts_another(asked: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        asked.says("2")
        asked.starts_again()
        assert "**Answered by `octocat`:** 2, `POST /actions/stream`" in asked.hears()
        asked.says("/answer 1", by="maintainer")
        assert "**Answered by `maintainer`:** 1, `POST /actions`" in asked.hears()
    assert "Target: `POST /actions` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("workflow_dispatch", None), ("workflow_dispatch", 0)]
    assert [run.conclusion for run in asked.runs] == ["success", "cancelled", "success"]
    assert asked.labels == {READY}


def test_an_answer_after_the_end_starts_nothing(asked: Dialogue) -> None:
    asked.says("2")
    assert "**Answered by `octocat`:** 2" in asked.hears()
    assert asked.hears().startswith("**The ticket is ready:")
    asked.runs_to_its_end()
    late = asked.says("1")
    assert asked.hears() == snapshot(
        "This question is closed, so nothing was started. To start over, label the issue `askfirst` again."
    )
    assert asked.receipts(late) == ["confused"]
    thanks = asked.says("thanks, that is what I wanted")
    assert asked.receipts(thanks) == []
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
