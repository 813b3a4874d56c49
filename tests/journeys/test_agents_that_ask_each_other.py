"""A coder of a repository's own that starts another agent: what that one asks, who answers, and what a person sees of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from tests.journeys.conftest import CHECK, Ended, Run, make_repository
from tests.journeys.scripts import (
    answered,
    approves,
    completes,
    edits,
    write_script,
)

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
ends_with: text
output:
  type: object
  required: [notes]
  properties:
    notes: {type: string, minLength: 1}
---
You write notes.
"""
ASKS = "```clarify NONCE\nWhich output format should I use: Markdown or HTML?\n```"
WRITES = '```complete NONCE\n{"notes": "It is there."}\n```'
README = edits("README.md", "# parcels", "# Parcels")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    files = {
        "check.py": CHECK,
        f"{OWN}/config.yml": "test_command: python3 check.py\n",
        f"{OWN}/agents/coder.md": CODER,
        f"{OWN}/agents/writer.md": WRITER,
    }
    return make_repository("parcels_flask", tmp_path / "own", more=files)


def script(path: Path, coder: list[Any], writer: dict[str, list[str]]) -> Path:
    """A file of scripted replies: the coder's calls, and the writer's texts by the id under which it was started."""
    write_script(path, {"coder/1": coder, "reviewer/1": [[approves()]]})
    lines = [
        {
            "for": f"coder/1/{child}",
            "nonce": "NONCE",
            "reply": {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"},
        }
        for child, texts in writer.items()
        for text in texts
    ]
    with path.open("a") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in lines)
    return path


def delegates() -> tuple[str, dict[str, Any]]:
    return "delegate", {"agent": "writer", "task": "Write the notes."}


def events(ended: Ended) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (ended.directory / "journal.jsonl").read_text().splitlines()]
    return [line for line in lines if line["event"].startswith("child_")]


def test_the_one_above_answers_and_the_pull_request_says_so(
    repository: Path, build: Run, tmp_path: Path
) -> None:
    replies = script(
        tmp_path / "s.jsonl",
        [
            [delegates()],
            [("reply_to_child", {"id": "writer-1", "text": "Markdown"})],
            [README],
            [completes()],
        ],
        {"writer-1": [ASKS, WRITES]},
    )
    ended = build(repository, TICKET, "--replay", replies)
    assert ended.exit_code == 0, ended.stderr
    assert ended.document("change.json")["work"]["assumptions"] == snapshot(
        [
            "Subagent 'writer-1' asked “Which output format should I use: Markdown or HTML?” and no person was asked. Answered by the agent above it: “Markdown” (`coder`, which gave it the task, said so)."
        ]
    )
    assert [line for line in ended.stderr.splitlines() if "subagent" in line] == snapshot(
        [
            "· coder          ❓ subagent 'writer-1' needs clarification: Which output format should I use: Markdown or HTML?",
            "· coder          subagent 'writer-1' is answered, by the agent above it: Markdown",
        ]
    )
    assert [(one["event"], one.get("answered_by", "")) for one in events(ended)] == [
        ("child_started", ""),
        ("child_asked", ""),
        ("child_answered", "parent"),
        ("child_started", ""),
        ("child_ended", ""),
    ]
    assert "❓ subagent `writer-1` needs clarification" in (ended.directory / "summary.md").read_text()
    told = (ended.directory / "transcripts/coder-1.writer-1.jsonl").read_text()
    assert '"answer":"Markdown"' in told
    assert json.loads((ended.directory / "gate.jsonl").read_text().splitlines()[0])["tool"] == "delegate"


