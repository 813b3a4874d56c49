"""`build`: from a ticket through a question to a tested and reviewed change, or to an end that says why there is none."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

from inline_snapshot import snapshot

from tests.journeys.changes import AMBIGUOUS, CLEAR, files_of
from tests.journeys.conftest import Ended, Run, job_path, scrubbed
from tests.journeys.scripts import (
    REPLIES,
    answered,
    approves,
    completes,
    creates,
    edits,
    judged,
    rejects,
    write_script,
)

VAGUE = "# Make it nicer\n\nIt should be nicer for everybody.\n"


SCRIPT = REPLIES / "parcels_flask.jsonl"


GREEN = edits("README.md", "python3 -m pytest", "python3 -m pytest  # all of them")


RED = edits("parcels/bulk.py", '"returned"', '"sent back"')


def statuses(ended: Ended) -> list[str]:
    """What became of each stage of the rounds, in their order."""
    return [
        f"{one['id']}{'' if one['round'] is None else ' ' + str(one['round'])}: {one['status']}"
        for one in ended.document("run.json")["stages"]
        if one["round"] is not None or one["id"] in ("work", "change")
    ]


def test_a_question_is_answered_and_a_red_test_goes_round_again(
    parcels: Path, build: Run, tmp_path: Path
) -> None:
    first = build(parcels, AMBIGUOUS, "--replay", SCRIPT)
    assert (first.exit_code, first.endings) == (2, {"clarification.json"})
    answers = answered(
        first.document("clarification.json"), tmp_path / "a.json", choice="route:POST /actions/stream"
    )

    second = build(parcels, AMBIGUOUS, "--replay", SCRIPT, "--answers", answers, resume=first.directory)

    assert (second.exit_code, second.endings) == (0, {"ticket.json"})
    assert statuses(second) == snapshot(
        [
            "work: done",
            "coder 1: done",
            "tests 1: done",
            "reviewer 1: skipped",
            "coder 2: done",
            "tests 2: done",
            "reviewer 2: done",
            "change: done",
        ]
    )
    change = second.document("change.json")
    assert change["message"] == snapshot("""\
Add a dry_run flag to the bulk action

`POST /actions/stream` takes `dry_run` (false by default): it streams what would become of each parcel and moves none. `POST /actions` is unchanged.

The replies of the models were scripted: written by hand, for a test of the wiring.\
""")
    assert second.stdout.partition("\nChange: ")[2].replace(str(second.directory), "DIR") == snapshot("""\
Add a dry_run flag to the bulk action
  file       parcels/actions.py
  file       parcels/bulk.py
  file       tests/test_actions.py
  tests      python3 -m pytest -q: exit code 0, 4 passed
  remark     parcels/actions.py: A value of dry_run that is no boolean counts as true if Python takes it for true; nothing in the ticket asks for more.
  where      DIR/change.json; your checkout is as it was
""")
    work = change["work"]
    assert (work["replies"], work["rounds"], work["dollars"]) == ("scripted", 2, 0.0)
    assert (work["tests"]["exit_code"], work["tests"]["passed"], work["tests"]["failed"]) == (0, 4, 0)
    assert change["run"] == second.document("ticket.json")["run"]
    assert "scripted replies" in (second.directory / "summary.md").read_text()
    assert "scripted replies" in second.stderr
    journal = (second.directory / "journal.jsonl").read_text().splitlines()
    notes = [json.loads(line)["text"] for line in journal if '"event":"note","stage":"coder"' in line]
    assert notes == snapshot(
        [
            "run_tests: `python3 -m pytest -q tests/test_actions.py`, because 1 test or file reaches the targets, 3 tests or files reach what was edited"
        ]
    )


def test_the_change_is_what_was_tested(parcels: Path, build: Run) -> None:
    ended = build(parcels, CLEAR, "--replay", SCRIPT)
    assert ended.exit_code == 0, ended.stderr
    for path, content in files_of(ended).items():
        assert content is not None
        (parcels / path).write_text(content)
    tests = subprocess.run(
        ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=parcels,
        env=scrubbed(PATH=job_path()),
        capture_output=True,
        text=True,
    )
    assert "4 passed" in tests.stdout, tests.stdout


def test_the_checkout_itself_is_never_touched(parcels: Path, build: Run) -> None:
    before = {path: path.read_bytes() for path in sorted(parcels.rglob("*")) if path.is_file()}
    assert build(parcels, CLEAR, "--replay", SCRIPT).exit_code == 0
    assert before == {path: path.read_bytes() for path in sorted(parcels.rglob("*")) if path.is_file()}


def test_no_coder_starts_where_the_targets_are_unknown(parcels: Path, build: Run) -> None:
    ended = build(parcels, VAGUE, "--replay", SCRIPT)
    assert (ended.exit_code, ended.endings) == (0, {"ticket.json"})
    assert (ended.document("ticket.json")["targets"], ended.document("ticket.json")["ready"]) == (
        "unknown",
        False,
    )
    assert not (ended.directory / "change.json").exists()
    assert set(statuses(ended)[1:]) == {"coder: skipped"} or "coder" not in ended.stages()


def test_without_a_key_and_without_replies_nothing_starts(parcels: Path, build: Run) -> None:
    ended = build(parcels, CLEAR)
    assert (ended.exit_code, ended.endings) == (1, {"failure.json"})
    failure = ended.document("failure.json")
    assert {key: failure[key] for key in ("kind", "message", "why", "what_to_do")} == snapshot(
        {
            "kind": "PreconditionFailed",
            "message": "`build` asks a language model, and there is none.",
            "why": "The stages `coder`, `reviewer` ask one. Neither ANTHROPIC_API_KEY nor ASKFIRST_PROVIDER is set, and no file of replies is given.",
            "what_to_do": """\
