"""`plan: ask`: the plan stands on the issue before any code is written, and is built as a person has answered it.

Real client, real pipeline, on an empty disk in each run. Model calls are counted.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from sandbox.demo import SAMPLE
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Dialogue, Stage, model_program
from tests.github_app.journeys.test_open_point import BODY, CHANGE, TITLE, WHO
from tests.journeys.messages_server import messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, approves, completes, planned, point


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The sample repository, whose maintainers want to see each plan."""
    folder = shutil.copytree(SAMPLE, tmp_path / "sample")
    (folder / ".github" / "askfirst").mkdir(parents=True)
    (folder / ".github" / "askfirst" / "config.yml").write_text("plan: ask\n")
    return folder


@contextmanager
def labelled(
    opens_issue: Issues, stage: Stage, sample: Path, plans: list[dict[str, Any]], definition: str
) -> Iterator[tuple[Dialogue, list[str]]]:
    """An issue of a repository with the label on it, and the model calls that its runs make."""
    turns = {"coder": [CHANGE, [completes()]], "reviewer": [[approves(3)]]}
    with messages_api(turns, {"reading": [ADDS_DRY_RUN], "plans": plans}) as server:
        repository = stage.github.create_repository(
            f"plans-{definition}", from_directory=sample, collaborators=COLLABORATORS | {"author": "read"}
        )
        stage.runs.scripted[repository.full_name] = model_program(server.url, "--definition", definition)
        dialogue = opens_issue(TITLE, BODY, by="author", repository=repository)
        dialogue.label(by="maintainer")
        yield dialogue, server.asked


def test_a_plan_is_shown_changed_in_one_point_and_built(
    opens_issue: Issues, stage: Stage, sample: Path
) -> None:
    plan = planned(None, open_points=[WHO, point("edge_case")])
    with labelled(opens_issue, stage, sample, [plan], "build") as (dialogue, calls):
        assert dialogue.is_asked() == snapshot("""\
**@maintainer, is this the right plan?** A person sees each plan before anything is built: `plan: ask` in `.github/askfirst/config.yml`.

Add the flag.

- `parcels/actions.py`: Take the flag.

**a.** Who may ask for a dry run?

- **`1a`** as planned: Everybody — Whoever may act may ask what it would do.
- **`2a`**: Admins — All others get `403`.

**b.** What does a dry run answer?

- **`1b`**: 202 — The caller gets 202, and nothing is queued.
- **`2b`** as planned: A list — The caller gets 200 with a list of what would be done.

Reply **`go`** for the plan as it stands, or **`2a`** to change a point (several: `2a, 1b`). For anything else: `/answer` and one sentence, and the plan is made again. A number alone means nothing. To stop: `/cancel`. The author, assignees and anyone with write access can answer by DAY.

▸ What I looked at\
""")
        assert Counter(calls) == {"reading": 1, "plans": 1}

        dialogue.says("2", by="author")
        assert dialogue.hears().startswith("I could not read a choice in “2”, so I have **not** started.")
        dialogue.says("2a", by="author")
        assert "**Answered by `author`:** 2a (Admins), the rest as planned" in dialogue.hears()
        assert dialogue.hears().startswith("**The change is there:")
        assert (calls.count("reading"), calls.count("plans")) == (1, 1)
        pull = dialogue.pull_request
        text = pull.as_read(pull.issue.body or "")
        assert text.partition("### Asked and answered")[2].partition("### Tests")[0] == snapshot("""\


- Is this the right plan? — **`2a (Admins), the rest as planned`**, by `author`
- Who may ask for a dry run? — **`Admins`**, by `author`
- What does a dry run answer? — **`A list`**, by `author`

### Assumed

- author decided “Admins” and the plan was made for “Everybody”: the decision goes before the plan.

""")


def test_words_have_a_plan_made_again_and_shown_again(
    opens_issue: Issues, stage: Stage, sample: Path
) -> None:
    plans = [planned(None, open_points=[WHO]), planned(None, summary="Add the flag as preview.")]
    with labelled(opens_issue, stage, sample, plans, "gate") as (dialogue, calls):
        dialogue.is_asked()
        dialogue.says("/answer 2a, and call it preview", by="author")
        assert "**Answered by `author`:** “2a, and call it preview”" in dialogue.hears()
        assert "Add the flag as preview." in dialogue.is_asked()
        assert Counter(calls) == {"reading": 1, "plans": 2}
        dialogue.says("go", by="maintainer")
        assert "**Answered by `maintainer`:** as planned" in dialogue.hears()
        assert dialogue.hears().startswith("**The ticket is ready:")
        assert calls.count("plans") == 2
