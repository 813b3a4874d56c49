"""The example pipeline of the documentation: a bug is reproduced before the verdict, and the verdict always runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.conftest import Run, make_repository
from tests.journeys.scripts import Call, answered, write_script

EXAMPLE = Path(__file__).parents[2] / "docs/examples/triage"
OWN = ".github/askfirst"
ISSUE = """# An unknown action answers 500

### What happened

`POST /actions` with the action `fly` answers 500.

### Version

_No response_
"""
QUOTES = {"quote_here": "answers 500", "quote_there": "a 500 for every action it does not know"}
DUPLICATE = {"number": 3, "state": "open", "same_because": "The same route and status.", **QUOTES}
CLOSE = {
    "recommendation": "close_as_duplicate",
    "summary": "It was reported before.",
    "reasons": [{"finding": "duplicate_issues", "text": "Both quote the same answer."}],
    "duplicate_of": 3,
}
ACCEPT = {"recommendation": "accept", "summary": "It is complete.", "reasons": CLOSE["reasons"]}
ASK = {
    "question": "Is this the same as #3?",
    "why": "Here: answers 500. There: a 500 for every action it does not know.",
    "options": ["It is the same", "It is not"],
}


@pytest.fixture
def parcels(tmp_path: Path) -> Path:
    files = {
        f"{OWN}/{path.relative_to(EXAMPLE)}": path.read_text()
        for path in EXAMPLE.rglob("*")
        if path.is_file()
    }
    return make_repository("parcels_flask", tmp_path / "parcels", more=files)


def script(path: Path, *, kind: str, duplicates: tuple[Any, ...] = (), verdict: list[list[Call]]) -> Path:
    found = {"found": bool(duplicates), "duplicates": duplicates, "searches": ["fly"]}
    turns: dict[str, list[list[Call]]] = {
        "duplicate_issues/1": [[("complete", found)]],
        "completeness/1": [[("complete", {"kind": kind, "complete": True, "present": [], "missing": []})]],
        "reproducibility/1": [
            [("complete", {"applies": True, "result": "explained_by_code", "evidence": []})]
        ],
        "verdict/1": verdict,
    }
    return write_script(path, turns)


@pytest.mark.parametrize(("kind", "reproduced"), [("bug", "done"), ("feature", "skipped")])
def test_only_a_bug_is_reproduced_and_the_verdict_runs_for_every_issue(
    parcels: Path, askfirst: Run, tmp_path: Path, kind: str, reproduced: str
) -> None:
    replies = script(tmp_path / "replies.jsonl", kind=kind, verdict=[[("complete", ACCEPT)]])
    ended = askfirst(parcels, ISSUE, "--definition", parcels / OWN / "pipeline.yml", "--replay", replies)

    assert ended.exit_code == 0, ended.stderr
    assert {one["id"]: one["status"] for one in ended.document("run.json")["stages"]} == {
        "sections": "done",
        "duplicate_issues": "done",
        "completeness": "done",
        "reproducibility": reproduced,
        "verdict": "done",
    }
    conclusions = {one["stage"]: one for one in ended.document("ticket.json")["conclusions"]}
    assert conclusions["verdict"]["output"]["recommendation"] == "accept"
    assert ("reproducibility" in conclusions) == (reproduced == "done")
    assert conclusions["sections"]["output"] == {"filled": ["What happened"], "empty": ["Version"]}
    assert conclusions["sections"]["replies"] == "command"


def test_a_duplicate_is_asked_about_however_sure_an_agent_is(
    parcels: Path, askfirst: Run, tmp_path: Path
) -> None:
    arguments = ("--definition", parcels / OWN / "pipeline.yml", "--replay")
    asking = script(
        tmp_path / "asking.jsonl",
        kind="bug",
        duplicates=(DUPLICATE,),
        verdict=[[("complete", CLOSE)], [("clarify", ASK)]],
    )
    first = askfirst(parcels, ISSUE, *arguments, asking)

    assert (first.exit_code, first.endings) == (2, {"clarification.json"}), first.stderr
    asked = first.document("clarification.json")
    assert asked["question"]["text"] == ASK["question"]
    assert "a 500 for every action" in json.dumps(asked)
    told = (first.directory / "transcripts/verdict-1.jsonl").read_text()
    assert "`recommendation: close_as_duplicate` waits for a person" in told

    answers = answered(asked, tmp_path / "answers.json", choice="option-1")
    closing = script(
        tmp_path / "closing.jsonl", kind="bug", duplicates=(DUPLICATE,), verdict=[[("complete", CLOSE)]]
    )
    second = askfirst(parcels, ISSUE, *arguments, closing, "--answers", answers, resume=first.directory)
    assert second.exit_code == 0, second.stderr
    assert second.document("ticket.json")["conclusions"][-1]["output"]["duplicate_of"] == 3