def test_a_person_sees_the_very_question_and_its_answer_reaches_the_one_that_asked(
    repository: Path, build: Run, tmp_path: Path
) -> None:
    first = script(
        tmp_path / "first.jsonl",
        [[delegates()], [("ask_person", {"id": "writer-1"})]],
        {"writer-1": [ASKS]},
    )
    stopped = build(repository, TICKET, "--replay", first)
    assert (stopped.exit_code, stopped.endings) == (2, {"clarification.json"}), stopped.stderr
    asked = stopped.document("clarification.json")
    assert (asked["kind"], asked["stage"], asked["reason"], asked["question"]["text"]) == snapshot(
        (
            "ClarificationNeeded",
            "coder",
            "❓ subagent 'writer-1' needs clarification: The agent does not say why.",
            "Which output format should I use: Markdown or HTML?",
        )
    )
    answers = answered(asked, tmp_path / "answers.json", text="HTML")
    rest = script(tmp_path / "rest.jsonl", [[], [], [README], [completes()]], {"writer-1": [WRITES]})
    ended = build(repository, TICKET, "--replay", rest, "--answers", answers, resume=stopped.directory)
    assert ended.exit_code == 0, ended.stderr
    told = (ended.directory / "transcripts/coder-1.writer-1.jsonl").read_text()
    assert '"answer":"HTML"' in told
    assert ended.document("change.json")["work"]["assumptions"] == []


def test_what_is_assumed_in_a_round_stands_in_the_change_of_a_later_one(
    repository: Path, build: Run, tmp_path: Path
) -> None:
    replies = write_script(tmp_path / "later.jsonl", {"reviewer/1": [[approves()]]})
    first = script(
        tmp_path / "s.jsonl",
        [
            [delegates()],
            [("reply_to_child", {"id": "writer-1", "text": "Markdown"})],
            [edits("parcels/bulk.py", '"returned"', '"sent back"')],
            [completes()],
        ],
        {"writer-1": [ASKS, WRITES]},
    )
    second = write_script(
        replies,
        {
            "coder/2": [[edits("parcels/bulk.py", '"sent back"', '"returned"'), README], [completes()]],
            "reviewer/2": [[approves()]],
        },
    )
    with first.open("a") as file:
        file.write("".join(second.read_text().splitlines(keepends=True)[1:]))
    ended = build(repository, TICKET, "--replay", first)
    assert ended.exit_code == 0, ended.stderr
    change = ended.document("change.json")["work"]
    assert (change["rounds"], len(change["assumptions"])) == (2, 1)


PIPELINE = """name: notes
description: An agent of the repository has another one write notes.
stages:
  - {id: notes, uses: agent, with: {agent: lead}}
  - {id: seen, uses: agent, needs: [notes], when: size(notes.self_answered) > 0, with: {agent: plain}}
"""
LEAD = CODER.replace("coder", "lead")
PLAIN = WRITER.replace("writer", "plain").replace("ends_with: text\n", "")


def test_what_agents_of_an_own_pipeline_assume_stands_in_the_ticket(
    repository: Path, askfirst: Run, tmp_path: Path
) -> None:
    for name, text in {"agents/lead.md": LEAD, "agents/plain.md": PLAIN, "pipeline.yml": PIPELINE}.items():
        (repository / OWN / name).write_text(text)
    replies = write_script(
        tmp_path / "s.jsonl",
        {
            "notes/1": [
                [delegates()],
                [("reply_to_child", {"id": "writer-1", "text": "Markdown"})],
                [("complete", {"summary": "noted"})],
            ],
            "seen/1": [[("complete", {"notes": "seen"})]],
        },
    )
    texts = script(tmp_path / "t.jsonl", [], {"writer-1": [ASKS, WRITES]})
    moved = texts.read_text().replace("coder/1/", "notes/1/").splitlines(keepends=True)
    with replies.open("a") as file:
        file.writelines(line for line in moved if "notes/1/" in line)
    own = ("--definition", repository / OWN / "pipeline.yml", "--replay", replies)
    ended = askfirst(repository, TICKET, *own)
    assert ended.exit_code == 0, ended.stderr
    ticket = ended.document("ticket.json")
    assert [one["output"] for one in ticket["conclusions"]] == [{"summary": "noted"}, {"notes": "seen"}]
    assert [one.partition("“")[0] for one in ticket["assumptions"]] == ["Subagent 'writer-1' asked "]
    assert "assumed    Subagent 'writer-1' asked" in ended.stdout
    again = askfirst(repository, TICKET, *own, resume=ended.directory)
    assert again.document("ticket.json")["assumptions"] == ticket["assumptions"]
