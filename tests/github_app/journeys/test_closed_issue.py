"""The issue is closed while its question waits: the question closes with it, and replies start nothing."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue, Stage


def test_a_closed_issue_is_left_alone_until_it_is_labelled_again(asked: Dialogue, stage: Stage) -> None:
    stage.github.close_issue(asked.issue)
    assert asked.hears() == snapshot("""\
~~Which route should get `dry_run`?~~ **Closed with the issue.** Nothing was changed.

▸ The question as it was\
""")
    asked.runs_to_its_end()
    late = asked.says("2")
    assert asked.hears() == snapshot(
        "This issue is closed or locked, so nothing was started. Reopen it and label the issue `askfirst` again."
    )
    assert asked.receipts(late) == ["confused"]
    assert (asked.endings, asked.labels) == ([("issues", 2)], set())

    stage.github.reopen_issue(asked.issue)
    stage.github.unlabel(asked.issue)
    asked.label()
    assert asked.is_asked().startswith("**@octocat, which route should get `dry_run`?**")
    asked.says("2")
    assert "**Answered by `octocat`:** 2" in asked.hears()
    assert asked.hears().startswith("**The ticket is ready:")
    assert asked.endings == [("issues", 2), ("issues", 2), ("workflow_dispatch", 0)]
    assert asked.labels == {READY}


def test_what_the_run_of_a_closed_issue_finds_is_not_said(ambiguous: Dialogue, stage: Stage) -> None:
    with stage.runs.held():
        ambiguous.label()
        assert ambiguous.receipts() == ["eyes"]
        stage.github.close_issue(ambiguous.issue)
        stage.settle(besides_runs=True)
    ambiguous.hears_nothing()
    assert (ambiguous.endings, ambiguous.labels) == ([("issues", 2)], set())
