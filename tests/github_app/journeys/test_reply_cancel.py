"""`/cancel` stops, whether a question waits or a run is going."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import Dialogue, Stage


def test_cancel_closes_the_question(asked: Dialogue) -> None:
    reply = asked.says("/cancel")
    assert asked.hears() == snapshot("""\
~~Which route should get `dry_run`?~~ **Stopped by `octocat`.** Nothing was changed. To start over, label the issue `askfirst` again.

▸ The question as it was\
""")
    assert asked.receipts(reply) == ["eyes"]
    assert (asked.endings, asked.labels) == ([("issues", 2)], set())


def test_cancel_before_a_question_means_that_none_is_asked(ambiguous: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        ambiguous.label()
        assert ambiguous.receipts() == ["eyes"]
        reply = ambiguous.says("/cancel")
        assert ambiguous.receipts(reply) == ["eyes"]
    ambiguous.hears_nothing()
    assert (ambiguous.endings, ambiguous.labels) == ([("issues", 2)], set())


def test_cancel_stops_the_run_of_an_answer(asked: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        asked.says("2")
        asked.starts_again()
        assert "**Answered by `octocat`:** 2" in asked.hears()
        asked.says("/cancel")
        assert "**Stopped by `octocat`.**" in asked.hears()
        stage.settle(besides_runs=True)
    assert [run.conclusion for run in asked.runs] == ["success", "cancelled"]
