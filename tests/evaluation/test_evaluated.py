"""The evaluation as a process: several sets, several times, and what it says about them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.conftest import make_repository, scrubbed

pytestmark = pytest.mark.process

ROUTES = [{"method": "POST", "path": "/actions"}, {"method": "POST", "path": "/actions/stream"}]
ASKS = {"exit_code": 2, "kind": "ClarificationNeeded", "candidates": ROUTES, "default": "POST /actions"}


def ticket(name: str, title: str, expected: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = "Please add a `dry_run` flag: nothing is written."
    told = {"id": name, "language": "python", "repo_dir": "orders", "title": title, "body": body}
    return {**told, "expected": expected, **more}


def evaluate(tmp_path: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    environment = scrubbed(HOME=str(tmp_path), COLUMNS="160")
    program = [sys.executable, "-m", "tests.evaluation.evaluate", *options]
    return subprocess.run(program, env=environment, capture_output=True, text=True)


def test_two_sets_are_counted_together_and_every_run_decides_the_same(tmp_path: Path) -> None:
    make_repository("orders_fastapi", tmp_path / "checkouts" / "orders")
    sets = {
        "open.json": [ticket("a", "Add a dry_run flag to the bulk action", ASKS)],
        "own.json": [ticket("b", "Add a dry_run flag to POST /actions", {"exit_code": 0}, held_out=True)],
    }
    given: list[str | Path] = []
    for name, tickets in sets.items():
        (tmp_path / name).write_text(json.dumps({"tickets": tickets}), encoding="utf-8")
        given += ["--tickets", tmp_path / name, "--repositories", tmp_path / "checkouts"]

    done = evaluate(tmp_path, *given, "--times", "2", "--output", tmp_path / "result.json")

    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result.json").read_bytes())
    assert [(one["id"], one["right"], one["runs"], one["agreeing"]) for one in result["tickets"]] == [
        ("a", True, 2, 2),
        ("b", True, 2, 2),
    ]
    assert result["summary"]["same_decision"] == 1.0
    assert list(result["summary"]["groups"])[:2] == ["all", "held out"]
    assert "recall             100% (21% to 100%)  at least 0.95: yes" in done.stdout
