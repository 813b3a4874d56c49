"""A whole life: label, question, pull request, red check, a review with two wishes, a second review, merge. Replies are scripted."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from sandbox.actions.job import building_program
from sandbox.demo import BODY, SAMPLE, TITLE, replies_for
from sandbox.world.state import Repository
from sandbox.world.world import Actor
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Dialogue, Stage, checks_end
from tests.journeys.scripts import judged, write_script

LOG = """\
2026-11-24T09:00:01.1234567Z README.md:1: the headline must name the depot
2026-11-24T09:00:01.2345678Z ##[error]Process completed with exit code 1.
"""
REVIEW = "Two things before I merge this."
REMARKS = (
    ("README.md", 1, "Say here that `dry_run` exists."),
    ("parcels/actions.py", 23, "Say what happens without it."),
)
SUMMARY = (
    "`POST /actions/stream` takes `dry_run`, so that the depot sees what would happen. Nothing is moved then."
)


def round_of(
    path: Path, subject: str, *edits: tuple[str, str, str], wishes: tuple[tuple[str, str], ...]
) -> Path:
    """The replies of one revision: its edits, and what the reviewer says of each wish, with its place."""
    criteria = [
        *judged(2, "parcels/actions.py"),
        *(
            {
                "criterion": 3 + number,
                "met": "met",
                "path": place.partition(":")[0],
                "line": 1,
                "reason": reason,
            }
            for number, (place, reason) in enumerate(wishes)
        ),
    ]
    turn = [("edit_file", {"path": path_, "old": old, "new": new}) for path_, old, new in edits]
    done = ("complete", {"summary": SUMMARY, "subject": subject})
    approval = ("complete", {"verdict": "approve", "criteria": criteria, "findings": []})
    return write_script(path, {"coder/1": [turn, [done]], "reviewer/1": [[approval]]})


@pytest.fixture(scope="session")
def crates(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with a check, whose runs build."""
    folder = tmp_path_factory.mktemp("replies")
    mended = round_of(
        folder / "mended.jsonl", "Name the depot in the headline", ("README.md", "# parcels", "# parcels of the depot"),
        wishes=(("README.md", "The headline names the depot."),),
    )  # fmt: skip
    reviewed = round_of(
        folder / "reviewed.jsonl", "Document the dry run",
        ("README.md", "# parcels of the depot", "# parcels of the depot, with `dry_run`"),
        wishes=(
            ("README.md", "Both remarks are done."),
            ("README.md", "The headline names it."),
            ("parcels/actions.py", "It is false without the flag: the README says so now."),
        ),
    )  # fmt: skip
    again = round_of(
        folder / "again.jsonl", "Shorten the headline",
        ("README.md", "# parcels of the depot, with `dry_run`", "# parcels, with `dry_run`"),
        wishes=(("README.md", "It is shorter by three words."),),
    )  # fmt: skip
    reviews: list[int] = []

    def replies(event: Mapping[str, Any]) -> Path:
        revise = json.loads((event.get("inputs") or {}).get("revise") or "{}")
        if "failed" in revise:
            return mended
        if "asked" not in revise:
            return replies_for(event)
        review = revise["asked"]["review_id"]
        reviews.extend([review] if review not in reviews else [])
        return reviewed if review == reviews[0] else again

    repository = stage.github.create_repository("crates", from_directory=SAMPLE, collaborators=COLLABORATORS)
    stage.runs.scripted[repository.full_name] = building_program(replies)
    checks_end(stage.github, repository, "main", lint=("success", ""))
    return repository


def merges(stage: Stage, repository: Repository, pull: Dialogue) -> None:
    """The maintainer merges, fast-forward, which closes the pull request."""
    change = pull.issue.pull_request
    assert change is not None
    maintainer = Actor(stage.github.user("maintainer"))
    stage.github.pushes.set_ref(repository, maintainer, "refs/heads/main", change.head_sha, force=False)
    stage.github.close_issue(pull.issue, by="maintainer")


