"""`/help` says what can be replied, once."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import ASKED, Dialogue


def test_help_says_what_can_be_replied_and_changes_nothing(asked: Dialogue) -> None:
    asked.says("/help")
    assert asked.hears() == snapshot(
        "Reply **`1`** or **`2`**, or **`go`** to take 1; **`both`** takes them together. For anything else: `/answer` and one sentence. To stop: `/cancel`. ([the question](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT))"
    )
    asked.says("/help")
    asked.hears_nothing()
    assert asked.endings == [("issues", 2)]
    assert asked.labels == {ASKED}
