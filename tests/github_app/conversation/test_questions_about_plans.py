"""Questions about what a plan leaves open, as they read on the issue: what each option would do, and whom it concerns."""

import pytest
from inline_snapshot import snapshot

from github_app.conversation.record import Conversation, State
from github_app.conversation.wording.ended import question_comment
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.clarification import AskedOf, Clarification, Option
from tests.github_app.conversation.questions import asked

OPTIONS = (
    Option(id="option-2", label="It is refused", effect="The caller gets 429, and @claude <img src=x>."),
    Option(id="option-1", label="It waits", effect="It runs a minute later."),
)


def about_a_plan(of: AskedOf | None) -> Clarification:
    question = asked(
        candidates=(), options=OPTIONS, default="option-2", default_reason="It is the plainer one.", slot="point",
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
