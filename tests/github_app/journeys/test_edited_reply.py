"""A reply that is edited: it counts while the question is open, and never afterwards."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue, Stage


def test_a_reply_that_is_edited_into_an_answer_is_one(asked: Dialogue) -> None:
    reply = asked.says("2?")
    assert asked.hears() == snapshot("""\
I read “2?” as a question to me, so I have **not** started. Reply **`1`** for `POST /actions`, **`2`** for `POST /actions/stream`, or **`go`** for 1. In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT))

<sub>I say this once per question. After that I only react with 😕.</sub>\
""")
    assert asked.receipts(reply) == ["confused"]

    asked.edits(reply, "2")
    assert "**Answered by `octocat`:** 2, `POST /actions/stream`" in asked.hears()
    assert asked.hears().startswith("**The ticket is ready:")
    assert asked.receipts(reply) == ["confused", "eyes", "rocket"]
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]


def test_an_answer_that_is_edited_after_its_run_has_started_stays_what_it_was(
    asked: Dialogue, stage: Stage
) -> None:
    with stage.runs.held():
        reply = asked.says("1")
        asked.starts_again()
        assert "**Answered by `octocat`:** 1, `POST /actions`" in asked.hears()
        asked.edits(reply, "2")
        assert asked.hears() == snapshot(
            "I have started with your comment as it was before the edit. To change the answer, reply `/answer` and the number in a new comment. ([the question](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT))"
        )
        assert asked.receipts(reply) == ["eyes", "rocket", "confused"]
    assert "Target: `POST /actions` · " in asked.hears()
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]

    asked.edits(reply, "/answer 2")
    asked.hears_nothing()
    assert asked.labels == {READY}


def test_somebody_elses_edit_of_a_comment_is_no_answer_of_its_author(asked: Dialogue) -> None:
    remark = asked.says("I have to ask support first.")
    assert asked.hears().startswith("I could not read a choice in “I have to ask support first.”")
    asked.edits(remark, "2", by="maintainer")
    asked.hears_nothing()
    assert asked.endings == [("issues", 2)]
