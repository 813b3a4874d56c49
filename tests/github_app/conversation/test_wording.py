"""Every comment of the App, whole, as it reads on the issue."""

import re
from datetime import UTC, datetime

import pytest
from inline_snapshot import snapshot

from github_app.conversation.effects import (
    Help,
    LabellerRefused,
    LateReply,
    LimitReached,
    Notice,
    NotUnderstood,
    Reminder,
    RunFailed,
    RunNotStarted,
    RunUnreadable,
    TicketEdited,
    TicketReady,
)
from github_app.conversation.notices.choose import notice_comment
from github_app.conversation.record import Conversation, PendingAnswer, QuestionClosure, State
from github_app.conversation.wording.asked import question_asked
from github_app.conversation.wording.ended import question_comment
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import Option
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Conclusion, LikelyPlace, TargetConfidence, TicketFact
from pipeline.contract.wire import NO_COMMIT, RunIdentity
from tests.github_app.conversation.questions import (
    already_there,
    asked,
    blocked,
    candidate,
    confirmation,
    many_routes,
    run,
    two_readings,
    two_routes,
)
from tests.github_app.fakes.world import a_ticket

DEADLINE = datetime(2026, 12, 8, 9, 0, tzinfo=UTC)
REASON = "the ticket does not mention streaming, and 1 has more callers. That is a guess, so I asked."
SURFACE = GitHubMarkdown()


def written(question) -> str:
    return SURFACE.render(question_asked(question, addressee="octocat", deadline=DEADLINE))


def a_record(**more) -> Conversation:
    known = Conversation(
        repository_id=1, issue=418, author="octocat", question=two_routes(), question_comment_id=3300000001,
        expires_at=DEADLINE, state=State.ASKING,
    )  # fmt: skip
    return known.model_copy(update=more)


def edited(**more) -> str:
    message = question_comment(a_record(**more))
    assert message is not None
    return SURFACE.render(message)


def said(notice: Notice, **more) -> str:
    return SURFACE.render(notice_comment(a_record(**more), notice, "acme/orders"))


def given(**more) -> PendingAnswer:
    answer = Answer(
        question_id="q-1", slot="entry_route", choice="route:POST /actions/stream", comment_id=3300000002
    )
    fields: dict[str, object] = {
        "answer": answer, "login": "octocat", "said": "2", "choice": "route:POST /actions/stream",
        "run_id": 18420019977, **more,
    }  # fmt: skip
    return PendingAnswer.model_validate(fields)


def test_the_question():
    assert written(two_routes(default_reason=REASON)) == snapshot("""\
**@octocat, which route should get the rate limit?** The ticket says “rate-limit the action endpoint”. Two routes fit, and no word in the ticket picks one.

| Reply | What | Consequence | Where |
|---|---|---|---|
| **`1`** default | `POST /actions` → `create_action` | 7 callers notice it | `app/api/actions.py` lines 41–58 |
| **`2`** | `POST /actions/stream` → `stream_actions` | 1 caller notices it | `app/api/stream.py` lines 22–47 |

Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by 8 December.

<details>
<summary>The code</summary>

`POST /actions`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/actions.py#L41-L58

`POST /actions/stream`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/stream.py#L22-L47

</details>

<details>
<summary>What I looked at, and why 1 is the default</summary>

- **Why 1:** the ticket does not mention streaming, and 1 has more callers. That is a guess, so I asked.
- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `decomposition`.

- [ ] keep this answer for later tickets (or `/decide`)

</details>\
""")


def test_little_code_stands_in_sight_and_three_candidates_fold_theirs():
    short = tuple(
        candidate(f"model:{n}", n, "app/models.py", lines, **{"uses of the model": uses, "tests that reach it": uses - 1})
        for n, lines, uses in (("Order.state", (3, 8), 1), ("Parcel.state", (20, 25), 4))
    )  # fmt: skip
    shown = written(asked(candidates=short, slot="model", text="Which model is meant?"))
    assert shown.partition("\n\n<details>")[0] == snapshot("""\
**@octocat, which model is meant?** The ticket says “rate-limit the action endpoint”. Two models have that field, and no word in the ticket picks one.

| Reply | What | Consequence | Where | Tests |
|---|---|---|---|---|
| **`1`** | `Order.state` | the model is used 1 time | `app/models.py` lines 3–8 | 0 |
| **`2`** | `Parcel.state` | the model is used 4 times | `app/models.py` lines 20–25 | 3 |

`Order.state`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/models.py#L3-L8

`Parcel.state`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/models.py#L20-L25

Reply **`1`** or **`2`**; there is no default. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by 8 December.\
""")
    third = candidate("model:c", "Box.state", "app/models.py", (30, 30))
    folded = written(asked(candidates=(*short, third), slot="model"))
    assert "blob" not in folded.partition("<summary>The code</summary>")[0]


