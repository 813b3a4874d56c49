"""A reply that changes the answer while its run is going."""

from tests.github_app.journeys.dialogue import READY, Dialogue, Stage


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
