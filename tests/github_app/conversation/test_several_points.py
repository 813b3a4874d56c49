"""Several open points in one comment: how they are shown, and what one reply makes of all of them."""

import pytest
from inline_snapshot import snapshot

from github_app.conversation.answering import exchanges_with, is_same_answer
from pipeline.contract.reply import parse_reply
from pipeline.contract.reply_meaning import ReplyKind
from tests.github_app.conversation.questions import several_points
from tests.github_app.conversation.test_questions_about_plans import about, answer, shown

QUESTION = several_points()


def test_every_point_stands_in_one_comment_and_names_whom_it_concerns() -> None:
    assert shown(about(QUESTION)) == snapshot("""\
**@hubot, who may ask?** The ticket says “for everybody who needs it”. The ticket does not say who may do it.

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | Everybody | Whoever may act may ask. |
| **`2`** | Admins | All others get `403`. |

**b.** @octocat: What happens to the eleventh?

- **`1b`** default: It waits — It runs a minute later.
- **`2b`**: It is refused — The caller gets `429`.
- Why the default: The plan builds it.

**c.** How long is a result kept? The ticket says “kept for a while”.

- **`1c`** default: 60 s
- **`2c`**: 300 s
- Why the default: Other results are kept so long.

Reply **`go`** for all defaults, or what you want instead, such as **`2, 2b`**, or **`b:`** and your own words. For anything else: `/answer` and one sentence, and the plan is made again. To stop: `/cancel`. The author, assignees and anyone with write access can answer.

<details>
<summary>What I looked at, and why 1 is the default</summary>

- **Why 1:** The plan builds it.
- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `semantics`.

</details>\
""")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("go", ReplyKind.DEFAULT),
        ("👍", ReplyKind.DEFAULT),
        ("2, thanks!", ReplyKind.CHOICE),
        ("@askfirst 2b, c: 30 s", ReplyKind.CHOICE),
        ("/answer b: it is dropped", ReplyKind.CHOICE),
        ("/answer do something else entirely", ReplyKind.FREE),
        ("2b?", ReplyKind.UNCLEAR),
        ("b", ReplyKind.UNCLEAR),
        ("2b, and rename it", ReplyKind.UNCLEAR),
        ("c: 30 s\n\nAnd please rename it.", ReplyKind.UNCLEAR),
        ("never mind", ReplyKind.CANCEL),
    ],
)
def test_a_reply_is_read_against_all_points(words: str, kind: ReplyKind) -> None:
    assert parse_reply(words, QUESTION).kind is kind


def test_one_reply_decides_every_point() -> None:
    pending = answer("2b, c: 30 s", QUESTION)
    assert (pending.answer.choice, pending.answer.points, pending.answer.words) == (
        None,
        {QUESTION.question.id: "option-1", "q-wait": "option-2"},
        {"q-limit": "30 s"},
    )
    assert pending.answer.label == (
        "What happens to the eleventh? It is refused. How long is a result kept? 30 s. Who may ask? Everybody."
    )
    assert is_same_answer(parse_reply("c: 30 s, 2b", QUESTION), pending)
    assert not is_same_answer(parse_reply("c: 31 s, 2b", QUESTION), pending)


def test_go_takes_the_default_of_each() -> None:
    pending = answer("go", QUESTION)
    assert pending.answer.points == {
        QUESTION.question.id: "option-1",
        "q-wait": "option-1",
        "q-limit": "option-1",
    }
    assert pending.by_default


def test_the_answered_comment_and_the_pull_request_repeat_what_was_decided() -> None:
    pending = answer("2b, c: 30 s", QUESTION)
    assert shown(about(QUESTION, given=pending)).splitlines()[0] == snapshot(
        "~~Who may ask?~~ **Answered by `octocat`:** 2b (It is refused), c (30 s), the rest by default ([reply](https://github.com/acme/orders/issues/418#issuecomment-77)). Nothing will be built. Please close this issue if you agree."
    )
    assert [(exchange.question, exchange.answer) for exchange in exchanges_with(QUESTION, pending, None)] == (
        snapshot(
            [
                ("What happens to the eleventh?", "It is refused"),
                ("How long is a result kept?", "30 s"),
                ("Who may ask?", "Everybody"),
            ]
        )
    )
