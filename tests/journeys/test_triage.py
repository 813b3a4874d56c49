"""`triage`: three agents look at an issue beside each other, a fourth puts it together; and agents of a repository's own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.journeys.conftest import Run, job_path, make_repository
from tests.journeys.scripts import REPLIES, answered, write_script
from tests.pipeline.github_read.issues_server import REPOSITORY, IssuesServer, issues_on_github

SCRIPT = REPLIES / "parcels_flask_triage.jsonl"
BUG = """# An unknown action answers 500

`POST /actions` with the action `fly` answers 500. It should say which actions there are.
"""

LABELLER = """---
name: labeller
description: Says which part of the product an issue is about.
tools: read_file
output:
  type: object
  required: [area, urgent]
  properties:
    area: {type: string, enum: [bulk, listing, other]}
    urgent: {type: boolean}
---

You say which part of the product an issue is about.
"""
ON_CALL = LABELLER.replace("labeller", "on_call").replace("tools: read_file", "tools: []")
PIPELINE = """name: labels
description: An agent of the repository says what an issue is about, another is asked only if it is urgent.
stages:
  - id: area
    uses: agent
    with: {agent: labeller}
  - id: on-call
    uses: agent
    needs: [area]
    when: area.urgent && area.area == "bulk"
    with: {agent: on_call}
"""
OWN = ".github/askfirst"


@pytest.fixture
def github() -> Iterator[IssuesServer]:
    with issues_on_github() as server:
        server.add(3, "The stream ends early", "With 1,000 parcels.")
        server.found = (3,)
        yield server


def environment(github: IssuesServer) -> dict[str, str]:
    token = {"GITHUB_TOKEN": "ghs_test", "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_API_URL": github.url}
    return {"PATH": job_path(), **token}


def test_triage_ends_with_what_four_agents_say(parcels: Path, askfirst: Run, github: IssuesServer) -> None:
    before = {path: path.read_bytes() for path in sorted(parcels.rglob("*")) if path.is_file()}

    ended = askfirst(parcels, BUG, "--definition", "triage", "--replay", SCRIPT, **environment(github))

    assert (ended.exit_code, ended.endings) == (0, {"ticket.json"}), ended.stderr
    assert ended.stages() == dict.fromkeys(
        ("duplicate_issues", "completeness", "reproducibility", "verdict"), "done"
    )
    ticket = ended.document("ticket.json")
    assert (ticket["operation"], ticket["targets"], ticket["ready"]) == ("unknown", "unknown", False)
    assert [one["stage"] for one in ticket["conclusions"]] == snapshot(
        ["duplicate_issues", "completeness", "reproducibility", "verdict"]
    )
    assert ticket["conclusions"][3]["output"]["recommendation"] == "accept"
    assert {one["replies"] for one in ticket["conclusions"]} == {"scripted"}
    assert ended.stdout.partition("verdict")[2] == snapshot("""\
 (scripted replies):
  recommendation     accept
  summary            An action that nobody knows ends in a KeyError instead of an answer that says so. The report is complete, and nobody has made it before.
  reasons            finding: duplicate_issues, text: Three searches found no issue with the same error.; finding: completeness, text: Steps, result and expectation are there.; finding: reproducibility, text: parcels/bulk.py:14 raises for every unknown action.
