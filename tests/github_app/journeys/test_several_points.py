"""A plan leaves several things open: all of them stand in one comment, and one reply decides all of them.

Real client, real pipeline, on an empty disk in each run. Model calls are counted.
"""

from collections import Counter

from inline_snapshot import snapshot

from sandbox.demo import SAMPLE
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Stage, model_program
from tests.journeys.messages_server import messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, planned, point

TITLE = "Add a dry_run flag to POST /actions/stream"
BODY = "Please add a `dry_run` flag. Its result is kept for a while."
KEPT = point(
    "value",
    question="How long is a result kept?",
    options=[
        {"label": "60 seconds", "effect": "It is gone after a minute."},
        {"label": "300 seconds", "effect": "It is gone after five minutes."},
    ],
    taken=1,
    about=["Its result is kept for a while."],
    why="Other results are kept so long.",
    would_ask=True,
)
SHOWN = point("interface", would_ask=True)


def test_one_reply_decides_all_points(opens_issue: Issues, stage: Stage) -> None:
    forms = {"reading": [ADDS_DRY_RUN], "plans": [planned(None, open_points=[SHOWN, KEPT])]}
    with messages_api({}, forms) as server:
        repository = stage.github.create_repository(
            "several-points", from_directory=SAMPLE, collaborators=COLLABORATORS | {"author": "read"}
        )
        stage.runs.scripted[repository.full_name] = model_program(server.url)
        dialogue = opens_issue(TITLE, BODY, by="author", repository=repository)
        dialogue.label(by="maintainer")
        assert dialogue.is_asked() == snapshot("""\
**@maintainer, how long is a result kept?** The ticket says “Its result is kept for a while”. The ticket needs a value and does not give it.

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | 60 seconds | It is gone after a minute. |
| **`2`** | 300 seconds | It is gone after five minutes. |

**b.** @author: What does a dry run answer?

- **`1b`** default: A list — The caller gets 200 with a list of what would be done.
- **`2b`**: 202 — The caller gets 202, and nothing is queued.
- Why the default: The plan would build “A list”.

Reply **`go`** for all defaults, or what you want instead, such as **`2, 2b`**, or **`b:`** and your own words. For anything else: `/answer` and one sentence, and the plan is made again. To stop: `/cancel`. The author, assignees and anyone with write access can answer by DAY.

▸ The plan that this belongs to

▸ What I looked at, and why 1 is the default\
""")

        unclear = dialogue.says("a: 2", by="author")
        assert "I could not read a choice" in dialogue.hears()
        assert dialogue.receipts(unclear) == ["confused"]

        dialogue.says("a: 90 seconds, 1b", by="author")
        assert dialogue.hears().splitlines()[0] == snapshot(
            "~~How long is a result kept?~~ **Answered by `author`:** a (90 seconds), the rest by default ([reply](https://github.com/acme/several-points/issues/ISSUE#issuecomment-COMMENT)). Taken up by run [RUN](https://github.com/acme/several-points/actions/runs/RUN)."
        )
        ready = dialogue.hears()
        assert ready.startswith("**The ticket is ready")
        assert dialogue.endings == [("issues", 2), ("workflow_dispatch", 0)]
        assert Counter(server.asked)["plans"] == 1
        comment = stage.github.comments(dialogue.issue)[-1].body
        assert "Decided: How long is a result kept? 90 seconds" in comment.replace("`", "")
