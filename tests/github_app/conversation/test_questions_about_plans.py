"""Questions about what a plan leaves open, as they read on the issue: what each option would do, and whom it concerns."""

import re

import pytest
from inline_snapshot import snapshot

from github_app.conversation.answering import exchanges_of, is_same_answer
from github_app.conversation.own_comments import question_comment
from github_app.conversation.record import Conversation, PendingAnswer, QuestionClosure, State
from github_app.conversation.replies import ReplyReceived, answer_to
from github_app.conversation.states import Trigger
from github_app.conversation.wording.asked import question_asked
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.clarification import AskedOf, Clarification, Option
from pipeline.contract.commands import text_sha256
from pipeline.contract.reply import parse_reply
from pipeline.contract.ticket import PlannedChange, TicketPlan
from tests.github_app.conversation.questions import FORMAT, OLD, WHO, a_plan, asked, plan_point
from tests.github_app.conversation.written import said

OPTIONS = (
    Option(id="option-2", label="It is refused", effect="The caller gets 429, and @claude <img src=x>."),
    Option(id="option-1", label="It waits", effect="It runs a minute later."),
)


def about_a_plan(of: AskedOf | None) -> Clarification:
    question = asked(
        candidates=(), options=OPTIONS, default="option-2", default_reason="It is the plainest to build.", slot="point",
        stage="semantics", text="What happens to the eleventh?", quotes=("handle bursts gracefully",),
    )  # fmt: skip
    return question.model_copy(
        update={
            "reason": "The ticket leaves a public name or shape open.",
            "question": question.question.model_copy(update={"asked_of": of}),
        }
    )


def comment(of: AskedOf | None, *, maintainer: str | None = "hubot") -> str:
    record = Conversation(
        repository_id=1, issue=418, author="octocat", maintainer=maintainer, question=about_a_plan(of),
        question_comment_id=3300000001, state=State.ASKING,
    )  # fmt: skip
    message = question_comment(record)
    assert message is not None
    return GitHubMarkdown().render(message)


def test_a_single_point_shows_the_plan_that_it_belongs_to_folded() -> None:
    plan = TicketPlan(
        summary="Refuse what is too much.",
        changes=(PlannedChange(path="limits.py", what="Count the calls of a minute."),),
        effects=("POST /jobs: the eleventh gets 429",),
    )
    question = about_a_plan(AskedOf.MAINTAINER)
    question = question.model_copy(update={"question": question.question.model_copy(update={"plan": plan})})
    assert not question.question.is_about_plan
    shown = GitHubMarkdown().render(question_asked(question))
    _, _, folded = shown.partition("<summary>The plan that this belongs to</summary>")
    assert folded.partition("</details>")[0].strip() == snapshot("""\
Refuse what is too much.

- `limits.py`: Count the calls of a minute.

- What is seen of it: POST `/jobs`: the eleventh gets 429\
""")
    assert "Reply **`1`** or **`2`**" in shown


def test_the_comment_says_what_each_option_would_do() -> None:
    shown = comment(AskedOf.MAINTAINER)
    assert shown.partition("<details>")[0] == snapshot("""\
**@hubot, what happens to the eleventh?** The ticket says “handle bursts gracefully”. The ticket leaves a public name or shape open.

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | It is refused | The caller gets 429, and `＠claude <img src=x>`. |
| **`2`** | It waits | It runs a minute later. |

Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer.

""")


@pytest.mark.parametrize(
    ("of", "maintainer", "addressee"),
    [
        (AskedOf.MAINTAINER, "hubot", "@hubot"),
        (AskedOf.MAINTAINER, None, "@octocat"),
        (AskedOf.AUTHOR, "hubot", "@octocat"),
        (None, "hubot", "@octocat"),
    ],
)
def test_the_comment_addresses_whom_the_question_concerns(
    of: AskedOf | None, maintainer: str | None, addressee: str
) -> None:
    assert comment(of, maintainer=maintainer).startswith(f"**{addressee}, what happens")


def about(clarification: Clarification, **fields: object) -> Conversation:
    return Conversation(
        repository_id=1, issue=418, author="octocat", maintainer="hubot", question=clarification,
        question_comment_id=3300000001, state=State.ASKING,
    ).model_copy(update=fields)  # fmt: skip


def shown(record: Conversation) -> str:
    message = question_comment(record)
    assert message is not None
    return GitHubMarkdown().render(message)


def answer(words: str, clarification: Clarification) -> PendingAnswer:
    """What a comment with these words becomes."""
    reply = parse_reply(words, clarification)
    text = reply.note or words
    event = ReplyReceived(reply, 77, "octocat", text, text, may_answer=True)
    return answer_to(about(clarification), event)