def test_what_sets_readings_apart_is_the_consequence_of_choosing_one():
    facts = {"plans": "2 of 3", "also touches": "Order", "in its own words": "Refuse it, with @claude."}
    readings = (
        candidate("effects:1", "status 429", "a.py", (1, 2), **facts),
        candidate("effects:2", "status 202", "a.py", (1, 2), plans="1 of 3"),
    )
    rows = written(asked(candidates=readings, slot="effects", stage="semantics")).splitlines()[2:6]
    assert rows == snapshot(
        [
            "| Reply | What | Consequence | Where |",
            "|---|---|---|---|",
            "| **`1`** | `status 429` | 2 of 3 plans; also touches: Order; “Refuse it, with `＠claude`.” | `a.py` lines 1–2 |",
            "| **`2`** | `status 202` | 1 of 3 plans | `a.py` lines 1–2 |",
        ]
    )


def test_the_question_between_readings():
    assert written(two_readings()) == snapshot("""\
**@octocat, which behaviour is meant?** The ticket says “handle bursts gracefully”. Three plans, all made from the same text, would do different things.

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | `POST /actions: status 429` | 2 of 3 plans |
| **`2`** | `POST /actions: status 202` | 1 of 3 plans |

Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by 8 December.

<details>
<summary>What I looked at, and why 1 is the default</summary>

- **Why 1:** 2 of 3 plans read it so.
- I compare what plans would touch and do, not how they are worded.
- Settled without you: “actions” in the ticket fits one target and no other
- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `semantics`.

</details>\
""")


def test_the_question_with_many_choices_shows_four_and_keeps_the_numbers():
    assert written(many_routes(7)) == snapshot("""\
**@octocat, which route should get the rate limit?** The ticket says “rate-limit the action endpoint”. 7 routes fit, and no word in the ticket picks one.

| Reply | What | Where |
|---|---|---|
| **`1`** | `GET /part1` | `app/part1.py` lines 1–6 |
| **`2`** | `GET /part2` | `app/part2.py` lines 2–7 |
| **`3`** | `GET /part3` | `app/part3.py` lines 3–8 |
| **`4`** | `GET /part4` | `app/part4.py` lines 4–9 |

<details>
<summary>3 more, with their numbers</summary>

| Reply | What | Where |
|---|---|---|
| **`5`** | `GET /part5` | `app/part5.py` lines 5–10 |
| **`6`** | `GET /part6` | `app/part6.py` lines 6–11 |
| **`7`** | `GET /part7` | `app/part7.py` lines 7–12 |

</details>

Reply **`1`** to **`7`**; there is no default. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by 8 December.

<details>
<summary>The code</summary>

`GET /part1`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/part1.py#L1-L6

`GET /part2`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/part2.py#L2-L7

`GET /part3`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/part3.py#L3-L8

`GET /part4`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/part4.py#L4-L9

</details>

<details>
<summary>What I looked at</summary>

- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `decomposition`.

- [ ] keep this answer for later tickets (or `/decide`)

</details>\
""")


def test_the_question_about_existing_code():
    assert written(already_there()) == snapshot("""\
**@octocat, this seems to exist already. Is it what you wanted?** The ticket says “rate-limit the action endpoint”. Everything it asks for was found in the code.

| Found | Where |
|---|---|
| `POST /actions` | `app/api/actions.py` lines 41–58 |
| `POST /actions/stream` | `app/api/stream.py` lines 22–47 |

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | Yes, nothing to build. | Nothing is built. You may close the issue. |
| **`2`** | It exists, but it falls short. | Tell me how: `/answer 2` and one sentence. |
| **`3`** | Build it anyway, next to what is there. | I go on as if it were not there. |

Reply **`1`**, **`2`** or **`3`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by 8 December.

<details>
<summary>The code</summary>

`POST /actions`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/actions.py#L41-L58

`POST /actions/stream`:

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/stream.py#L22-L47

</details>

<details>
<summary>What I looked at</summary>

- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `existing`.

</details>\
""")