def test_from_the_label_to_the_merge(opens_issue: Issues, crates: Repository, stage: Stage) -> None:
    issue = opens_issue(TITLE, BODY, repository=crates)
    issue.label()
    texts = [issue.is_asked()]
    issue.says("2")
    texts += [issue.hears(), issue.hears()]
    pull = issue.pull_request
    described = [pull.as_read(pull.issue.body or "")]
    pull.checks_end(lint=("failure", LOG))
    texts += [pull.hears(), pull.hears()]
    pull.checks_end(lint=("success", ""))
    stage.settle()
    stage.github.review(pull.issue, "REQUEST_CHANGES", REVIEW, by="maintainer", remarks=REMARKS)
    texts += [pull.hears(), pull.hears()]
    described.append(pull.as_read(pull.issue.body or ""))
    stage.github.review(pull.issue, "REQUEST_CHANGES", "Shorter, please.", by="maintainer")
    texts += [pull.hears(), pull.hears()]
    described.append(pull.as_read(pull.issue.body or ""))
    assert pull.commits == snapshot(
        [
            "Add a dry_run flag to the bulk action",
            "Name the depot in the headline",
            "Document the dry run",
            "Shorten the headline",
        ]
    )
    merges(stage, crates, pull)
    stage.github.close_issue(issue.issue, by="maintainer")  # what GitHub does with `Closes #…`
    issue.hears_nothing()
    assert "\n\n────\n\n".join(texts) == snapshot("""\
**@octocat, which route should get `dry_run`?** The ticket says “bulk action”. Two routes fit, and no word in the ticket picks one.

| Reply | What | Where |
|---|---|---|
| **`1`** default | `POST /actions` → `bulk_action` | `parcels/actions.py` lines 11–15 |
| **`2`** | `POST /actions/stream` → `stream_bulk_action` | `parcels/actions.py` lines 19–23 |

`POST /actions`:

https://github.com/acme/crates/blob/COMMIT/parcels/actions.py#L11-L15

`POST /actions/stream`:

https://github.com/acme/crates/blob/COMMIT/parcels/actions.py#L19-L23

Reply **`1`** or **`2`**, or **`go`** to take 1; **`both`** takes them together. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by DAY.

▸ What I looked at, and why 1 is the default

────

~~Which route should get `dry_run`?~~ **Answered by `octocat`:** 2, `POST /actions/stream` ([reply](https://github.com/acme/crates/issues/ISSUE#issuecomment-COMMENT)). Taken up by run [RUN](https://github.com/acme/crates/actions/runs/RUN).

Wrong? Reply `/answer 1` while the run is going, and I stop it and start again.

▸ The question as it was

────

**The change is there: [#PULL](https://github.com/acme/crates/pull/PULL)**. It is a draft: read it, and mark it ready. To have it changed, request changes in a review there, or comment `/revise` and a sentence.

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.

────

`lint` fails here and passes on the base. I work on it from the end of the log: revision 1 of 2, run [RUN](https://github.com/acme/crates/actions/runs/RUN). A push onto the branch stops me.

────

**I have changed it again:** COMMIT, run [RUN](https://github.com/acme/crates/actions/runs/RUN).

- **met**: The cause of these failing checks of the pull request is fixed: lint — The headline names the depot. ([`README.md:1`](https://github.com/acme/crates/blob/COMMIT/README.md?plain=1#L1))

### Tests

| tests run | result |  |
|---|---|---|
| `python3 -m pytest -q` | passed | 4 passed |

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.

────

I am working on the changes that `maintainer` requested: run [RUN](https://github.com/acme/crates/actions/runs/RUN).

────

**I have changed it again:** COMMIT, run [RUN](https://github.com/acme/crates/actions/runs/RUN).

- **met**: Two things before I merge this. — Both remarks are done. ([`README.md:1`](https://github.com/acme/crates/blob/COMMIT/README.md?plain=1#L1))
- **met**: `README.md:1`: Say here that `dry_run` exists. — The headline names it. ([`README.md:1`](https://github.com/acme/crates/blob/COMMIT/README.md?plain=1#L1))
- **met**: `parcels/actions.py:23`: Say what happens without it. — It is false without the flag: the README says so now. ([`parcels/actions.py:1`](https://github.com/acme/crates/blob/COMMIT/parcels/actions.py#L1))

### Tests

| tests run | result |  |
|---|---|---|
| `python3 -m pytest -q` | passed | 4 passed |

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.

────

I am working on the changes that `maintainer` requested: run [RUN](https://github.com/acme/crates/actions/runs/RUN).

────

**I have changed it again:** COMMIT, run [RUN](https://github.com/acme/crates/actions/runs/RUN).

- **met**: Shorter, please. — It is shorter by three words. ([`README.md:1`](https://github.com/acme/crates/blob/COMMIT/README.md?plain=1#L1))

### Tests

| tests run | result |  |
|---|---|---|
| `python3 -m pytest -q` | passed | 4 passed |

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.\
""")
    assert described[0] == snapshot("""\
Closes #ISSUE

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.

`POST /actions/stream` takes `dry_run` (false by default): it streams what would become of each parcel and moves none. `POST /actions` is unchanged.

### Asked and answered

- Which route should get `dry_run`? — **`POST /actions/stream`**, by `octocat`

### Assumed

- The issue was read without a model: only what is written was understood.
- A dry run answers with the same lines as the action itself.

### Tests

| tests run | result |  |
|---|---|---|
| `python3 -m pytest -q` | passed | 4 passed |

New or changed tests that fail without this change: `tests/test_actions.py::test_a_dry_run_of_the_stream_moves_nothing`.

### Acceptance criteria, as the reviewing agent sees them

- **met**: The change does what the issue asks for. — The route reads `dry_run` and hands it on; a test sees that nothing is moved. ([`parcels/actions.py:23`](https://github.com/acme/crates/blob/COMMIT/parcels/actions.py#L23))
- **met**: The tests that pass today still pass. — The tests of the change and those of before pass. ([`tests/test_actions.py`](https://github.com/acme/crates/blob/COMMIT/tests/test_actions.py))

### What the reviewing agent remarks

- `parcels/actions.py`: A value of `dry_run` that is no boolean counts as true if Python takes it for true; nothing in the ticket asks for more.

No model was called. Run [RUN](https://github.com/acme/crates/actions/runs/RUN).

<sub>A draft until somebody has read it. To have it changed, request changes in a review or comment `/revise` and a sentence.</sub>\
""")
    for words in (
        "so that the depot sees what would happen",
        "- **met**: Shorter, please. — It is shorter by three words.",
    ):
        assert words in described[2]
