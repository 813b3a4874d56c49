"""`--ask`: a reply on the terminal decides, whatever kind of question it is for, and nothing is asked twice."""

import os
import pty
import shlex
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.journeys.commands import SCRIPT, in_a_process
from tests.journeys.conftest import Run, make_repository, scrubbed
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


STUCK = {
    "believes": "The file is long.",
    "question": "May I keep it as it is?",
    "go": "Keep it as it is.",
    "otherwise": [],
}


def spent_budget(tmp_path: Path) -> Path:
    """Two turns are the whole budget; in the third, which `go` grants, the agent completes."""
    turns = [[reads("README.md")], [reads("README.md")], [("complete", {"kept": True})]]
    return write_script(tmp_path / "replies.jsonl", {"keeper/1": turns}, {"keeper/1/stuck": STUCK})


def test_go_has_an_agent_that_is_stuck_go_on(own: Path, askfirst: Run, tmp_path: Path) -> None:
    arguments = ("--definition", own / OWN / "pipeline.yml", "--replay", spent_budget(tmp_path), "--ask")
    ended = askfirst(own, ISSUE, *arguments, stdin="go\n")
    assert ended.exit_code == 0, ended.stderr
    assert ended.stderr.count("Reply with a number") == 1
    assert ended.document("ticket.json")["conclusions"][0]["output"] == {"kept": True}
    transcript = (ended.directory / "transcripts/keeper-1.jsonl").read_text()
    assert (
        transcript.count("what a person decided when you were stuck") == 2
    )  # where it begins and where it ends


def test_cancel_gives_up_and_leaves_the_five_lines(own: Path, askfirst: Run, tmp_path: Path) -> None:
    arguments = ("--definition", own / OWN / "pipeline.yml", "--replay", spent_budget(tmp_path), "--ask")
    ended = askfirst(own, ISSUE, *arguments, stdin="/cancel\n")
    assert ended.exit_code == 2
    assert (ended.stderr + ended.stdout).count("Why the default") == 1, "the question is printed once"
    asks_again = ended.stderr.partition("Nothing was chosen. To be asked again: ")[2]
    assert asks_again.startswith("askfirst run --issue ")
    assert asks_again.endswith(f" --resume {ended.directory} --ask\n")
    assert ended.document("clarification.json")["reason"] == snapshot("""\
BLOCKED: agent `keeper` of stage `keeper`: 2 of 2 turns are used
Tried: no step failed; the work is longer than the budget
Believes: The file is long.
Question: May I keep it as it is?
Default: Keep it as it is.\
""")


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


WISH = "# Add a dry_run flag to the bulk action\n\nPlease add a `dry_run` flag: nothing is written.\n"


def test_a_ticket_that_was_piped_in_is_there_when_the_question_is_answered(
    orders: Path, askfirst_script: Run, tmp_path: Path
) -> None:
    asked = askfirst_script(orders, "", "--issue", "-", "--ask", stdin=WISH)
    assert asked.exit_code == 2, asked.stderr
    hint = asked.stderr.partition("Nothing was chosen. To be asked again: askfirst run ")[2]
    assert shlex.split(hint)[:2] == ["--issue", str(asked.directory / "typed-ticket.md")]
    done = in_a_process(["run", *shlex.split(hint)], scrubbed(HOME=str(tmp_path)), "2\n")
    assert done.returncode == 0, done.stderr
    assert "POST /actions/stream" in done.stdout


def test_a_ticket_that_is_piped_in_replaces_no_file(
    orders: Path, askfirst_script: Run, tmp_path: Path
) -> None:
    for name, exit_code in (("ticket.md", 2), ("typed-ticket.md", 64)):
        folder = tmp_path / name / "run"
        folder.mkdir(parents=True)
        (folder / name).write_text("# Mine\n")
        ended = askfirst_script(orders, "", "--issue", "-", "--run-directory", folder, stdin=WISH)
        assert ended.exit_code == exit_code, ended.stderr
        assert (folder / name).read_text() == "# Mine\n"


def test_a_ticket_and_the_reply_can_be_typed_on_one_terminal(orders: Path, tmp_path: Path) -> None:
    keyboard, terminal = pty.openpty()
    end_of_input = b"\x04"
    with subprocess.Popen(
        [SCRIPT, "run", "--repository", orders, "--issue", "-", "--ask", "--run-directory", tmp_path / "run"],
        env=scrubbed(HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache")),
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(terminal)
        os.write(keyboard, WISH.encode() + end_of_input)
        assert process.stderr is not None
        written = ""
        while "or /cancel to stop: " not in written and (sign := process.stderr.read(1)):
            written += sign
        os.write(keyboard, b"2\n" + end_of_input)
        output, _ = process.communicate(timeout=120)
    os.close(keyboard)
    assert process.returncode == 0, written
    assert "POST /actions/stream" in output


def test_that_nothing_is_to_be_built_is_a_good_end(orders: Path, askfirst: Run) -> None:
    ended = askfirst(orders, "# Add POST /actions\n", "--ask", stdin="yes\n")
    assert ended.exit_code == 0, ended.stderr
    assert "✓ existing       There is nothing to build.\n" in ended.stderr
    ticket = ended.document("ticket.json")
    assert (ticket["ready"], ticket["targets"]) == (False, "unknown")
    assert ticket["selected_because"].startswith("There is nothing to build.")
