"""`--ask`: a reply on the terminal decides, whatever kind of question it is for, and nothing is asked twice."""

from pathlib import Path

import pytest

from tests.journeys.conftest import Run, make_repository
from tests.journeys.scripts import reads, write_script

ISSUE = "# Keep the lock file\n\nPlease.\n"
OWN = ".github/askfirst"
PIPELINE = "name: own\nstages:\n  - {id: keeper, uses: agent, with: {agent: keeper}}\n"
KEEPER = """---
name: keeper
description: Keeps the lock file.
tools: [read_file, create_file]
output: {type: object, required: [kept], properties: {kept: {type: boolean}}}
---

You keep the lock file.
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    files = {
        f"{OWN}/pipeline.yml": PIPELINE,
        f"{OWN}/agents/keeper.md": KEEPER,
        f"{OWN}/config.yml": "budget: {turns: 2}\n",
    }
    return make_repository("parcels_flask", tmp_path / "own", more=files)


def test_go_on_a_spent_budget_stops_there(own: Path, askfirst: Run, tmp_path: Path) -> None:
    script = write_script(tmp_path / "replies.jsonl", {"keeper/1": [[reads("README.md")]] * 3})
    arguments = ("--definition", own / OWN / "pipeline.yml", "--replay", script, "--ask")
    ended = askfirst(own, ISSUE, *arguments, stdin="go\ngo\ngo\n")
    assert (ended.exit_code, ended.document("failure.json")["kind"]) == (1, "StoppedByPerson")
    assert ended.stderr.count("Reply with a number") == 1


@pytest.mark.parametrize(("reply", "kept"), [("1\n", True), ("go\n", False)])
def test_a_call_that_waits_is_decided_by_one_reply(
    own: Path, askfirst: Run, tmp_path: Path, reply: str, kept: bool
) -> None:
    creates = ("create_file", {"path": "uv.lock", "content": "version = 1\n"})
    script = write_script(
        tmp_path / "replies.jsonl", {"keeper/1": [[creates], [("complete", {"kept": kept})]]}
    )
    arguments = ("--definition", own / OWN / "pipeline.yml", "--replay", script, "--ask")
    ended = askfirst(own, ISSUE, *arguments, stdin=reply)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stderr.count("May the agent call") == 1
    assert ended.document("ticket.json")["conclusions"][0]["output"] == {"kept": kept}
