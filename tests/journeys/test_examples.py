"""The worked examples of the documentation run as they stand: triage, rounds and a family of agents."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.definition.loader import load
from tests.journeys.conftest import Run, make_repository
from tests.journeys.scripts import Call, answered, write_script

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
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


def with_example(name: str, into: Path) -> Path:
    """A repository that keeps this example in its folder."""
    files = {
        f"{OWN}/{path.relative_to(EXAMPLES / name)}": path.read_text()
        for path in (EXAMPLES / name).rglob("*")
        if path.is_file()
    }
    return make_repository("parcels_flask", into, more=files)


@pytest.fixture
def parcels(tmp_path: Path) -> Path:
    return with_example("triage", tmp_path / "parcels")


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


def in_turn(path: Path, *starts: dict[str, list[list[Call]]]) -> Path:
    """Replies of agents that start again: each start has its turns counted from the first one."""
    parts = [write_script(path, turns).read_text().splitlines() for turns in starts]
    path.write_text("\n".join([parts[0][0], *(line for part in parts for line in part[1:]), ""]))
    return path


def test_every_example_is_listed_and_its_plan_has_no_mistake() -> None:
    listed = (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.glob("*/pipeline.yml"):
        assert f"({path.parent.name}/pipeline.yml)" in listed
        assert load(str(path)).stages


def test_a_check_sends_a_line_back_until_it_fits(askfirst: Run, tmp_path: Path) -> None:
    own = with_example("rounds", tmp_path / "own")
    replies = in_turn(
        tmp_path / "replies.jsonl",
        {"writer/1": [[("complete", {"line": "An unknown action answers 400"})]]},
        {"writer/1": [[("complete", {"line": "An unknown action answers 400."})]]},
    )
    ended = askfirst(own, ISSUE, "--definition", own / OWN / "pipeline.yml", "--replay", replies)
    assert ended.exit_code == 0, ended.stderr
    repeat = ended.document("run.json")["stages"][0]
    assert repeat["reason"] == "2 rounds; its condition holds: check.fits"
    conclusions = {one["stage"]: one["output"] for one in ended.document("ticket.json")["conclusions"]}
    assert conclusions["writer"]["line"].endswith("400.")
    assert conclusions["check"] == {"fits": True, "problems": []}


FORMAT = {"question": "Which output format should I use: JSON or CSV?", "why": "Both can be read."}


@pytest.mark.parametrize(
    ("task", "by"), [("Write it as CSV.", "template"), ("Write the facts down.", "parent")]
)
def test_the_question_of_an_agent_is_answered_by_its_task_or_by_the_agent_above_it(
    askfirst: Run, tmp_path: Path, task: str, by: str
) -> None:
    own = with_example("family", tmp_path / "own")
    replies_to: list[list[Call]] = [[("reply_to_child", {"id": "formatter-1", "text": "CSV"})]]
    replies = in_turn(
        tmp_path / "replies.jsonl",
        {
            "report/1": [
                [("delegate", {"agent": "formatter", "task": task})],
                *(replies_to if by == "parent" else []),
                [("complete", {"report": "action,status"})],
            ],
            "report/1/formatter-1": [[("clarify", FORMAT)]],
        },
        {"report/1/formatter-1": [[("complete", {"text": "action,status"})]]},
    )
    ended = askfirst(own, ISSUE, "--definition", own / OWN / "pipeline.yml", "--replay", replies)
    assert ended.exit_code == 0, ended.stderr
    journal = [json.loads(line) for line in (ended.directory / "journal.jsonl").read_text().splitlines()]
    answered_by = [event["answered_by"] for event in journal if event["event"] == "child_answered"]
    assert answered_by == [by]
    [assumed] = ended.document("ticket.json")["assumptions"]
    assert "“CSV”" in assumed