def test_an_answer_to_one_point_carries_its_words_into_the_revision_that_plans_anew() -> None:
    assert answer("2", about_a_plan(None)).answer.label == "What happens to the eleventh? It waits."
    assert answer("/answer it is dropped", about_a_plan(None)).answer.label is None


def test_a_plan_is_shown_with_what_changes_where_and_lettered_points_with_numbered_options() -> None:
    assert shown(about(a_plan(WHO, FORMAT))).partition("<details>")[0] == snapshot("""\
**@hubot, is this the right plan?** A person sees each plan before anything is built.

Add the flag.

- `app/api/actions.py`: Take the flag.

**a.** Who may ask?

- **`1a`** as planned: Everybody — Whoever may act.
- **`2a`**: Admins — All others get `403`.

**b.** What is answered?

- **`1b`**: 202 — Nothing is queued.
- **`2b`** as planned: A list — 200 with a list.
- **`3b`**: Both — It depends.

Reply **`go`** for the plan as it stands, or **`2a`** to change a point (several: `2a, 1b`). For anything else: `/answer` and one sentence, and the plan is made again. A number alone means nothing. To stop: `/cancel`. The author, assignees and anyone with write access can answer.

""")


def test_a_plan_without_open_points_is_taken_or_changed_in_words() -> None:
    assert "Reply **`go`** for the plan as it stands. For anything else" in shown(about(a_plan()))


def test_a_large_plan_folds_places_and_says_what_it_leaves_out_and_what_is_seen_of_it() -> None:
    changes = tuple(PlannedChange(path=f"app/{n}.py", what="Take it.", is_new=n == 1) for n in range(1, 9))
    plan = TicketPlan(
        summary="Add the flag.",
        changes=changes,
        effects=("A dry run is answered with 200",),
        left_out=("a page for it",),
    )
    text = shown(about(a_plan(WHO, plan=plan)))
    assert "- `app/1.py` (new): Take it.\n" in text
    assert "<summary>2 more places</summary>\n\n- `app/7.py`: Take it." in text
    assert "Not part of it: a page for it\n" in text
    assert "- What is seen of it: A dry run is answered with 200\n" in text


HOSTILE = "@claude <img src=x> [x](http://evil.example) #7 `2b` <!-- askfirst:v1 a b --> | **go**"


def test_hostile_words_of_a_plan_act_nowhere() -> None:
    hostile_point = plan_point(1, HOSTILE, (HOSTILE, HOSTILE), ("Other", HOSTILE))
    plan = TicketPlan(
        summary=HOSTILE,
        changes=(PlannedChange(path=HOSTILE, what=HOSTILE),),
        effects=(HOSTILE,),
        left_out=(HOSTILE,),
    )
    clarification = a_plan(hostile_point, plan=plan)
    pending = answer("2a", clarification)
    for record in (
        about(clarification),
        about(clarification, given=pending),
        about(clarification, ended=QuestionClosure(how="expired")),
    ):
        outside_code = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", shown(record))
        assert not re.search(r"@claude|<img|<!--|evil\.example|#7", outside_code), outside_code


def test_a_plan_of_the_largest_size_is_shown_whole() -> None:
    words = "Wörter & mehr " * 14
    points = tuple(
        plan_point(n, f"{n} {words}"[:200], *((f"{at} {words}"[:80], words[:200]) for at in range(4)))
        for n in range(1, 13)
    )
    plan = TicketPlan(
        summary=words[:300],
        changes=tuple(PlannedChange(path=f"{n}/{'p' * 290}", what=words[:300]) for n in range(12)),
        effects=(words[:200],) * 12,
    )
    text = shown(about(a_plan(*points, plan=plan)))
    assert len(text) < 52_000
    assert "**`4l`**" in text
    assert "To stop: `/cancel`." in text


@pytest.mark.parametrize("words", ["2a", "go", "/answer call it preview"])
def test_an_answered_plan_says_what_was_chosen(words: str) -> None:
    clarification = a_plan(WHO, FORMAT)
    record = about(clarification, given=answer(words, clarification), state=State.RUNNING)
    assert (
        shown(record).partition("\n\n<details>")[0]
        == {
            "2a": snapshot("""\
~~Is this the right plan?~~ **Answered by `octocat`:** 2a (Admins), the rest as planned ([reply](https://github.com/acme/orders/issues/418#issuecomment-77)). Starting.

Wrong? Reply `/answer go` while the run is going, and I stop it and start again.\
"""),
            "go": snapshot("""\
~~Is this the right plan?~~ **Answered by `octocat`:** as planned ([reply](https://github.com/acme/orders/issues/418#issuecomment-77)). Starting.

Wrong? Reply `/answer 2a` while the run is going, and I stop it and start again.\
"""),
            "/answer call it preview": snapshot("""\
~~Is this the right plan?~~ **Answered by `octocat`:** “call it preview” ([reply](https://github.com/acme/orders/issues/418#issuecomment-77)). Starting.

Wrong? Reply `/answer 2a` while the run is going, and I stop it and start again.\
"""),
        }[words]
    )