def test_the_question_for_a_confirmation():
    assert written(confirmation()) == snapshot("""\
**@octocat, may the coder run this command?** 2 routes reach the chain leaf 'limit'. Prose did not name which.

- `tool`: `run_command`
- `arguments`: `{"command": "alembic revision"}`
- `occurrence`: `1`

| Reply | What | Consequence |
|---|---|---|
| **`1`** | `Approve` | This one call is made, and no other. |
| **`2`** default | `Decline` | The call is not made; the agent looks for another way. |

Reply **`1`** or **`2`**, or **`go`** to take 2 (it declines). Only people with write access can decide; `ok`, `yes` and 👍 decide nothing. To stop: `/cancel`. Answer by 8 December.

<details>
<summary>What I looked at</summary>

- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `coder`.

</details>\
""")


def test_the_five_lines_of_somebody_who_is_blocked_stand_on_lines_of_their_own():
    lines = ["BLOCKED: 3 of 3 rounds are used: the tests are red", "Tried: " + "round 1, with `x`; " * 40,
             "Believes: the test wants a blank", "Question: Shall it go on?", "Default: stop"]  # fmt: skip
    stuck = blocked().model_copy(update={"reason": "\n".join(lines)})
    head, what, tried, believes, default, *_ = written(stuck).splitlines()
    assert head == "**@octocat, I am blocked: may the coder change the database schema?**"
    assert what == "**Blocked:** 3 of 3 rounds are used: the tests are red"
    assert tried.startswith("**Tried:** round 1, with `x`; round 1")
    assert (believes, default) == ("**Believes:** the test wants a blank", "**Default:** stop")


def test_the_question_of_an_agent_that_offers_nothing_but_its_default():
    lines = ["BLOCKED: agent `coder` of stage `coder`: the same step failed 3 times",
             "Tried: run_command git push (3 times): denied by the gate", "Believes: The remote wants a login.",
             "Question: May the branch be left unpushed?", "Default: Leave the branch unpushed and complete."]  # fmt: skip
    only = (Option(id="more_budget", label="Leave the branch unpushed and complete."),)
    question = blocked().question.model_copy(
        update={"text": "May the branch be left unpushed?", "options": only, "default": "more_budget"}
    )
    stuck = blocked().model_copy(update={"reason": "\n".join(lines), "question": question})
    assert written(stuck) == snapshot("""\
**@octocat, I am blocked: may the branch be left unpushed?**
**Blocked:** agent `coder` of stage `coder`: the same step failed 3 times
**Tried:** `run_command` git push (3 times): denied by the gate
**Believes:** The remote wants a login.
**Default:** Leave the branch unpushed and complete.

Reply **`go`** to have that done within a fresh budget. For anything else: `/answer` and one sentence. To give up: `/cancel`. A fresh budget takes write access; the author and assignees can give up. Answer by 8 December.

<details>
<summary>What I looked at</summary>

- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `coder`.

</details>\
""")


def test_the_question_of_somebody_who_is_blocked():
    assert written(blocked()) == snapshot("""\
**@octocat, I am blocked: may the coder change the database schema?** 2 routes reach the chain leaf 'limit'. Prose did not name which.

| Reply | What |
|---|---|
| **`1`** | Yes, add the table and the migration. |
| **`2`** default | No. Keep the in-memory counter. |

Reply **`1`** or **`2`**, or **`go`** to take 2. For anything else: `/answer` and one sentence. To give up: `/cancel`. A fresh budget takes write access; the author and assignees can give up. Answer by 8 December.

<details>
<summary>What I looked at</summary>

- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `coder`.

</details>\
""")


def test_the_question_without_choices():
    assert written(asked(candidates=(), stage="reading", text="In which format?", quotes=())) == snapshot("""\
**@octocat, in which format?** 2 routes reach the chain leaf 'limit'. Prose did not name which.

Reply `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by 8 December.

<details>
<summary>What I looked at</summary>

- Without an answer I change nothing. Commit `4f1c0a9`, run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `reading`.

</details>\
""")


