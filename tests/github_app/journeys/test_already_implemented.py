"""What a ticket wants is there already: the code is shown, and a person says that it is enough, or how it falls short."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue


def test_1_ends_the_conversation_without_a_run(there_already: Dialogue) -> None:
    assert there_already.is_asked() == snapshot("""\
**@octocat, this seems to exist already. Is it what you wanted?** The ticket says “status” and “GET `/orders`”. Everything it asks for was found in the code.

| The ticket asks for | Found | Where | Test |
|---|---|---|---|
| status on GET `/orders` | `query field status of GET /orders` | `app/api/orders.py` line 28 | `tests/test_orders.py:23` |

`query field status of GET /orders`:

https://github.com/acme/orders/blob/COMMIT/app/api/orders.py#L28-L28

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | Yes, nothing to build. | Nothing is built. You may close the issue. |
| **`2`** | It exists, but it falls short. | Tell me how: `/answer 2` and one sentence. |
| **`3`** | Build it anyway, next to what is there. | I go on as if it were not there. |

Reply **`1`**, **`2`** or **`3`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by DAY.

▸ What I looked at, and why 1 is the default\
""")
    reply = there_already.says("1")
    assert there_already.hears().splitlines()[0] == snapshot(
        "~~This seems to exist already. Is it what you wanted?~~ **Answered by `octocat`:** 1, `Yes, nothing to build.` ([reply](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT)). Nothing will be built. Please close this issue if you agree."
    )
    assert there_already.receipts(reply) == ["eyes"]
    assert there_already.endings == [("issues", 2)]
    assert there_already.labels == set()


def test_a_bare_2_is_asked_for_a_sentence_and_the_sentence_leads_to_a_ticket(there_already: Dialogue) -> None:
    there_already.is_asked()
    bare = there_already.says("2")
    assert there_already.hears() == snapshot("""\
For **`2`** I need to know how it falls short: reply `/answer 2` and one sentence. Reply **`1`** for `Yes, nothing to build.`, **`2`** for `It exists, but it falls short.`, **`3`** for `Build it anyway, next to what is there.`, or **`go`** for 1. In your own words: `/answer` and one sentence. ([the question](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT))

<sub>I say this once per question. After that I only react with 😕.</sub>\
""")
    assert there_already.receipts(bare) == ["confused"]

    there_already.says("/answer 2 it ignores the orders that are archived")
    assert "**Answered by `octocat`:** 2, " in there_already.hears()
    assert there_already.hears() == snapshot("""\
**The ticket is ready: Add a filter by status to the order list**.

What: `add`. The issue names “`GET /orders`”, and one handler answers that.

Target: `GET /orders` · `app/api/orders.py` lines 25–34

https://github.com/acme/orders/blob/COMMIT/app/api/orders.py#L25-L34

Next: a coding agent, or a person, can start from here. The issue is labelled `askfirst:ready`.

▸ Chain, tests, assumptions\
""")
    assert there_already.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert there_already.labels == {READY}
