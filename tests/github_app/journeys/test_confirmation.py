"""A tool call waits for a person: whoever wrote the issue, only write access approves, and only in so many words."""

import json
import sys

import pytest
from inline_snapshot import snapshot

from sandbox.world.state import Repository
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import ASKED, Dialogue, Stage
from tests.github_app.served import scripted_run


@pytest.fixture(scope="session")
def migrations(stage: Stage) -> Repository:
    """A repository in which every run wants to run a command that somebody has to look at."""
    repository = stage.github.create_repository("migrations", collaborators=COLLABORATORS)
    stage.runs.scripted[repository.full_name] = lambda folders: [
        sys.executable, scripted_run.__file__, str(folders.run_directory), "confirmation",
    ]  # fmt: skip
    return repository


@pytest.fixture
def waiting(opens_issue: Issues, migrations: Repository) -> Dialogue:
    """The issue of somebody without a role, labelled by a maintainer."""
    dialogue = opens_issue("Keep a note", "A column for it is missing.", by="author", repository=migrations)
    dialogue.label(by="maintainer")
    return dialogue


def verdict(dialogue: Dialogue) -> object:
    """What the second run was told."""
    answers = json.loads(dialogue.runs[1].event_payload["inputs"]["answers"])["answers"]
    return answers[-1]["verdict"]


def test_the_issues_author_cannot_approve(waiting: Dialogue) -> None:
    assert waiting.is_asked() == snapshot("""\
**@author, may the coder run this command?** Rule 'migrations' wants a person to look at it.

- `tool`: `run_command`
- `arguments`: `{"command": "alembic upgrade head"}`
- `occurrence`: `1`

| Reply | What | Consequence |
|---|---|---|
| **`1`** | `Approve` | This one call is made, and no other. |
| **`2`** default | `Decline` | The call is not made; the agent looks for another way. |

Reply **`1`** or **`2`**, or **`go`** to take 2 (it declines). Only people with write access can decide; `ok`, `yes` and 👍 decide nothing. To stop: `/cancel`. Answer by DAY.

▸ What I looked at\
""")
    for words in ("1", "approve", "go", "/answer 1", "/cancel"):
        assert waiting.receipts(waiting.says(words, by="author")) == ["confused"]
    waiting.hears_nothing()
    assert (waiting.endings, waiting.labels) == ([("issues", 2)], {ASKED})

    waiting.says("1", by="maintainer")
    assert "**Answered by `maintainer`:** 1, `Approve`" in waiting.hears()
    assert waiting.hears().startswith("**The ticket is ready:")
    assert waiting.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert verdict(waiting) == "approve"


def test_ok_yes_and_a_thumb_approve_nothing(waiting: Dialogue) -> None:
    waiting.is_asked()
    for number, words in enumerate(("ok", "yes", "👍", "sure")):
        assert waiting.receipts(waiting.says(words, by="maintainer")) == ["confused"]
        if number == 0:
            assert waiting.hears() == snapshot("""\
I could not read a choice in “ok”, so I have **not** started. Reply **`1`** for `Approve`, **`2`** for `Decline`, or **`go`** for 2. `ok`, `yes` and 👍 decide nothing. ([the question](https://github.com/acme/migrations/issues/ISSUE#issuecomment-COMMENT))

<sub>I say this once per question. After that I only react with 😕.</sub>\
""")
    waiting.hears_nothing()
    assert waiting.endings == [("issues", 2)]


def test_go_declines(waiting: Dialogue) -> None:
    waiting.is_asked()
    waiting.says("go", by="maintainer")
    assert "**Answered by `maintainer`:** 2, `Decline` (the default)" in waiting.hears()
    assert waiting.hears().startswith("**The ticket is ready:")
    assert waiting.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert verdict(waiting) == "decline"
