"""Every question of the App, whole, as it reads on the issue."""

import re

from inline_snapshot import snapshot

from github_app.conversation.wording.asked import question_asked
from pipeline.contract.clarification import Option
from pipeline.contract.wire import NO_COMMIT, RunIdentity
from tests.github_app.conversation.questions import (
    already_there,
    asked,
    blocked,
    candidate,
    confirmation,
    many_routes,
    two_readings,
    two_routes,
)
from tests.github_app.conversation.written import SURFACE, written

REASON = "the ticket does not mention streaming, and 1 has more callers. That is a guess, so I asked."


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


def test_the_question_is_short():
    shown = written(two_routes(default_reason=REASON))
    assert len(shown) + 420 <= 1_760, "with its marker"
    above_the_fold = shown.partition("<details>")[0]
    assert len([word for word in re.findall(r"\S*\w\S*", above_the_fold) if "://" not in word]) <= 90
    assert shown.count("@") == 1
