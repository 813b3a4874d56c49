"""`askfirst explain` as a process: the table, and the same as one page."""

import subprocess
from pathlib import Path

from inline_snapshot import snapshot

from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import scrubbed

TICKET = (
    "# Add a dry_run flag to the bulk action\n\nPlease add a `dry_run` flag: <img src=x>nothing is written.\n"
)


def explain(repository: Path, tmp_path: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    issue = tmp_path / "ticket.md"
    issue.write_text(TICKET, encoding="utf-8")
    given: list[str | Path] = ["--repository", repository, "--issue", issue, *options]
    environment = scrubbed(HOME=str(tmp_path), COLUMNS="120")
    return subprocess.run([SCRIPT, "explain", *given], env=environment, capture_output=True, text=True)


def test_the_text_says_why_it_would_ask(orders: Path, tmp_path: Path) -> None:
    done = explain(orders, tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-5:] == snapshot(
        [
            "2 routes reach the chain leaf 'process_item' with matching body schemas: POST /actions (3 fields), POST /actions/stream ",
            "(3 fields). Prose did not name which.",
            "  1. POST /actions (default)  handler: bulk_action",
            "  2. POST /actions/stream  handler: stream_bulk_action",
            "Why the default: The issue does not mention “stream”, which is what sets POST /actions/stream apart.",
        ]
    )


def test_the_page_is_written_beside_the_text(orders: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = explain(orders, tmp_path, "--html", page)
    assert (done.returncode, done.stderr) == (0, f"Written to {page}\n")
    assert done.stdout == explain(orders, tmp_path).stdout
    html = page.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert "&lt;img src=x&gt;" in html
    assert "<img" not in html


def test_a_page_that_cannot_be_written_is_a_usage_error(orders: Path, tmp_path: Path) -> None:
    assert explain(orders, tmp_path, "--html", tmp_path / "no" / "page.html").returncode == 64