Set ANTHROPIC_API_KEY (in a workflow: a repository secret), or replay replies: --replay FILE
Without a model: --definition gate ends with the ticket, from which any other coder can start.\
""",
        }
    )


def rounds_of_red_tests(number: int) -> dict[str, Any]:
    wrong = [[[RED], [completes("A return is said to be sent back.")]]]
    again = [[[completes(f"It is still so in round {round_}.")]] for round_ in range(2, number + 1)]
    return {f"coder/{round_}": turns for round_, turns in enumerate([*wrong, *again], start=1)}


STUCK = {
    "believes": "The check counts the parcel that came back.",
    "question": "May the check be changed?",
    "go": "Leave the check as it is and count it in parcels/bulk.py.",
    "otherwise": ["Change the check."],
}
"""What the coder says that is asked because all rounds are used."""


def test_red_tests_end_at_the_limit_with_five_lines(quick: Path, build: Run, tmp_path: Path) -> None:
    script = write_script(tmp_path / "red.jsonl", rounds_of_red_tests(3), {"coder/3/stuck": STUCK})
    ended = build(quick, CLEAR, "--replay", script)
    assert (ended.exit_code, ended.endings) == (2, {"clarification.json"})
    asked = ended.document("clarification.json")
    assert (asked["kind"], asked["stage"]) == ("Blocked", "work")
    assert asked["reason"] == snapshot("""\
