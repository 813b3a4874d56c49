"""A build whose coder starts another agent, with the real client, killed at every question: each is paid for once."""

import base64
import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.journeys.conftest import CHECK, make_repository
from tests.journeys.forked import Forked
from tests.journeys.messages_server import MessagesServer, messages_api, start_run
from tests.journeys.scripts import ADDS_DRY_RUN, answered, approves, completes, creates, edits, planned, reads

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
OWN = ".github/askfirst"
CODER = """---
name: coder
description: Changes code, and has somebody else write the notes.
tools: [read_file, edit_file]
agents: [writer]
output: {type: object, properties: {summary: {type: string}}}
---
You change code.
"""
WRITER = """---
name: writer
description: Writes notes.
tools: [read_file, edit_file, create_file]
output: {type: object, required: [notes], properties: {notes: {type: string}}}
---
You write notes.
"""
ASKS = ("clarify", {"question": "Which output format: Markdown or HTML?", "why": "Both are read."})
TURNS = {
    "coder": [
        [("delegate", {"agent": "writer", "task": "Write the notes."})],
        [("reply_to_child", {"id": "writer-1", "text": "Markdown"})],
        [edits("README.md", "# parcels", "# Parcels")],
        [completes()],
    ],
    "writer": [[reads("README.md"), creates("NOTES.md", "To do.\n")], [ASKS]],
    "writer again": [
        [edits("NOTES.md", "To do.", "Done.")],
        [("complete", {"notes": "They are in NOTES.md."})],
    ],
    "reviewer": [[approves()]],
}
FORMS = {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}
BY_PROMPT = {"writer": "You write notes."}
BUILD = ("--definition", "build")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    files = {
        "check.py": CHECK,
        f"{OWN}/config.yml": "test_command: python3 check.py\n",
        f"{OWN}/agents/coder.md": CODER,
        f"{OWN}/agents/writer.md": WRITER,
    }
    return make_repository("parcels_flask", tmp_path / "own", more=files)


def killed_at_every_question(
    repository: Path, tmp_path: Path, server: MessagesServer, *more: str
) -> tuple[int, str]:
    """Start the run again and again, each time killed at the first question that was never asked before."""
    running: list[Forked] = []
    known = set(server.asked)

    def kill_at_the_first_time(asked: str) -> None:
        if asked not in known and server.asked.count(asked) == 1:
            os.kill(running[-1].pid, signal.SIGKILL)
            running[-1].wait()

    server.before = kill_at_the_first_time
    for _ in range(16):
        running.append(start_run(repository, TICKET, tmp_path, server, *BUILD, *more))
        said = str(running[-1].communicate())
        if running[-1].returncode != -signal.SIGKILL:
            return running[-1].wait(), said
    raise AssertionError(said)


def test_each_question_of_parent_and_child_is_asked_once_more_and_no_other(
    repository: Path, tmp_path: Path
) -> None:
    with messages_api(TURNS, FORMS, BY_PROMPT) as server:
        code, said = killed_at_every_question(repository, tmp_path, server)
        assert code == 0, said
        # Each question once when it was killed, and once when it was answered; the second plan is one more question.
        assert Counter(server.asked) == {
            "reading": 2,
            "plans": 2,
            **{f"coder turn {turn}": 2 for turn in range(4)},
            **{f"writer turn {turn}": 2 for turn in range(2)},
            **{f"writer again turn {turn}": 2 for turn in range(2)},
            "reviewer turn 0": 2,
        }
    change = json.loads((tmp_path / "run" / "change.json").read_text())
    assert sorted(file["path"] for file in change["files"]) == ["NOTES.md", "README.md"]
    notes = next(file for file in change["files"] if file["path"] == "NOTES.md")
    assert base64.b64decode(notes["content"]) == b"Done.\n"
    # Nine replies of 100 and 20 tokens, at 2 and 10 dollars a million, the child's among them.
    assert change["work"]["dollars"] == pytest.approx(9 * (100 * 2 + 20 * 10) / 1e6)
    assert len(change["work"]["assumptions"]) == 1


def test_a_call_of_a_child_waits_for_a_person_through_every_kill(repository: Path, tmp_path: Path) -> None:
    turns = {**TURNS, "writer": [[creates("uv.lock", "version = 1\n")], [ASKS]]}
    with messages_api(turns, FORMS, BY_PROMPT) as server:
        code, said = killed_at_every_question(repository, tmp_path, server)
        assert code == 2, said
        before = list(server.asked)
        asked = json.loads((tmp_path / "run" / "clarification.json").read_text())
        assert (asked["kind"], asked["question"]["subject"]["child"]) == ("ConfirmationNeeded", "writer-1")
        answers = answered(asked, tmp_path / "answers.json", verdict="approve")
        turns["writer again"] = [[("complete", {"notes": "The file is there."})]]
        code, said = killed_at_every_question(repository, tmp_path, server, "--answers", str(answers))
        assert code == 0, said
        assert Counter(before)["writer turn 0"] == 2
        assert "writer turn 0" not in server.asked[len(before) :]
        assert "coder turn 0" not in server.asked[len(before) :]
    change = json.loads((tmp_path / "run" / "change.json").read_text())
    assert sorted(file["path"] for file in change["files"]) == ["README.md", "uv.lock"]
    assert [one["verdict"] for one in change["work"]["approvals"]] == ["approve"]
