"""The tests run before the first paid turn: red ones are not charged to the change, and a suite that cannot run ends the run."""

import json
from pathlib import Path

from inline_snapshot import snapshot

from tests.journeys.conftest import Run, make_repository
from tests.journeys.scripts import approves, completes, edits, write_script

TICKET = """# Add a dry_run flag to POST /actions/stream

The depot wants to see what a bulk action would do before it does it. Please add a `dry_run` flag: nothing is moved.
"""
RED = {"tests/test_red.py": "def test_that_was_red_before():\n    assert 1 == 2\n"}
GREEN_CHANGE = edits("README.md", "python3 -m pytest", "python3 -m pytest  # all of them")


def test_a_change_is_not_charged_with_a_test_that_was_red_before(build: Run, tmp_path: Path) -> None:
    repository = make_repository("parcels_flask", tmp_path / "parcels", more=RED)
    script = write_script(
        tmp_path / "s.jsonl", {"coder/1": [[GREEN_CHANGE], [completes()]], "reviewer/1": [[approves()]]}
    )
    ended = build(repository, TICKET, "--replay", script)
    assert (ended.exit_code, ended.endings) == (0, {"ticket.json"}), ended.stderr
    tests = ended.document("change.json")["work"]["tests"]
    assert (tests["exit_code"], tests["failed"], tests["red_before"]) == (
        1,
        1,
        ["tests/test_red.py::test_that_was_red_before"],
    )


def test_a_test_that_the_change_breaks_is_charged_to_it(build: Run, tmp_path: Path) -> None:
    repository = make_repository("parcels_flask", tmp_path / "parcels", more=RED)
    breaks = edits("parcels/bulk.py", '"returned"', '"sent back"')
    turns = {
        f"coder/{number}": [[breaks] if number == 1 else [GREEN_CHANGE], [completes()]]
        for number in (1, 2, 3)
    }
    turns["coder/3"] = [[completes()]]
    ended = build(repository, TICKET, "--replay", write_script(tmp_path / "s.jsonl", turns))
    assert ended.exit_code == 2, ended.stderr
    assert ended.document("clarification.json")["kind"] == "Blocked"


def test_a_suite_that_cannot_run_ends_the_run_before_an_agent_is_asked(build: Run, tmp_path: Path) -> None:
    more = {"tests/conftest.py": "import a_package_that_nobody_has_installed\n"}
    repository = make_repository("parcels_flask", tmp_path / "parcels", more=more)
    ended = build(repository, TICKET, "--replay", write_script(tmp_path / "s.jsonl", {}))
    assert (ended.exit_code, ended.endings) == (1, {"failure.json"})
    failure = ended.document("failure.json")
    assert (failure["kind"], failure["stage"]) == ("PreconditionFailed", "baseline")
    assert "No module named 'a_package_that_nobody_has_installed'" in json.dumps(failure)
    assert failure["what_to_do"] == snapshot("""\
Install what the tests need in a step of the job before askfirst, or have askfirst install it, in .github/askfirst/config.yml:
setup: [pip install -U pip, pip install -e . --group test]
If the command is another one, name it: test_command: …
To go on without tests (the pull request says so first): without_tests: go\
""")
