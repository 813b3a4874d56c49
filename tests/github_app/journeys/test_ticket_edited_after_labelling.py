"""The ticket is edited after it was labelled: nobody works on words that nobody has approved."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue, Stage


def test_an_edit_during_the_run_is_told_and_what_the_run_finds_is_not(
    ambiguous: Dialogue, stage: Stage
) -> None:
    with stage.runs.held():
        ambiguous.label()
        assert ambiguous.receipts() == ["eyes"]
        stage.github.edit_issue(ambiguous.issue, body="Add it to POST /actions/stream.")
        assert ambiguous.hears() == snapshot(
            "**The ticket was edited** while I was working on it. I work on the text as it was labelled, so I stop here. To use the new text, label the issue `askfirst` again."
        )
    ambiguous.hears_nothing()
    assert (ambiguous.endings, ambiguous.labels) == ([("issues", 1)], set())


def test_an_edit_closes_the_open_question_and_a_new_label_reads_the_new_words(
    asked: Dialogue, stage: Stage
) -> None:
    stage.github.edit_issue(asked.issue, body="Add it to POST /actions/stream.")
    assert asked.hears() == snapshot("""\
~~Which route should get `dry_run`?~~ **The ticket was edited** after I had read it, so this question may no longer fit. Nothing was changed. To have it read anew, label it again.

▸ The question as it was\
""")
    asked.runs_to_its_end()
    late = asked.says("2")
    assert asked.hears().startswith("This question is closed, so nothing was started.")
    assert asked.receipts(late) == ["confused"]

    stage.github.unlabel(asked.issue)
    asked.label()
    assert "Target: `POST /actions/stream` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("issues", 0)]
    assert asked.labels == {READY}
