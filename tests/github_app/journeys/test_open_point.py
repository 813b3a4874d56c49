"""A plan leaves something open: the maintainer is asked before any code is written, and the rest is in the pull request.

Real client, real pipeline, on an empty disk in each run. Model calls are counted.
"""

from collections import Counter

from inline_snapshot import snapshot

from sandbox.demo import SAMPLE
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Stage, model_program
from tests.journeys.messages_server import messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, approves, completes, edits, planned, point

TITLE, BODY = "Add a dry_run flag to POST /actions/stream", "Please add a `dry_run` flag."
WHO = point(
    "scope",
    question="Who may ask for a dry run?",
    options=[
        {"label": "Everybody", "effect": "Whoever may act may ask what it would do."},
        {"label": "Admins", "effect": "All others get 403."},
    ],
    taken=1,
    plainest=1,
    would_ask=True,
)
CHANGE = [edits("README.md", "# parcels", "# parcels\n\nA dry run moves none.")]


def test_what_a_plan_leaves_open_is_asked_answered_and_built(opens_issue: Issues, stage: Stage) -> None:
    plan = planned(None, open_points=[WHO, point("edge_case")])
    forms = {"reading": [ADDS_DRY_RUN], "plans": [plan]}
    turns = {"coder": [CHANGE, [completes()]], "reviewer": [[approves()]]}
    with messages_api(turns, forms) as server:
        repository = stage.github.create_repository(
            "open-point", from_directory=SAMPLE, collaborators=COLLABORATORS | {"author": "read"}
        )
        stage.runs.scripted[repository.full_name] = model_program(server.url, "--definition", "build")
        dialogue = opens_issue(TITLE, BODY, by="author", repository=repository)
        dialogue.label(by="maintainer")
        assert dialogue.is_asked() == snapshot("""\
**@maintainer, who may ask for a dry run?** The ticket says “Add a `dry_run` flag to POST `/actions/stream`”. The ticket does not say how much is to be built.

| Reply | What | Consequence |
|---|---|---|
| **`1`** default | Everybody | Whoever may act may ask what it would do. |
| **`2`** | Admins | All others get `403`. |

Reply **`1`** or **`2`**, or **`go`** to take 1. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by DAY.

▸ The plan that this belongs to

▸ What I looked at, and why 1 is the default\
""")
        assert Counter(server.asked) == {"reading": 1, "plans": 1}

        dialogue.says("2", by="author")
        assert "**Answered by `author`:** 2, `Admins`" in dialogue.hears()
        assert dialogue.hears().startswith("**The change is there:")
        pull = dialogue.pull_request
        text = pull.as_read(pull.issue.body or "")
        assumed = [line for line in text.splitlines() if "dry run" in line and line.startswith("- ")]
        assert assumed == snapshot(
            [
                "- Who may ask for a dry run? — **`Admins`**, by `author`",
                "- What does a dry run answer? A list, instead of: `202`.",
                "- **met**: author decided: Admins. All others get `403`. (The question: Who may ask for a dry run?) — The file shows it. ([`README.md`](https://github.com/acme/open-point/blob/COMMIT/README.md))",
            ]
        )
