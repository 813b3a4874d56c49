"""Somebody without a role replies: a receipt that says no, not a word, and no run."""

from tests.github_app.journeys.conftest import Issues
from tests.github_app.journeys.dialogue import ASKED, Dialogue


def test_a_stranger_answers_nothing(asked: Dialogue) -> None:
    strangers = asked.says("2", by="stranger")
    assert asked.receipts(strangers) == ["confused"]
    chat = asked.says("I would like to have this, too.", by="stranger")
    assert asked.receipts(chat) == []
    asked.hears_nothing()
    assert asked.labels == {ASKED}

    asked.says("1")
    assert "**Answered by `octocat`:** 1" in asked.hears()
    assert asked.hears().startswith("**The ticket is ready:")
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]


def test_the_issues_author_may_answer_without_any_role(opens_issue: Issues) -> None:
    issue = opens_issue("Add a dry_run flag to the bulk action", "Nothing is written then.", by="author")
    issue.label()
    assert issue.is_asked().startswith("**@author, which route should get `dry_run`?**")
    issue.says("2", by="author")
    assert "**Answered by `author`:** 2" in issue.hears()
    assert issue.hears().startswith("**The ticket is ready:")
    assert issue.endings == [("issues", 2), ("workflow_dispatch", 0)]