def test_the_question_on_a_terminal_without_an_app():
    local = RunIdentity(
        repository=None, issue=None, commit=NO_COMMIT, run_id="local-1", ticket_sha256="a" * 64
    )
    assert SURFACE.render(question_asked(two_routes(identity=local))) == snapshot("""\
**Which route should get the rate limit?** The ticket says “rate-limit the action endpoint”. Two routes fit, and no word in the ticket picks one.

| Reply | What | Consequence | Where |
|---|---|---|---|
| **`1`** default | `POST /actions` → `create_action` | 7 callers notice it | `app/api/actions.py` lines 41–58 |
| **`2`** | `POST /actions/stream` → `stream_actions` | 1 caller notices it | `app/api/stream.py` lines 22–47 |

Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer.

<details>
<summary>What I looked at</summary>

- Without an answer I change nothing. Run `local-1`, stage `decomposition`.

- [ ] keep this answer for later tickets (or `/decide`)

</details>\
""")


def test_the_answered_question():
    assert edited(given=given(), state=State.RUNNING) == snapshot("""\
~~Which route should get the rate limit?~~ **Answered by `octocat`:** 2, `POST /actions/stream` ([reply](https://github.com/acme/orders/issues/418#issuecomment-3300000002)). Taken up by run [18420019977](https://github.com/acme/orders/actions/runs/18420019977).

Wrong? Reply `/answer 1` while the run is going, and I stop it and start again.

<details>
<summary>The question as it was</summary>

- **1.** `POST /actions`
- **2.** `POST /actions/stream`

- [ ] keep this answer for later tickets (or `/decide`)

</details>\
""")


def test_the_answered_question_says_what_was_not_passed_on():
    shown = edited(given=given(beside="and please also log the client id"), state=State.RUNNING)
    assert shown.split("\n\n")[1] == snapshot(
        "Your reply also says “and please also log the client id”. I passed on only the choice. To pass it on, reply `/answer` and everything in one text."
    )


def test_the_question_answered_by_default_before_the_run_is_known():
    shown = edited(given=given(by_default=True, run_id=None), state=State.RUNNING)
    assert shown.split("\n\n")[0] == snapshot(
        "~~Which route should get the rate limit?~~ **Answered by `octocat`:** 2, `POST /actions/stream` (the default) ([reply](https://github.com/acme/orders/issues/418#issuecomment-3300000002)). Starting."
    )


def test_the_question_answered_with_free_text():
    answer = Answer(question_id="q-1", slot="entry_route", text_sha256="a" * 64, comment_id=3300000002)
    shown = edited(given=given(answer=answer, choice=None, said="/answer limit @both"), state=State.RUNNING)
    assert shown.split("\n\n")[0] == snapshot(
        "~~Which route should get the rate limit?~~ **Answered by `octocat`:** “`/answer` limit `＠both`” ([reply](https://github.com/acme/orders/issues/418#issuecomment-3300000002)). Taken up by run [18420019977](https://github.com/acme/orders/actions/runs/18420019977)."
    )


@pytest.mark.parametrize(
    "how", ["expired", "cancelled", "issue_closed", "unlabeled", "ticket_edited", "limit"]
)
def test_a_question_that_ended_mentions_nobody(how):
    shown = edited(ended=QuestionClosure(how=how, login="octocat"), state=State.STOPPED)
    assert "@" not in shown
    assert shown.startswith("~~Which route should get the rate limit?~~ **")


def test_the_expired_question():
    assert edited(ended=QuestionClosure(how="expired"), state=State.EXPIRED) == snapshot("""\
~~Which route should get the rate limit?~~ **Closed without code:** nobody answered by 8 December. Nothing was changed.

Still wanted? Reply **`1`** for `POST /actions`, **`2`** for `POST /actions/stream`, **`go`** for 1, or `/answer` and one sentence, and I start from the newest commit. I ask again only if the code has changed so that this question no longer fits.

<details>
<summary>The question as it was</summary>

- **1.** `POST /actions`
- **2.** `POST /actions/stream`

</details>\
""")


