"""What a question says when it is answered, or ends without an answer."""

import pytest
from inline_snapshot import snapshot

from github_app.conversation.record import QuestionClosure, State
from pipeline.contract.answers import Answer
from tests.github_app.conversation.written import edited, given


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


AGAIN = "To start over, label the issue `askfirst` again."
ENDINGS = {
    "cancelled": f"**Stopped by `octocat`.** Nothing was changed. {AGAIN}",
    "issue_closed": "**Closed with the issue.** Nothing was changed.",
    "limit": "**Closed:** this conversation has used up its runs. Nothing was changed.",
    "unlabeled": f"**Taken back:** the label was removed. Nothing was changed. {AGAIN}",
    "ticket_edited": "**The ticket was edited** after I had read it, so this question may no longer fit. Nothing was changed. "
    "To have it read anew, label it again.",
}


@pytest.mark.parametrize("how", ENDINGS)
def test_a_question_that_ended_says_how_and_mentions_nobody(how):
    shown = edited(ended=QuestionClosure(how=how, login="octocat"), state=State.STOPPED)
    assert shown.splitlines()[0] == f"~~Which route should get the rate limit?~~ {ENDINGS[how]}"
    assert "@" not in shown


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