BLOCKED: 3 of 3 rounds are used: python3 check.py: failed (exit code 1)
Tried: round 1: python3 check.py: failed (exit code 1) · round 2: python3 check.py: failed (exit code 1) · round 3: python3 check.py: failed (exit code 1) · 1 file so far (+1 −1 lines): parcels/bulk.py
Believes: The check counts the parcel that came back.
Question: May the check be changed?
Default: Leave the check as it is and count it in parcels/bulk.py.\
""")
    assert [option["id"] for option in asked["question"]["options"]] == ["more_budget", "otherwise-1"]
    assert asked["question"]["default"] == "more_budget"
    assert not (ended.directory / "change.json").exists()


def test_go_works_as_many_rounds_again_from_where_the_others_ended(
    quick: Path, build: Run, tmp_path: Path
) -> None:
    script = write_script(
        tmp_path / "red.jsonl",
        rounds_of_red_tests(3)
        | {
            "coder/4": [[edits("parcels/bulk.py", '"sent back"', '"returned"'), GREEN], [completes()]],
            "reviewer/4": [[approves()]],
        },
    )
    first = build(quick, CLEAR, "--replay", script)
    answers = answered(
        first.document("clarification.json"),
        tmp_path / "a.json",
        choice="more_budget",
        label="Count it in parcels/bulk.py.",
    )
    second = build(quick, CLEAR, "--replay", script, "--answers", answers, resume=first.directory)
    assert second.exit_code == 0, second.stderr
    assert [line for line in statuses(second) if "coder" in line] == snapshot(
        ["coder 1: reused", "coder 2: reused", "coder 3: reused", "coder 4: done"]
    )
    assert list(files_of(second)) == ["README.md"]


def test_a_rejected_review_goes_round_with_its_findings(quick: Path, build: Run, tmp_path: Path) -> None:
    script = write_script(
        tmp_path / "rejected.jsonl",
        {
            "coder/1": [[GREEN], [completes()]],
            "reviewer/1": [[rejects("README.md", "the remark says nothing")]],
            "coder/2": [
                [edits("README.md", "  # all of them", "")],
                [creates("CHANGES.md", "None.\n")],
                [completes()],
            ],
            "reviewer/2": [[approves()]],
        },
    )
    ended = build(quick, CLEAR, "--replay", script)
    assert ended.exit_code == 0, ended.stderr
    assert files_of(ended) == {"CHANGES.md": "None.\n"}
    began = (ended.directory / "stages/coder/round-2/output.json").read_text()
    assert "README.md: the remark says nothing" in began


def test_a_review_that_cannot_be_goes_back_with_the_reason_and_is_not_believed(
    quick: Path, build: Run, tmp_path: Path
) -> None:
    made_up = {"path": "parcels/routes.py", "line": 3, "severity": "remark", "reason": "It looks fine."}
    unmet = {"criterion": 2, "met": "not_met", "reason": "No test was run."}
    first = {"verdict": "approve", "criteria": [*judged(1), unmet], "findings": [made_up]}
    script = write_script(
        tmp_path / "made_up.jsonl",
        {
            "coder/1": [[GREEN], [completes()]],
            "reviewer/1": [[("complete", first)], [rejects("README.md", "the remark says nothing")]],
            "coder/2": [[edits("README.md", "all of them", "every test")], [completes()]],
            "reviewer/2": [[approves()]],
        },
    )
    ended = build(quick, CLEAR, "--replay", script)
    assert ended.exit_code == 0, ended.stderr
    transcript = (ended.directory / "transcripts/reviewer-1.jsonl").read_text().splitlines()
    [refused] = [json.loads(line) for line in transcript if '"event":"done"' in line]
    assert refused["result"]["content"] == snapshot(
        "not done: the review does not fit the change: findings, entry 1: there is no file 'parcels/routes.py' in the change or in the tree; the verdict is `approve`, and criterion 2 is not met"
    )
    history = json.loads((ended.directory / "stages/coder/round-2/output.json").read_text())
    assert history["output"]["history"] == snapshot(
        [
            "round 1: the review asked for changes: not met: The change does what the issue asks for. Nothing shows it.; README.md: the remark says nothing (criterion: The change does what the issue asks for.)"
        ]
    )
    assert ended.document("change.json")["work"]["criteria"] == snapshot(
        [
            {
                "criterion": "The change does what the issue asks for.",
                "met": "met",
                "place": "README.md",
                "reason": "The file shows it.",
                "is_wish": False,
            },
            {
                "criterion": "The tests that pass today still pass.",
                "met": "met",
                "place": "README.md",
                "reason": "The file shows it.",
                "is_wish": False,
            },
        ]
    )


def test_a_repository_names_its_own_test_command(build: Run, tmp_path: Path, parcels: Path) -> None:
    folder = parcels / ".github/askfirst"
    folder.mkdir(parents=True)
    (folder / "config.yml").write_text("test_command: python3 -m compileall -q parcels\n")
    script = write_script(
        tmp_path / "s.jsonl", {"coder/1": [[GREEN], [completes()]], "reviewer/1": [[approves()]]}
    )
    ended = build(parcels, CLEAR, "--replay", script)
    assert ended.exit_code == 0, ended.stderr
    assert ended.document("change.json")["work"]["tests"]["command"] == "python3 -m compileall -q parcels"


def test_mistakes_in_the_configuration_are_told_before_anything_is_paid(build: Run, parcels: Path) -> None:
    folder = parcels / ".github/askfirst"
    folder.mkdir(parents=True)
    (folder / "config.yml").write_text("test_comand: pytest\nbudget: {turns: 0}\n")
    ended = build(parcels, CLEAR, "--replay", SCRIPT)
    failure = ended.document("failure.json")
    assert (ended.exit_code, failure["kind"]) == (1, "ConfigurationInvalid")
    assert failure["why"] == snapshot("""\
.github/askfirst/config.yml:1: Unknown key `test_comand`. Did you mean `test_command`? Allowed: test_command, setup, without_tests, plan, model, coder, budget, explorer.
.github/askfirst/config.yml:2: `turns` must be greater than or equal to 1; found 0.\
""")


def test_content_of_a_change_is_base64_of_the_bytes(parcels: Path, build: Run) -> None:
    ended = build(parcels, CLEAR, "--replay", SCRIPT)
    first = ended.document("change.json")["files"][0]
    assert base64.b64decode(first["content"]).decode().startswith('"""Bulk actions."""')
    assert first["mode"] == "100644"