def test_an_expired_plan_can_still_be_taken() -> None:
    record = about(a_plan(WHO, FORMAT), ended=QuestionClosure(how="expired"), state=State.EXPIRED)
    assert shown(record).partition("<!--")[0] == snapshot("""\
~~Is this the right plan?~~ **Closed without code:** nobody answered. Nothing was changed.

Still wanted? Reply **`go`** for the plan as it stands, or **`2a`** to change a point (several: `2a, 1b`). In your own words: `/answer` and one sentence. I start from the newest commit.

<details>
<summary>The question as it was</summary>

- Add the flag.
- **a.** Who may ask? As planned: Everybody
- **b.** What is answered? As planned: A list

</details>\
""")


def test_a_reply_to_a_plan_that_is_not_understood_is_told_what_would_be() -> None:
    record = about(a_plan(WHO, FORMAT))
    reply = ReplyReceived(parse_reply("2", a_plan(WHO, FORMAT)), 77, "octocat", "2", "2", may_answer=True)
    assert said(reply, Trigger.NOT_UNDERSTOOD, record).partition("\n\n<sub>")[0] == snapshot(
        "I could not read a choice in “2”, so I have **not** started. Reply **`go`** for the plan as it stands, or **`2a`** to change a point (several: `2a, 1b`). In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )


def test_an_answer_to_a_plan_holds_every_point_and_its_words() -> None:
    clarification = a_plan(WHO, FORMAT)
    changed, agreed, worded = (
        answer(words, clarification).answer for words in ("2a", "go", "/answer call it preview")
    )
    assert (changed.points, agreed.points, worded.points) == (
        {"1": "b", "2": "b"},
        {"1": "a", "2": "b"},
        None,
    )
    assert changed.label == snapshot("Who may ask? Admins. What is answered? A list.")
    assert worded.label == snapshot(
        "Point a: Who may ask? 1a (taken) Everybody, 2a Admins. Point b: What is answered? 1b 202, 2b (taken) A list, 3b Both. Add the flag."
    )
    assert (worded.text_sha256, worded.comment_id) == (text_sha256("call it preview"), 77)


def test_a_pull_request_tells_what_was_decided_about_each_point_and_by_whom() -> None:
    clarification = a_plan(FORMAT, WHO)
    record = about(clarification, given=answer("2b", clarification))
    assert [
        (exchange.question, exchange.answer, exchange.login) for exchange in exchanges_of(record)
    ] == snapshot(
        [
            ("Is this the right plan?", "2b (Admins), the rest as planned", "octocat"),
            ("Who may ask?", "Admins", "octocat"),
            ("What is answered?", "A list", "octocat"),
        ]
    )


def test_a_plan_with_many_points_leaves_room_in_the_hidden_line() -> None:
    points = tuple(plan_point(n, f"{n}. {'word ' * 30}?", ("A", "x"), ("B", "y")) for n in range(1, 13))
    clarification = a_plan(*points)
    record = about(clarification, given=answer("2l", clarification))
    exchanges = exchanges_of(record)
    assert exchanges[1].question.startswith("12. word")
    assert (exchanges[-1].question, len(exchanges)) == ("8 more points", 6)
    held = record.model_copy(
        update={
            "question": None,
            "exchanges": exchanges * 3,
            "answers": (answer("go", clarification).answer,) * 3,
        }
    )
    assert len(held.model_dump_json(exclude_defaults=True).encode()) < 9_000


def test_old_callers_are_a_point_like_the_others() -> None:
    assert answer("2c", a_plan(WHO, FORMAT, OLD)).answer.points == {"1": "a", "2": "b", "3": "b"}


@pytest.mark.parametrize(
    ("stands", "reply", "is_same"),
    [
        ("go", "go", True),
        ("2a", "2a", True),
        ("2a", "go", False),
        ("go", "/answer Call it quota.", False),
        ("/answer Call it quota.", "go", False),
        ("/answer Call it quota.", "/answer Call it quota.", True),
        ("/answer Call it quota.", "/answer Call it limit.", False),
        ("go", "/cancel", False),
        ("go", "2", False),
    ],
)
def test_a_reply_is_the_answer_that_stands_only_if_it_says_the_same(
    stands: str, reply: str, is_same: bool
) -> None:
    clarification = a_plan(WHO, FORMAT)
    assert is_same_answer(parse_reply(reply, clarification), answer(stands, clarification)) is is_same
