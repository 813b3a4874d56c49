"""`askfirst registry` as people and machines call it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

pytestmark = pytest.mark.process

SAMPLES = Path("tests/sample_repositories")


def askfirst(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).parent / "askfirst", "registry", *arguments],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(cache)},
    )


def test_a_person_reads_routes_and_callers(tmp_path: Path) -> None:
    done = askfirst("--repository", str(SAMPLES / "orders_flask"), cache=tmp_path)
    assert done.stdout.splitlines()[7] == snapshot(
        "PATCH /api/v1/customers/<int:customer_id>  update_customer  orders/api/customers.py:18  body unknown"
    )
    leaf = "symbol:orders/services/items.py::process_item"
    done = askfirst("--repository", str(SAMPLES / "orders_flask"), "--callers", leaf, cache=tmp_path)
    assert done.stdout.splitlines()[0] == snapshot(
        "called by symbol:orders/services/bulk.py::BulkAction._one (line 36)"
    )


def test_a_word_finds_entries_and_near_ones(tmp_path: Path) -> None:
    done = askfirst(
        "--repository", str(SAMPLES / "orders_flask"), "--find", "processItem", "--json", cache=tmp_path
    )
    assert [entry["id"] for entry in json.loads(done.stdout)["entries"]] == [
        "symbol:orders/services/items.py::process_item"
    ]


def test_a_missing_repository_and_two_questions_are_usage_errors(tmp_path: Path) -> None:
    missing = askfirst("--repository", str(tmp_path / "none"), cache=tmp_path)
    assert (missing.returncode, "Traceback" in missing.stderr) == (64, False)
    assert (
        askfirst(
            "--repository", str(SAMPLES / "orders_flask"), "--coverage", "--symbols", cache=tmp_path
        ).returncode
        == 64
    )


def test_a_reader_that_has_gone_is_no_failure(tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "askfirst"
    line = (
        f"{program} registry --repository {SAMPLES / 'orders_flask'} --symbols | :; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
