"""Somebody who may label but not write sets the label: told once, and nothing is worked on."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue, Stage


def test_a_labeller_without_write_access_is_told_once(ambiguous: Dialogue, stage: Stage) -> None:
    ambiguous.label(by="triager")
    assert ambiguous.hears() == snapshot(
        "I have **not** started: `triager` set the label, and has the role `triage` here. Only a person with write access can start a run: they can remove the label and set it again."
    )
    ambiguous.hears_nothing()
    assert ambiguous.endings == [("issues", 1)]
    assert (ambiguous.receipts(), ambiguous.labels) == ([], set())

    stage.github.unlabel(ambiguous.issue)
    ambiguous.label(by="maintainer")
    assert ambiguous.is_asked().startswith("**@octocat, which route should get `dry_run`?**")
    ambiguous.says("2")
    assert "**Answered by `octocat`:** 2" in ambiguous.hears()
    assert ambiguous.hears().startswith("**The ticket is ready:")
    assert ambiguous.endings == [("issues", 1), ("issues", 2), ("workflow_dispatch", 0)]
    assert ambiguous.labels == {READY}
