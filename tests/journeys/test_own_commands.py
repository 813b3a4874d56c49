"""A stage that is a program of the repository's own: JSON in, JSON out, confined, and no model anywhere."""

from pathlib import Path

import pytest

from tests.journeys.conftest import Run, make_repository

ISSUE = "# Add a dry_run flag\n\nPlease.\n"
PIPELINE = """\
name: checks
stages:
  - id: check
    uses: command
    with:
      command: [python3, check.py]
      output: {{type: object, required: [words], properties: {{words: {{type: integer, minimum: 1}}}}}}
    timeout: {timeout}
"""
COUNTS = (
    'import json, sys\nprint(json.dumps({"words": len(json.load(sys.stdin)["ticket"]["title"].split())}))\n'
)


def repository(into: Path, program: str, timeout: str = "30s") -> Path:
    files = {"check.py": program, ".github/askfirst/pipeline.yml": PIPELINE.format(timeout=timeout)}
    return make_repository("parcels_flask", into, more=files)


def test_a_check_needs_no_model_and_its_output_is_in_the_ticket(askfirst: Run, tmp_path: Path) -> None:
    own = repository(tmp_path / "own", COUNTS)
    ended = askfirst(own, ISSUE, "--definition", own / ".github/askfirst/pipeline.yml")
    assert ended.exit_code == 0, ended.stderr
    [said] = ended.document("ticket.json")["conclusions"]
    assert said == {
        "stage": "check",
        "agent": "python3 check.py",
        "replies": "command",
        "output": {"words": 4},
    }
    again = askfirst(
        own, ISSUE, "--definition", own / ".github/askfirst/pipeline.yml", resume=ended.directory
    )
    assert again.stages() == {"check": "reused"}


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit('it is broken')", "It ended with exit code 1.\nit is broken"),
        ("print('hello')", "Its output does not fit the schema"),
        ("print('{\"words\": 0}')", "words: Input should be greater than or equal to 1"),
        ('print(\'{"words": 1, "more": 1}\')', "more: Extra inputs are not permitted"),
        ("print(' ' * 2_000_000)", "It printed more than a stage may hand on."),
        ("import time; time.sleep(60)", "took longer than 2 s"),
        ("import os; print(os.environ['ASKFIRST_MARKER_KEY'])", "KeyError: 'ASKFIRST_MARKER_KEY'"),
    ],
)
def test_a_program_that_breaks_its_word_fails_the_run_and_says_how(
    askfirst: Run, tmp_path: Path, program: str, why: str
) -> None:
    own = repository(tmp_path / "own", program, timeout="2s")
    ended = askfirst(
        own, ISSUE, "--definition", own / ".github/askfirst/pipeline.yml", ASKFIRST_MARKER_KEY="k" * 40
    )
    assert (ended.exit_code, ended.endings) == (1, {"failure.json"})
    failure = ended.document("failure.json")
    assert (failure["stage"], failure["kind"]) in (("check", "StageFailed"), ("check", "StageTimedOut"))
    assert why in failure["why"] or failure["kind"] == "StageTimedOut"


def test_the_schema_of_a_command_is_checked_before_anything_runs(askfirst: Run, tmp_path: Path) -> None:
    own = repository(tmp_path / "own", COUNTS)
    path = own / ".github/askfirst/pipeline.yml"
    path.write_text(path.read_text().replace("type: integer", "type: number_of"))
    ended = askfirst(own, ISSUE, "--definition", path)
    assert "pipeline.yml:7: `type` is 'number_of'" in ended.document("failure.json")["why"]
