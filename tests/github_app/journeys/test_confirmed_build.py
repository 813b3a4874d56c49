"""A call of the coder waits for a maintainer: real client, real pipeline, a private repository. Model calls are counted.

On a disk that outlives the run it goes on at the very call. On an empty disk the agent begins again with the verdict.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from sandbox.actions.job import JobFolders
from sandbox.demo import SAMPLE
from tests.github_app.journeys import kept_disk
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import ASKED, Dialogue, Stage, model_program
from tests.journeys.messages_server import MessagesServer, messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, Call, approves, completes, creates, planned, reads

TITLE, BODY = "Add a dry_run flag to POST /actions/stream", "Please add a `dry_run` flag."
LOCK = [[reads("README.md")], [creates("uv.lock", "version = 1\n")]]
GOES_ON: list[list[Call]] = [*LOCK, [completes("Pin what is installed.")]]
PLANS_ANEW: list[list[Call]] = [
    *LOCK,
    [creates("docs/pins.md", "Pin what is installed.\n")],
    [completes("Say what to pin.")],
]
BEFORE = {"reading": 1, "plans": 1}

Waits = Callable[..., tuple[Dialogue, MessagesServer]]


@pytest.fixture
def waiting(opens_issue: Issues, stage: Stage, tmp_path: Path) -> Iterator[Waits]:
    """An issue in a private repository whose coder wants to write a lock file, and the model that it asks."""
    with ExitStack() as ends:

        def wait(name: str, coder: list[list[Call]], *, keeps_disk: bool) -> tuple[Dialogue, MessagesServer]:
            forms = {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}
            server = ends.enter_context(messages_api({"coder": coder, "reviewer": [[approves()]]}, forms))
            repository = stage.github.create_repository(
                name, from_directory=SAMPLE, collaborators=COLLABORATORS | {"author": "read"}, private=True
            )

            program = model_program(server.url, "--definition", "build")

            def program_on_disk(folders: JobFolders) -> Sequence[str]:
                disk = [
                    sys.executable,
                    kept_disk.__file__,
                    str(tmp_path / "disk"),
                    str(folders.run_directory),
                ]
                return [*disk, *program(folders)]

            stage.runs.scripted[repository.full_name] = program_on_disk if keeps_disk else program
            dialogue = opens_issue(TITLE, BODY, by="author", repository=repository)
            dialogue.label(by="maintainer")
            return dialogue, server

        yield wait


def answers_of(dialogue: Dialogue) -> object:
    given = json.loads(dialogue.runs[-1].event_payload["inputs"]["answers"])["answers"][-1]
    return {key: given[key] for key in ("verdict", "answered_by") if key in given}


def test_an_approved_call_is_made_and_nothing_before_it_is_paid_again(waiting: Waits) -> None:
    dialogue, server = waiting("ledger", GOES_ON, keeps_disk=True)
    assert dialogue.is_asked() == snapshot("""\
**@author, may the agent call `create_file` on `uv.lock`?** The agent of stage `coder` wants to call `create_file` on `uv.lock`. Rule `lock-files`: it decides which foreign code is installed.

- `tool`: `create_file`
- `arguments`: `{"content": "version = 1\\n", "path": "uv.lock"}`
- `occurrence`: `1`
- `result`: `100644 dbab12665d98aef021ba64953c61b0ed8a908cfb56a1c01e2fcb4b052b71a2a1`

| Reply | What | Consequence |
|---|---|---|
| **`1`** | `Approve this one call` | This one call is made, and no other. |
| **`2`** default | `Decline it` | The call is not made; the agent looks for another way. |

Reply **`1`** or **`2`**, or **`go`** to take 2 (it declines). Only people with write access can decide; `ok`, `yes` and 👍 decide nothing. To stop: `/cancel`. Answer by DAY.

▸ What I looked at, and why 2 is the default\
""")
    assert Counter(server.asked) == BEFORE | {"coder turn 0": 1, "coder turn 1": 1}
    for words, seen in (("ok", []), ("1", ["confused"])):
        assert dialogue.receipts(dialogue.says(words, by="author")) == seen
    dialogue.hears_nothing()
    assert (dialogue.endings, dialogue.labels) == ([("issues", 2)], {ASKED})

    dialogue.says("1", by="maintainer")
    assert "**Answered by `maintainer`:** 1, `Approve this one call`" in dialogue.hears()
    assert dialogue.hears().startswith("**The change is there:")
    assert dialogue.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert answers_of(dialogue) == {"verdict": "approve", "answered_by": "maintainer"}
    once = {"coder turn 0": 1, "coder turn 1": 1, "coder turn 2": 1, "reviewer turn 0": 1}
    assert Counter(server.asked) == BEFORE | once
    pull = dialogue.pull_request
    assert pull.file("uv.lock") == "version = 1\n"
    text = pull.as_read(pull.issue.body or "")
    assert text[text.index("### Decided") :].partition("\n\n### ")[0] == snapshot("""\
### Decided by a person

- May the agent call `create_file` on `uv.lock`? — **`Approve this one call`**, by `maintainer`\
""")


def test_a_decline_says_why_and_the_agent_plans_anew(waiting: Waits) -> None:
    dialogue, server = waiting("journal", PLANS_ANEW, keeps_disk=True)
    dialogue.is_asked()
    dialogue.says("/answer 2 because a bot writes the lock file", by="maintainer")
    assert "**Answered by `maintainer`:** 2, `Decline it`" in dialogue.hears()
    assert dialogue.hears().startswith("**The change is there:")
    assert answers_of(dialogue) == {"verdict": "decline", "answered_by": "maintainer"}
    assert Counter(server.asked) == BEFORE | {f"coder turn {turn}": 1 for turn in range(4)} | {
        "reviewer turn 0": 1
    }
    told = json.loads(server.bodies[server.asked.index("coder turn 2")])["messages"][-1]["content"][0][
        "content"
    ]
    assert told == snapshot("""\
declined by a person: do not repeat it, find another way
=== begin why 6d4c824ea548 ===
2 because a bot writes the lock file
=== end why 6d4c824ea548 ===\
""")
    change = dialogue.pull_request
    assert change.file("docs/pins.md") == "Pin what is installed.\n"


def test_on_an_empty_disk_the_agent_begins_again_with_the_verdict(waiting: Waits) -> None:
    dialogue, server = waiting("archive", GOES_ON, keeps_disk=False)
    dialogue.is_asked()
    dialogue.says("1", by="maintainer")
    assert "Answered by" in dialogue.hears()
    assert dialogue.hears().startswith("**The change is there:")
    # What a run wrote after repository code ran in its job is not trusted, its memo neither: all is asked again.
    again = {"reading": 2, "plans": 2, "coder turn 0": 2, "coder turn 1": 2}
    assert Counter(server.asked) == again | {"coder turn 2": 1, "reviewer turn 0": 1}
    assert dialogue.pull_request.file("uv.lock") == "version = 1\n"