def test_the_cancelled_question():
    assert edited(ended=QuestionClosure(how="cancelled", login="octocat"), state=State.STOPPED) == snapshot("""\
~~Which route should get the rate limit?~~ **Stopped by `octocat`.** Nothing was changed. To start over, label the issue `askfirst` again.

<details>
<summary>The question as it was</summary>

- **1.** `POST /actions`
- **2.** `POST /actions/stream`

</details>\
""")


def test_the_hint_for_a_question_mark():
    assert said(NotUnderstood(question_id="q-1", said="2?", why="question")) == snapshot("""\
I read “2?” as a question to me, so I have **not** started. Reply **`1`** for `POST /actions`, **`2`** for `POST /actions/stream`, or **`go`** for 1. In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))

<sub>I say this once per question. After that I only react with 😕.</sub>\
""")


def test_the_hint_for_a_conflict():
    notice = NotUnderstood(question_id="q-1", said="1 and 2", why="conflict", choices=(1, 2))
    assert said(notice).split("\n\n")[0] == snapshot(
        "I read “1 and 2” as **`1`** and **`2`** at once, so I have **not** started. Choose one. Reply **`1`** for `POST /actions`, **`2`** for `POST /actions/stream`, or **`go`** for 1. In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )


def test_the_hint_for_a_choice_that_needs_a_sentence():
    notice = NotUnderstood(question_id="q-1", said="2", why="needs_text", choices=(2,))
    assert said(notice, question=already_there()).split("\n\n")[0] == snapshot(
        "For **`2`** I need to know how it falls short: reply `/answer 2` and one sentence. Reply **`1`** for `Yes, nothing to build.`, **`2`** for `It exists, but it falls short.`, **`3`** for `Build it anyway, next to what is there.`, or **`go`** for 1. In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )


def test_the_hint_where_there_is_no_default():
    notice = NotUnderstood(question_id="q-1", said="go", why="no_default")
    assert said(notice, question=many_routes(6)).split("\n\n")[0] == snapshot(
        "This question has no default to take, so I have **not** started. Reply **`1`** for `GET /part1`, **`2`** for `GET /part2`, **`3`** for `GET /part3`, **`4`** for `GET /part4`, any number up to **`6`**, and I go on. In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )


def test_the_hint_for_anything_else():
    notice = NotUnderstood(question_id="q-1", said="go away @claude", why="unclear")
    assert said(notice).split("\n\n")[0] == snapshot(
        "I could not read a choice in “go away `＠claude`”, so I have **not** started. Reply **`1`** for `POST /actions`, **`2`** for `POST /actions/stream`, or **`go`** for 1. In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )


def test_help():
    assert said(Help(question_id="q-1")) == snapshot(
        "Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )
    assert said(Help(question_id=None), question=None) == snapshot(
        "No question is open here. To start, label the issue `askfirst`."
    )


@pytest.mark.parametrize("why", ["answered", "edited", "ended", "issue_closed"])
def test_a_late_reply_is_told_what_to_do(why):
    shown = said(LateReply(question_id="q-1", why=why, said="1"))
    assert "`/answer`" in shown or "`askfirst` again" in shown


def test_the_late_reply():
    assert said(LateReply(question_id="q-1", why="answered", said="1")) == snapshot(
        "This question has an answer already, so “1” changes nothing. To change the answer while the run is going, reply `/answer` and the number. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )


def test_the_refused_labeller():
    assert said(LabellerRefused(login="triager", role="triage")) == snapshot(
        "I have **not** started: `triager` set the label, and has the role `triage` here. Only a person with write access can start a run: they can remove the label and set it again."
    )


def test_the_ready_ticket():
    assert said(TicketReady(ticket=a_ticket(), run_id=18420019977)) == snapshot("""\
**The ticket is ready: Limit the action endpoint**.

What: `add`. You chose it.

Target: `POST /actions/stream` · `app/api/stream.py` lines 22–47

https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/stream.py#L22-L47

Next: a coding agent, or a person, can start from here. The issue is labelled `askfirst:ready`.

<details>
<summary>Chain, tests, assumptions</summary>

- Chain: `POST /actions/stream`
- Done when: The 11th request is refused.
- Commit `4f1c0a9`, run [18420019977](https://github.com/acme/orders/actions/runs/18420019977).

</details>\
""")


def test_the_ticket_without_targets():
    ticket = a_ticket(ready=False).model_copy(
        update={
            "notes": (
                "The issue shares no word with the code that few files have.",
                "Next: name the file, function or route in the issue and set the label again; or configure a model.",
            )
        }
    )
    assert said(TicketReady(ticket=ticket, run_id=18420019977)) == snapshot("""\
**I do not know which code this is about.**

The issue shares no word with the code that few files have.

Next: name the file, function or route in the issue and set the label again; or configure a model.

<details>
<summary>Chain, tests, assumptions</summary>

- Chain: `POST /actions/stream`
- Done when: The 11th request is refused.
- Commit `4f1c0a9`, run [18420019977](https://github.com/acme/orders/actions/runs/18420019977).

</details>\
""")


def test_the_ticket_with_likely_places_shows_three_with_their_reasons_and_folds_the_rest():
    places = tuple(
        LikelyPlace(
            path=f"app/api/{name}.py", probability=probability, because=("It has “@claude <b>”.", "More.")
        )
        for name, probability in (("stream", 0.42), ("limit", 0.2), ("bulk", 0.11), ("last", 0.02))
    )
    ticket = a_ticket(ready=False).model_copy(
        update={
            "confidence": TargetConfidence.LIKELY,
            "places": places,
            "notes": (
                "No citation of the issue leads to one place in the code.",
                "Next: write its path into the issue.",
            ),
        }
    )
    assert said(TicketReady(ticket=ticket, run_id=18420019977)) == snapshot("""\
**The issue does not say which code it means. It is probably here:**

| File | Probability | Why |
|---|---|---|
| [`app/api/stream.py`](https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/stream.py) | 42% | It has `“＠claude <b>”`. |
| [`app/api/limit.py`](https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/limit.py) | 20% | It has `“＠claude <b>”`. |
| [`app/api/bulk.py`](https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/bulk.py) | 11% | It has `“＠claude <b>”`. |

No citation of the issue leads to one place in the code.

Next: write its path into the issue.

<details>
<summary>Chain, tests, assumptions</summary>

- Likely place: `app/api/last.py`, 2%: It has `“＠claude <b>”`.
- Chain: `POST /actions/stream`
- Done when: The 11th request is refused.
- Commit `4f1c0a9`, run [18420019977](https://github.com/acme/orders/actions/runs/18420019977).

</details>\
""")


def test_the_ticket_of_a_triage_says_what_the_last_agent_says_and_obeys_no_word_of_it():
    conclusions = (
        Conclusion(stage="completeness", agent="completeness", replies="model", output={"complete": True, "missing": []}),
        Conclusion(
            stage="verdict", agent="verdict", replies="model",
            output={
                "recommendation": "ask_author",
                "summary": "Ask @octocat. ![x](https://evil.example/pixel)",
                "**reasons**": [{"finding": "completeness", "text": "<!-- askfirst:v1 -->"}],
            },
        ),
    )  # fmt: skip
    ticket = a_ticket(ready=False).model_copy(update={"operation": "unknown", "conclusions": conclusions})
    assert said(TicketReady(ticket=ticket, run_id=18420019977)) == snapshot("""\
**I have looked at the issue, and changed nothing.**

- recommendation: `ask_author`
- summary: Ask `＠octocat`. `![x](https://evil.example/pixel)`
- `**reasons**`: finding: completeness, text: `<!-- askfirst:v1 -->`

These are a model's words. Next: a person decides.

<details>
<summary>Chain, tests, assumptions</summary>

- `completeness`: complete: yes
- `verdict`: recommendation: `ask_author`; summary: Ask `＠octocat`. `![x](https://evil.example/pixel)`; `**reasons**`: finding: completeness, text: `<!-- askfirst:v1 -->`
- Chain: `POST /actions/stream`
- Done when: The 11th request is refused.
- Commit `4f1c0a9`, run [18420019977](https://github.com/acme/orders/actions/runs/18420019977).

</details>\
""")


def test_facts_of_any_stage_are_shown_and_mention_nobody():
    facts = (
        TicketFact(name="Code owners", value="@octocat, @hubot"),
        TicketFact(name="**Service**", value="parcels\n<!-- askfirst:v1 -->"),
    )
    ready = said(TicketReady(ticket=a_ticket().model_copy(update={"facts": facts}), run_id=18420019977))
    alone = a_ticket(ready=False).model_copy(update={"operation": "unknown", "facts": facts})
    assert [line for line in ready.splitlines() if line.startswith("- ")] == snapshot(
        [
            "- Chain: `POST /actions/stream`",
            "- Code owners: `＠octocat`, `＠hubot`",
            "- `**Service**`: parcels `<!-- askfirst:v1 -->`",
            "- Done when: The 11th request is refused.",
            "- Commit `4f1c0a9`, run [18420019977](https://github.com/acme/orders/actions/runs/18420019977).",
        ]
    )
    assert said(TicketReady(ticket=alone, run_id=18420019977)) == snapshot("""\
**I have looked at the issue, and changed nothing.**

- Code owners: `＠octocat`, `＠hubot`
- `**Service**`: parcels `<!-- askfirst:v1 -->`

<details>
<summary>Chain, tests, assumptions</summary>

- Chain: `POST /actions/stream`
- Code owners: `＠octocat`, `＠hubot`
- `**Service**`: parcels `<!-- askfirst:v1 -->`
- Done when: The 11th request is refused.
- Commit `4f1c0a9`, run [18420019977](https://github.com/acme/orders/actions/runs/18420019977).

</details>\
""")


def test_the_failed_run():
    failure = Failure(
        kind="UnreadableSource", stage="registry", message="src/orders.py cannot be parsed", why="Line 3 is not Python.",
        what_to_do="Mend src/orders.py, or exclude it in .github/askfirst/config.yml.", run=run(),
    )  # fmt: skip
    assert said(RunFailed(failure=failure, run_id=18420011223)) == snapshot("""\
**The run ended with an error:** `src/orders.py` cannot be parsed

Why: Line 3 is not Python.

What to do: Mend `src/orders.py`, or exclude it in `.github/askfirst/config.yml`.

Nothing was changed. Run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `registry`. When this is fixed, label the issue `askfirst` again.\
""")


def test_the_failed_precondition():
    failure = Failure(
        kind="PreconditionFailed", stage="preconditions", message="This repository has no tests.", why="",
        what_to_do="Add one test, however small.", run=run(),
    )  # fmt: skip
    assert said(RunFailed(failure=failure, run_id=18420011223)) == snapshot("""\
**I have not started:** This repository has no tests.

What to do: Add one test, however small.

Nothing was changed. Run [18420011223](https://github.com/acme/orders/actions/runs/18420011223), stage `preconditions`. When this is fixed, label the issue `askfirst` again.\
""")


def test_the_run_that_cannot_be_read():
    assert said(RunUnreadable(why="its artifact has expired", run_id=18420011223)) == snapshot(
        "**The run ended without a result that I can use:** its artifact has expired. Nothing was changed. See run [18420011223](https://github.com/acme/orders/actions/runs/18420011223); to try once more, label the issue `askfirst` again."
    )


def test_the_run_that_could_not_be_started():
    assert said(RunNotStarted(status=404, message="Not Found")) == snapshot(
        "**I could not start the run:** GitHub answered 404, “Not Found”. Is `.github/workflows/askfirst.yml` on the default branch and enabled, and may Actions run here? When this is fixed, reply again with `/answer` and the number."
    )


def test_the_limit():
    assert said(LimitReached(what="rounds", limit=3)) == snapshot(
        "**I stop here after 3 rounds.** More is open than a ticket should leave open. Nothing was changed. Add the answers to the ticket, and label the issue `askfirst` again."
    )


def test_the_edited_ticket():
    assert said(TicketEdited()) == snapshot(
        "**The ticket was edited** while I was working on it. I work on the text as it was labelled, so I stop here. To use the new text, label the issue `askfirst` again."
    )


def test_the_reminder():
    assert said(Reminder(question_id="q-1")) == snapshot(
        "This question still waits for an answer. Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. ([the question](https://github.com/acme/orders/issues/418#issuecomment-3300000001))"
    )


def test_the_question_is_short():
    shown = written(two_routes(default_reason=REASON))
    assert len(shown) + 420 <= 1_760, "with its marker"
    above_the_fold = shown.partition("<details>")[0]
    assert len([word for word in re.findall(r"\S*\w\S*", above_the_fold) if "://" not in word]) <= 90
    assert shown.count("@") == 1