""")
    assert github.queries[0] == "repo:acme/parcels is:issue KeyError action"
    assert before == {path: path.read_bytes() for path in sorted(parcels.rglob("*")) if path.is_file()}


def test_what_was_looked_at_and_run_stands_in_the_record(
    parcels: Path, askfirst: Run, github: IssuesServer
) -> None:
    ended = askfirst(parcels, BUG, "--definition", "triage", "--replay", SCRIPT, **environment(github))
    lines = [json.loads(line) for line in (ended.directory / "gate.jsonl").read_text().splitlines()]
    assert sorted({(one["stage"], one["tool"], one["tier"]) for one in lines}) == snapshot(
        [
            ("completeness", "read_file", "allow"),
            ("duplicate_issues", "read_issue", "allow"),
            ("duplicate_issues", "search_issues", "allow"),
            ("reproducibility", "read_file", "allow"),
            ("reproducibility", "run_command", "allow"),
            ("reproducibility", "search_code", "allow"),
        ]
    )
    told = (ended.directory / "transcripts/reproducibility-1.jsonl").read_text()
    assert "3 passed" in told
    assert "The stream ends early" in (ended.directory / "transcripts/duplicate_issues-1.jsonl").read_text()
    verdict = (ended.directory / "summary.md").read_text()
    assert "What the agents say" in verdict
    assert "`accept`" in verdict


def test_a_resumed_triage_asks_nothing_twice(parcels: Path, askfirst: Run, github: IssuesServer) -> None:
    asked = ("--definition", "triage", "--replay", SCRIPT)
    first = askfirst(parcels, BUG, *asked, **environment(github))
    searches = len(github.queries)
    again = askfirst(parcels, BUG, *asked, resume=first.directory, **environment(github))
    assert (again.exit_code, set(again.stages().values())) == (0, {"reused"})
    assert len(github.queries) == searches


def test_without_a_model_it_says_what_to_do(parcels: Path, askfirst: Run) -> None:
    ended = askfirst(parcels, BUG, "--definition", "triage")
    assert (ended.exit_code, ended.endings) == (1, {"failure.json"})
    assert ended.document("failure.json")["message"] == "`triage` asks a language model, and there is none."


def own_repository(into: Path, pipeline: str = PIPELINE) -> Path:
    files = {f"{OWN}/agents/labeller.md": LABELLER, f"{OWN}/agents/on_call.md": ON_CALL}
    return make_repository("parcels_flask", into, more={**files, f"{OWN}/pipeline.yml": pipeline})


def says(path: Path, **turns: dict[str, object]) -> Path:
    return write_script(
        path, {f"{stage.replace('_', '-')}/1": [[("complete", output)]] for stage, output in turns.items()}
    )


@pytest.mark.parametrize("urgent", [True, False])
def test_a_repository_brings_its_own_agents_and_conditions_on_what_they_say(
    askfirst: Run, tmp_path: Path, urgent: bool
) -> None:
    own = own_repository(tmp_path / "own")
    said = {"area": "bulk", "urgent": urgent}
    script = says(tmp_path / "replies.jsonl", area=said, on_call=said)
    ended = askfirst(own, BUG, "--definition", own / OWN / "pipeline.yml", "--replay", script)
    assert ended.exit_code == 0, ended.stderr
    assert [one["stage"] for one in ended.document("ticket.json")["conclusions"]] == (
        ["area", "on-call"] if urgent else ["area"]
    )
    if not urgent:
        skipped = ended.document("run.json")["stages"][1]
        assert (skipped["status"], skipped["reason"]) == snapshot(
            ("skipped", 'its condition does not hold: area.urgent && area.area == "bulk"')
        )


def test_an_output_that_does_not_fit_the_schema_is_sent_back_and_no_condition_reads_it(
    askfirst: Run, tmp_path: Path
) -> None:
    own = own_repository(tmp_path / "own")
    script = write_script(
        tmp_path / "replies.jsonl",
        {
            "area/1": [
                [("complete", {"area": "everything", "urgent": "yes", "skip": "on-call"})],
                [("complete", {"area": "listing", "urgent": True})],
            ]
        },
    )
    ended = askfirst(own, BUG, "--definition", own / OWN / "pipeline.yml", "--replay", script)
    assert ended.exit_code == 0, ended.stderr
    assert [one["output"] for one in ended.document("ticket.json")["conclusions"]] == [
        {"area": "listing", "urgent": True}
    ]
    assert "not done, the arguments do not fit" in (ended.directory / "transcripts/area-1.jsonl").read_text()


def test_a_misspelt_field_of_an_own_agent_is_found_before_anything_runs(
    askfirst: Run, tmp_path: Path
) -> None:
    own = own_repository(tmp_path / "own", PIPELINE.replace("area.urgent", "area.urgnet"))
    ended = askfirst(own, BUG, "--definition", own / OWN / "pipeline.yml", "--replay", SCRIPT)
    assert (ended.exit_code, ended.document("failure.json")["kind"]) == (1, "DefinitionInvalid")
    assert "urgnet" in ended.document("failure.json")["why"]


def test_an_own_agent_takes_the_place_of_a_shipped_one_in_triage(
    askfirst: Run, tmp_path: Path, github: IssuesServer
) -> None:
    verdict = LABELLER.replace("labeller", "verdict").replace("tools: read_file", "tools: []")
    own = make_repository("parcels_flask", tmp_path / "own", more={f"{OWN}/agents/verdict.md": verdict})
    lines = [line for line in SCRIPT.read_text().splitlines() if '"verdict/1"' not in line]
    own_words = says(tmp_path / "own.jsonl", verdict={"area": "bulk", "urgent": False}).read_text()
    script = tmp_path / "replies.jsonl"
    script.write_text("\n".join([*lines, own_words.splitlines()[1], ""]))
    ended = askfirst(own, BUG, "--definition", "triage", "--replay", script, **environment(github))
    assert ended.exit_code == 0, ended.stderr
    assert ended.document("ticket.json")["conclusions"][3]["output"] == {"area": "bulk", "urgent": False}


def test_an_agent_asks_a_person_and_the_others_are_not_asked_again(
    parcels: Path, askfirst: Run, tmp_path: Path, github: IssuesServer
) -> None:
    lines = SCRIPT.read_text().splitlines()
    asking = write_script(
        tmp_path / "asking.jsonl",
        {
            "completeness/1": [
                [
                    (
                        "clarify",
                        {
                            "question": "Is `fly` meant to become an action?",
                            "why": "Then it is a wish, and no bug.",
                            "options": ["No, it is a mistyped action", "Yes"],
                            "default": "No, it is a mistyped action",
                        },
                    )
                ]
            ]
        },
    ).read_text()
    others = [line for line in lines if '"completeness/1"' not in line and '"verdict/1"' not in line]
    first_script = tmp_path / "first.jsonl"
    first_script.write_text("\n".join([*others, *asking.splitlines()[1:], ""]))

    first = askfirst(parcels, BUG, "--definition", "triage", "--replay", first_script, **environment(github))

    assert (first.exit_code, first.endings) == (2, {"clarification.json"}), first.stderr
    asked = first.document("clarification.json")
    assert (asked["kind"], asked["stage"], asked["question"]["slot"]) == snapshot(
        ("ClarificationNeeded", "completeness", "agent:completeness")
    )
    answers = answered(asked, tmp_path / "answers.json", choice="option-1")
    left = [lines[0], *(line for line in lines if '"completeness/1"' in line or '"verdict/1"' in line)]
    second_script = tmp_path / "second.jsonl"
    second_script.write_text("\n".join([*left, ""]))
    searches = len(github.queries)

    second = askfirst(
        parcels, BUG, "--definition", "triage", "--replay", second_script, "--answers", answers,
        resume=first.directory, **environment(github),
    )  # fmt: skip

    assert second.exit_code == 0, second.stderr
    assert {record["id"]: record["status"] for record in second.document("run.json")["stages"]} == snapshot(
        {
            "duplicate_issues": "reused",
            "completeness": "done",
            "reproducibility": "reused",
            "verdict": "done",
        }
    )
    assert len(github.queries) == searches
    told = (second.directory / "transcripts/completeness-1.jsonl").read_text()
    assert "No, it is a mistyped action" in told
